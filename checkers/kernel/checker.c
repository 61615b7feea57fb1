/* The observer: takes the device's events, keeps what findings need, and counts cases.
 *
 * Accesses go to the happens-before library (checkers/order); a race comes back through race_report
 * while the access that found it is being told. A case is kept once, with the words of its first
 * occurrence, and all are handed over when the launch ends. */
#include "checkers/kernel/checker.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include "trace/base/hash.h" /* before headers that use uthash */

#include "checkers/kernel/state.h"
#include "checkers/kernel/touched.h"
#include "checkers/kernel/words.h"

#include <string.h>

/* ---- the course of a launch ---- */

static bool reserve_accesses(struct kernel_checker *checker, size_t slot_count)
{
    if (slot_count > checker->access_capacity) {
        alloc_free(checker->accesses);
        checker->access_capacity = 0;
        checker->accesses = alloc_zero(slot_count, sizeof *checker->accesses);
        if (checker->accesses == NULL) {
            return false;
        }
        checker->access_capacity = slot_count;
    }
    for (size_t i = 0; i < slot_count; i++) {
        checker->accesses[i].object = NULL;
        checker->accesses[i].unwatched_id = 0;
    }
    return true;
}

static void drop_group(struct group_state *group)
{
    alloc_free(group->copies);
    alloc_free(group->stamps);
}

/* Those of a launch that was ended. */
static void drop_waiting(struct kernel_checker *checker)
{
    while (checker->waiting_count > 0) {
        drop_group(&checker->waiting[--checker->waiting_count]);
    }
}

/* OpenCL C before 2.0 has no scopes: the environment specification says Device for its atomic
 * functions, though translators write Workgroup. */
static bool has_scopes(const struct kernel_checker *checker)
{
    const uint32_t version = checker->launch.opencl_c_version;
    return version == 0 || version >= 200;
}

static void answered_event(void *state)
{
    struct kernel_checker *checker = state;
    checker->answered = true;
}

static void launch_begin(void *state, const struct observer_launch *launch)
{
    struct kernel_checker *checker = state;
    checker->answered = false;
    checker->launch = *launch;
    checker->out_of_memory = false;
    checker->has_found = false;
    checker->unwatched_written = false;
    checker->has_stopped = false;
    checker->group_runs = false;
    drop_waiting(checker);
    alloc_free(checker->now.stamps);
    checker->now.stamps = NULL;
    checker->now.stamp_count = 0;
    texels_forget(&checker->texels);
    checker->launch.kernel = words(checker, "%s", launch->kernel != NULL ? launch->kernel : "?");
    checker->judges_races = checker->has_races;
    if (checker->judges_races) {
        const size_t slot_count = (size_t)launch->site_count * ORDER_SLOTS_OF_SITE;
        if (slot_count > UINT32_MAX || !reserve_accesses(checker, slot_count)) {
            checker->judges_races = false;
            checker->out_of_memory = true;
            return;
        }
        order_launch_begin(
            checker->order,
            &(struct order_launch){.site_count = launch->site_count,
                                   .sub_group_size = launch->sub_group_size,
                                   .acquires = launch->uses_acquire || launch->follows_orders,
                                   .device_scope = !has_scopes(checker),
                                   .wide_scopes = launch->wide_scopes,
                                   .seq_cst_alone = launch->seq_cst_alone,
                                   .narrow_fences = launch->narrow_fences,
                                   .inert_apart = checker->predicted != NULL});
    }
}

static bool is_running(const struct kernel_checker *checker, const uint64_t group[3])
{
    return checker->group_runs && memcmp(checker->now.group, group, sizeof checker->now.group) == 0;
}

/* Another group begins or goes on: the one that has not ended waits. */
static void keep_group(struct kernel_checker *checker)
{
    if (!checker->group_runs) {
        return;
    }
    struct group_state *grown = alloc_grow(checker->waiting, checker->waiting_count,
                                           &checker->waiting_capacity, sizeof *grown);
    if (grown == NULL) {
        checker->judges_races = false;
        checker->out_of_memory = true;
        return;
    }
    checker->waiting = grown;
    grown[checker->waiting_count++] = checker->now;
    checker->now.copies = NULL;
    checker->now.copy_capacity = 0;
    checker->now.stamps = NULL;
    checker->now.stamp_count = 0;
    checker->turn++;
    if (checker->judges_races) {
        order_group_keep(checker->order);
    }
}

static void set_group(struct kernel_checker *checker, const uint64_t group[3])
{
    const struct observer_launch *launch = &checker->launch;
    for (int i = 0; i < 3; i++) {
        const uint64_t left = launch->global_size[i] - group[i] * launch->local_size[i];
        ASSERT(group[i] < launch->group_count[i]);
        checker->now.group[i] = group[i];
        checker->now.group_size[i] = left < launch->local_size[i] ? left : launch->local_size[i];
    }
    checker->now.vector = 0;
    texels_fence_group(checker);
    checker->now.group_barrier.passed = false;
    checker->now.sub_group_barrier.passed = false;
    checker->group_runs = true;
}

static void group_begin(void *state, const uint64_t group[3], uint32_t item_count)
{
    struct kernel_checker *checker = state;
    keep_group(checker);
    set_group(checker, group);
    if (checker->touched != NULL && checker->touched->apart) {
        touched_group_begin(checker->touched, group_linear(checker, group));
    }
    if (checker->judges_races) {
        order_group_begin(checker->order, group_linear(checker, group), item_count);
    }
}

static void group_resume(void *state, const uint64_t group[3])
{
    struct kernel_checker *checker = state;
    if (is_running(checker, group)) {
        return; /* no other has begun since */
    }
    if (checker->touched != NULL && checker->touched->apart) {
        touched_group_begin(checker->touched, group_linear(checker, group));
    }
    keep_group(checker);
    size_t i = 0;
    while (i < checker->waiting_count &&
           memcmp(checker->waiting[i].group, group, sizeof checker->waiting[i].group) != 0) {
        i++;
    }
    if (i == checker->waiting_count) {
        return; /* memory was out when it began to wait */
    }
    drop_group(&checker->now);
    checker->now = checker->waiting[i];
    checker->waiting[i] = checker->waiting[--checker->waiting_count];
    checker->group_runs = true;
    checker->turn++;
    if (checker->judges_races) {
        order_group_resume(checker->order, group_linear(checker, group));
    }
}

static void group_end(void *state)
{
    struct kernel_checker *checker = state;
    checker->group_runs = false;
    if (checker->touched != NULL && checker->touched->apart) {
        touched_group_end(checker->touched);
    }
}

static void vector_run(void *state, uint32_t vector)
{
    struct kernel_checker *checker = state;
    checker->now.vector = vector;
    if (checker->judges_races) {
        order_vector_run(checker->order, vector);
    }
}

/* May reads of the object be let pass? */
static bool is_only_read(const struct kernel_checker *checker, const struct observer_object *object)
{
    const struct observer_launch *launch = &checker->launch;
    return launch->only_read != NULL && object->region == OBSERVER_GLOBAL &&
           launch->only_read(launch->launch, object->id);
}

static bool is_apart(const struct kernel_checker *checker, const struct observer_object *object)
{
    return checker->launch.apart != NULL && checker->launch.apart(checker->launch.launch, object);
}

/* Objects for which work-items cannot race, and those that the launch does not write: their plain
 * accesses are let pass. Not atomic ones, whose orders, scopes and sizes may be wrong without any
 * race. Should one of the latter be written all the same, by a pointer that came another way,
 * watching begins there. */
static bool is_unwatched(struct kernel_checker *checker, const struct lane_access *access)
{
    if (access_is_atomic(access->kind)) {
        return false;
    }
    if (is_apart(checker, access->object)) {
        return true;
    }
    if (!is_only_read(checker, access->object)) {
        return false;
    }
    if (access->kind == OBSERVER_READ) {
        return true;
    }
    checker->unwatched_written = true;
    checker->launch.only_read = NULL;
    for (size_t i = 0; i < checker->access_capacity; i++) {
        checker->accesses[i].unwatched_id = 0;
    }
    return false;
}

static struct site_access *site_of(struct kernel_checker *checker, const struct lane_access *access,
                                   enum observer_access_kind kind)
{
    const uint32_t slot = order_slot(access->site, kind);
    ASSERT(slot < checker->access_capacity);
    return &checker->accesses[slot];
}

/* Local memory is the running group's. */
static void find_object(struct kernel_checker *checker, struct site_access *site,
                        const struct observer_object *object)
{
    const bool is_local = object->region == OBSERVER_LOCAL;
    ASSERT(is_local || object->region == OBSERVER_GLOBAL);
    site->object_id = object->id;
    site->object = order_object(checker->order, is_local ? ORDER_LOCAL : ORDER_GLOBAL, object->id,
                                object->size);
    if (site->object && (object->svm == OBSERVER_SVM_ATOMIC || object->svm == OBSERVER_SVM_SYSTEM))
        order_object_share(site->object);
    site->turn = checker->turn;
}

static enum observer_scope scope_of(const struct kernel_checker *checker,
                                    const struct lane_access *access)
{
    return has_scopes(checker) ? access->scope : OBSERVER_SCOPE_DEVICE;
}

/* What the site does, as `kind`, to another object than last time. */
static void describe_site(struct kernel_checker *checker, const struct lane_access *access,
                          enum observer_access_kind kind, enum observer_order order)
{
    struct site_access *site = site_of(checker, access, kind);
    site->kind = kind;
    site->order = order;
    site->scope = scope_of(checker, access);
    site->size = access->size;
    site->is_volatile = access->is_volatile;
    site->is_floating = access->is_floating;
    find_object(checker, site, access->object);
}

static void access_event(void *state, const struct lane_access *access)
{
    struct kernel_checker *checker = state;
    const enum observer_region region = access->object->region;
    ASSERT(access->mask != 0 && access->size > 0);
    if (region == OBSERVER_PRIVATE) {
        orders_report_private(checker, access);
        return;
    }
    if (checker->touched != NULL) {
        touched_add(checker->touched, access, scope_of(checker, access));
    }
    if (access->is_read_write) {
        texels_access(checker, access);
    }
    if (!checker->judges_races) {
        return;
    }
    struct site_access *site = site_of(checker, access, access->kind);
    if (site->unwatched_id == access->object->id) {
        return;
    }
    if (site->object == NULL || site->object_id != access->object->id) {
        if (is_unwatched(checker, access)) {
            site->unwatched_id = access->object->id;
            return;
        }
        describe_site(checker, access, access->kind, access->order);
        if (access_is_atomic(access->kind)) {
            orders_check_access(checker, access);
        }
        if (access_is_compare_exchange(access)) {
            describe_site(checker, access, OBSERVER_ATOMIC_READ, access->atomic->failure_order);
        }
    } else if (region == OBSERVER_LOCAL && site->turn != checker->turn) {
        find_object(checker, site, access->object);
    }
    if (site->object == NULL) {
        return; /* the order says that it is incomplete */
    }
    order_access(checker->order, site->object, access);
}

static const bool *wants(void *state, const struct observer_object *object,
                         enum observer_access_kind kind)
{
    static const bool always = true;
    static const bool never = false;
    const struct kernel_checker *checker = state;
    if (checker->touched != NULL) {
        return &always;
    }
    if (is_apart(checker, object)) {
        return &never;
    }
    return kind == OBSERVER_READ && is_only_read(checker, object) ? &checker->unwatched_written
                                                                  : &always;
}

/* The site accesses again what it accessed last. */
static bool row_event(void *state, const struct lane_row *row)
{
    const struct kernel_checker *checker = state;
    if (!checker->judges_races) {
        return true;
    }
    const uint32_t slot = order_slot(row->site, row->writes ? OBSERVER_WRITE : OBSERVER_READ);
    ASSERT(slot < checker->access_capacity);
    const struct site_access *site = &checker->accesses[slot];
    if (site->unwatched_id == row->object->id) {
        return true;
    }
    return site->object != NULL && site->object_id == row->object->id &&
           (row->object->region != OBSERVER_LOCAL || site->turn == checker->turn) &&
           order_row(checker->order, site->object, row);
}

/* OpenCL C 3.0, 6.15.8: "CLK_GLOBAL_MEM_FENCE - ensure that all global memory accesses become
 * visible", "CLK_IMAGE_MEM_FENCE - ensure that all image memory accesses become visible".
 * OpenCL C 1.2, 6.12.8, which has no such flag, of CLK_GLOBAL_MEM_FENCE: "This can be useful when
 * work-items, for example, write to buffer or image objects and then want to read the updated
 * data". SPIR-V may come from a compiler for either. */
static uint32_t barrier_regions(const struct kernel_checker *checker, uint32_t flags)
{
    const bool global_has_images = checker->launch.opencl_c_version < OPENCL_C_IMAGE_FENCE;
    return (flags & OBSERVER_FENCE_GLOBAL) != 0 && global_has_images ? flags | OBSERVER_FENCE_IMAGE
                                                                     : flags;
}

static void fence_event(void *state, uint32_t site, uint64_t mask, uint32_t flags,
                        enum observer_order order, enum observer_scope scope)
{
    struct kernel_checker *checker = state;
    const uint32_t regions = barrier_regions(checker, flags);
    if ((regions & OBSERVER_FENCE_IMAGE) != 0 && order != OBSERVER_ORDER_RELAXED) {
        texels_fence(checker, checker->now.vector, mask);
    }
    if (!checker->judges_races) {
        return;
    }
    orders_check_fence(checker, site, flags, scope);
    order_fence(
        checker->order,
        &(struct order_fence){
            .site = site, .mask = mask, .regions = regions, .scope = scope, .order = order});
}

static void barrier_event(void *state, const struct observer_barrier *barrier)
{
    struct kernel_checker *checker = state;
    const uint32_t regions = barrier_regions(checker, barrier->flags);
    const bool whole_group = barrier->execution != OBSERVER_SCOPE_SUB_GROUP;
    if ((regions & OBSERVER_FENCE_IMAGE) != 0 && whole_group) {
        texels_fence_group(checker);
    } else if ((regions & OBSERVER_FENCE_IMAGE) != 0) {
        texels_fence(checker, barrier->vector, barrier->mask);
    }
    if (!checker->judges_races) {
        return;
    }
    orders_check_barrier(checker, barrier);
    struct passed_barrier *passed =
        whole_group ? &checker->now.group_barrier : &checker->now.sub_group_barrier;
    const bool again =
        passed->passed && passed->site == barrier->site && passed->vector == barrier->vector;
    if (whole_group) {
        order_barrier(checker->order, regions, barrier->memory);
    } else {
        ASSERT(barrier->mask != 0);
        order_sub_group_barrier(checker->order, barrier->vector,
                                (uint32_t)__builtin_ctzll(barrier->mask), regions, barrier->memory);
    }
    *passed = (struct passed_barrier){
        .passed = true,
        .site = barrier->site,
        .flags = barrier->flags,
        .regions = regions,
        .next_record = order_next_record(checker->order),
        .vector = barrier->vector,
        .mask = barrier->mask | (again ? passed->mask : 0),
    };
}

static void copy_start_event(void *state, uint32_t copy)
{
    struct kernel_checker *checker = state;
    if (!checker->judges_races) {
        return;
    }
    struct order_copy *grown =
        alloc_grow(checker->now.copies, copy, &checker->now.copy_capacity, sizeof *grown);
    if (grown == NULL) {
        checker->judges_races = false;
        checker->out_of_memory = true;
        return;
    }
    checker->now.copies = grown;
    ASSERT(copy < checker->now.copy_capacity); /* they are counted from 0 */
    order_copy_start(checker->order, &grown[copy]);
}

static void copy_fence_event(void *state, uint32_t flags)
{
    struct kernel_checker *checker = state;
    if (checker->judges_races) {
        order_copy_fence(checker->order, flags & (OBSERVER_FENCE_LOCAL | OBSERVER_FENCE_GLOBAL));
    }
}

static void copy_begin_event(void *state, uint32_t copy)
{
    struct kernel_checker *checker = state;
    if (checker->judges_races) {
        ASSERT(copy < checker->now.copy_capacity);
        order_copy_begin(checker->order, &checker->now.copies[copy]);
    }
}

static void copy_end_event(void *state)
{
    struct kernel_checker *checker = state;
    if (checker->judges_races) {
        order_copy_end(checker->order);
    }
}

static void copy_wait_event(void *state, uint32_t copy)
{
    struct kernel_checker *checker = state;
    if (checker->judges_races) {
        ASSERT(copy < checker->now.copy_capacity);
        order_copy_wait(checker->order, &checker->now.copies[copy]);
    }
}

static void pipe_end_event(void *state, uint32_t site, const struct observer_object *pipe,
                           bool writes)
{
    struct kernel_checker *checker = state;
    touched_add_pipe_end(checker->touched, site, pipe, writes);
}

static bool is_complete(const struct kernel_checker *checker)
{
    return !checker->unwatched_written && !checker->out_of_memory &&
           !(checker->judges_races && order_is_incomplete(checker->order));
}

static void report_incomplete(struct kernel_checker *checker)
{
    if (checker->unwatched_written) {
        incomplete_report(checker, "data races",
                          "the kernel writes to a buffer by a pointer that it was not given "
                          "as an argument, and earlier reads of that buffer were not watched",
                          "Pass the buffer as an argument, and write to it by that.");
    }
    if (checker->out_of_memory || (checker->judges_races && order_is_incomplete(checker->order))) {
        incomplete_report(checker, "data races",
                          "clerk ran out of memory, or of record numbers, for this launch", NULL);
    }
}

static void launch_end(void *state)
{
    struct kernel_checker *checker = state;
    report_incomplete(checker);
    for (const struct kernel_case *known = checker->first_case; known != NULL;
         known = known->next) {
        if (checker->predicted != NULL) {
            checker->predicted(checker->predicted_user, &known->prediction, &known->finding);
        } else {
            checker->report(checker->user, &known->finding);
        }
    }
    cases_drop(checker);
}

/* ---- the checker ---- */

/* The rules that the order of accesses is needed for. */
static bool has_races(const struct checks *checks)
{
    static const enum rule_index rules[] = {
        RULE_RACE_GLOBAL,          RULE_RACE_LOCAL,         RULE_RACE_ATOMIC_SCOPE,
        RULE_ATOMIC_SCOPE_UNCLEAR, RULE_ATOMIC_SIZES,       RULE_ATOMIC_PRIVATE,
        RULE_MEMORY_ORDER,         RULE_MEMORY_SCOPE,       RULE_IMAGE_UNFENCED,
        RULE_ACQUIRE_UNUSED,       RULE_FENCE_SCOPE_NARROW, RULE_SCOPE_UNSHARED};
    bool any = false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        any = any || checks_has(checks, rules[i]);
    }
    return any;
}

void kernel_checker_set_notice(struct kernel_checker *checker, kernel_checker_notice *notice)
{
    checker->notice = notice;
}

void kernel_checker_set_checks(struct kernel_checker *checker, const struct checks *checks)
{
    const bool race = has_races(checks);
    const bool hang = checks_has_group(checks, "hang");
    const bool undefined =
        checks_has_group(checks, "uninitialised") || checks_has_group(checks, "unspecified");
    checker->checks = *checks;
    checker->has_races = race;
    checker->observer = (struct observer){
        .state = checker,
        .launch_begin = launch_begin,
        .group_begin = group_begin,
        .group_resume = group_resume,
        .group_end = group_end,
        .vector_run = vector_run,
        .access = race || checker->touched != NULL ? access_event : NULL,
        .row = checker->touched == NULL ? row_event : NULL,
        .wants = wants,
        .fence = race ? fence_event : NULL,
        .barrier = race ? barrier_event : NULL,
        .copy_start = race ? copy_start_event : NULL,
        .copy_fence = race ? copy_fence_event : NULL,
        .copy_begin = race ? copy_begin_event : NULL,
        .copy_end = race ? copy_end_event : NULL,
        .copy_wait = race ? copy_wait_event : NULL,
        .copy_overlap = copy_overlap_report,
        .copy_lost = copy_lost_report,
        .reservation_lost = reservation_lost_report,
        .pipe_end = checker->touched != NULL ? pipe_end_event : NULL,
        .divergence = checks_has_group(checks, "divergence") ? divergence_report : NULL,
        .fault = checks_has_group(checks, "memory") ? fault_report : NULL,
        .unfinished = hang ? unfinished_report : NULL,
        .dependence = hang || race ? dependence_report : NULL,
        .queue_fault = checks_has_group(checks, "enqueue") ? queue_fault_report : NULL,
        .undefined = undefined ? undefined_report : NULL,
        .remark = checks_has_group(checks, "portability") ? remark_report : NULL,
        .assertion = checks_has_group(checks, "assert") ? assertion_report : NULL,
        .answered = race ? answered_event : NULL,
        .launch_end = launch_end,
    };
}

void kernel_checker_predict(struct kernel_checker *checker, kernel_checker_predicted *predicted,
                            void *user)
{
    checker->predicted = predicted;
    checker->predicted_user = user;
}

void kernel_checker_expect(struct kernel_checker *checker, const struct kernel_prediction *expected,
                           uint32_t count)
{
    ASSERT(count <= KERNEL_EXPECTED_MAX);
    checker->expected_count = count;
    checker->has_shown = false;
    for (uint32_t i = 0; i < count; i++) {
        checker->expected[i] = expected[i];
    }
}

bool kernel_checker_has_shown(const struct kernel_checker *checker)
{
    return checker->has_shown;
}

void kernel_checker_collect(struct kernel_checker *checker, struct touched *touched)
{
    checker->touched = touched;
}

const struct observer *kernel_checker_observer(struct kernel_checker *checker)
{
    const struct observer *observer = &checker->observer;
    const bool any = observer->access != NULL || observer->divergence != NULL ||
                     observer->fault != NULL || observer->undefined != NULL ||
                     observer->unfinished != NULL || observer->dependence != NULL ||
                     observer->queue_fault != NULL || observer->remark != NULL ||
                     observer->assertion != NULL;
    return any ? observer : NULL;
}

static enum status create(const struct checks *checks, uint32_t record_limit,
                          struct kernel_checker **checker, struct error *error)
{
    struct kernel_checker *made = alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    const enum status status = order_create(record_limit, race_report, made, &made->order, error);
    if (status != STATUS_OK) {
        alloc_free(made);
        return status;
    }
    made->last_case = &made->first_case;
    kernel_checker_set_checks(made, checks);
    *checker = made;
    return STATUS_OK;
}

enum status kernel_checker_create(const struct checks *checks, kernel_checker_report *report,
                                  void *user, struct kernel_checker **checker, struct error *error)
{
    const enum status status = create(checks, 0, checker, error);
    if (status == STATUS_OK) {
        (*checker)->report = report;
        (*checker)->user = user;
    }
    return status;
}

enum status kernel_checker_create_scout(const struct checks *checks, uint32_t record_limit,
                                        struct kernel_checker **checker, struct error *error)
{
    const enum status status = create(checks, record_limit, checker, error);
    if (status == STATUS_OK) {
        (*checker)->is_scout = true;
    }
    return status;
}

bool kernel_checker_has_found(const struct kernel_checker *checker)
{
    return checker->has_found || !is_complete(checker);
}

void kernel_checker_destroy(struct kernel_checker *checker)
{
    if (checker == NULL) {
        return;
    }
    cases_drop(checker);
    order_destroy(checker->order);
    alloc_free(checker->accesses);
    drop_waiting(checker);
    texels_forget(&checker->texels);
    alloc_free(checker->waiting);
    drop_group(&checker->now);
    alloc_free(checker);
}
