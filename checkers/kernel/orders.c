#include "checkers/kernel/state.h"

#include "checkers/kernel/words.h"

/* What is wrong, apart for each thing that can be at one place. */
enum detail { DETAIL_ORDER, DETAIL_FAILURE, DETAIL_SCOPE, DETAIL_FLAGS };

/* The sentences of a case. */
struct wrong {
    enum rule_index rule;
    enum detail detail;
    uint32_t site;
    const char *what; /* "atomic store" */
    const char *has;  /* "memory_order_acquire" */
    const char *reason;
    const char *advice; /* NULL = the rule's */
};

static void report(struct kernel_checker *checker, const struct wrong *wrong)
{
    struct finding *finding = case_count(
        checker,
        &(struct case_key){.rule = wrong->rule, .site = wrong->site, .detail = wrong->detail});
    if (finding == NULL) {
        return;
    }
    finding->message =
        words(checker, "%s has %s, which is not allowed there", wrong->what, wrong->has);
    finding->reason = wrong->reason;
    finding->advice = wrong->advice;
    words_add_place(checker, finding, wrong->site, wrong->what);
}

static bool has_release(enum observer_order order)
{
    return order == OBSERVER_ORDER_RELEASE || order == OBSERVER_ORDER_ACQ_REL;
}

static bool has_acquire(enum observer_order order)
{
    return order == OBSERVER_ORDER_ACQUIRE || order == OBSERVER_ORDER_ACQ_REL;
}

/* Acquire and release are as strong as each other. */
static unsigned strength(enum observer_order order)
{
    return order == OBSERVER_ORDER_RELAXED   ? 0
           : order == OBSERVER_ORDER_SEQ_CST ? 3
           : order == OBSERVER_ORDER_ACQ_REL ? 2
                                             : 1;
}

static void check_failure(struct kernel_checker *checker, const struct lane_access *access)
{
    const enum observer_order failure = access->atomic->failure_order;
    struct wrong wrong = {.rule = RULE_MEMORY_ORDER,
                          .detail = DETAIL_FAILURE,
                          .site = access->site,
                          .what = "an atomic compare-exchange"};
    if (has_release(failure)) {
        wrong.has = words(checker, "%s for its failure", words_order(failure));
        wrong.reason = "one that fails is a load, which has nothing to release";
        report(checker, &wrong);
    } else if (strength(failure) > strength(access->order)) {
        wrong.has = words(checker, "%s for its failure and %s for its success",
                          words_order(failure), words_order(access->order));
        wrong.reason = "the order of failure is the stronger one";
        report(checker, &wrong);
    }
}

/* OpenCL API 3.0, 3.3.5: "When used on a fine-grained non-atomic SVM buffer, a coarse-grained SVM
 * buffer, or a non-SVM buffer", all devices means this one alone. It is told of shared virtual
 * memory: the host cannot reach an ordinary buffer while a kernel runs. Once a launch, for a
 * program that writes this scope writes it everywhere. */
static void check_shared(struct kernel_checker *checker, const struct lane_access *access)
{
    const enum observer_svm svm = access->object->svm;
    if (access->scope != OBSERVER_SCOPE_ALL_DEVICES ||
        (svm != OBSERVER_SVM_COARSE && svm != OBSERVER_SVM_FINE)) {
        return;
    }
    struct finding *finding = case_count(checker, &(struct case_key){.rule = RULE_SCOPE_UNSHARED});
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker,
                             "an atomic operation has %s on %s, which was not allocated with "
                             "CL_MEM_SVM_ATOMICS",
                             words_scope(access->scope), words_object(checker, access->object));
    finding->reason = "there it is memory_scope_device: the host and other devices see what it "
                      "does at synchronization points";
    words_add_place(checker, finding, access->site, "an atomic operation");
}

void orders_check_access(struct kernel_checker *checker, const struct lane_access *access)
{
    struct wrong wrong = {.rule = RULE_MEMORY_ORDER, .detail = DETAIL_ORDER, .site = access->site};
    wrong.has = words_order(access->order);
    if (access->kind == OBSERVER_ATOMIC_WRITE && has_acquire(access->order)) {
        wrong.what = "an atomic store";
        wrong.reason = "a store reads nothing, so there is nothing to acquire";
        wrong.advice = "Store with memory_order_relaxed, memory_order_release or "
                       "memory_order_seq_cst.";
        report(checker, &wrong);
    }
    if (access->kind == OBSERVER_ATOMIC_READ && has_release(access->order)) {
        wrong.what = "an atomic load";
        wrong.reason = "a load writes nothing, so there is nothing to release";
        wrong.advice = "Load with memory_order_relaxed, memory_order_acquire or "
                       "memory_order_seq_cst.";
        report(checker, &wrong);
    }
    if (access_is_compare_exchange(access)) {
        check_failure(checker, access);
    }
    if (access->scope == OBSERVER_SCOPE_WORK_ITEM) {
        const struct wrong scope = {
            .rule = RULE_MEMORY_SCOPE,
            .detail = DETAIL_SCOPE,
            .site = access->site,
            .what = "an atomic operation",
            .has = words_scope(access->scope),
            .reason = "memory_scope_work_item is for atomic_work_item_fence with "
                      "CLK_IMAGE_MEM_FENCE only",
        };
        report(checker, &scope);
    }
    check_shared(checker, access);
}

void orders_report_private(struct kernel_checker *checker, const struct lane_access *access)
{
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = RULE_ATOMIC_PRIVATE, .site = access->site});
    if (finding == NULL) {
        return;
    }
    const struct work_item item = work_item_here(
        checker, checker->now.vector * OBSERVER_LANES + (uint32_t)__builtin_ctzll(access->mask));
    finding->message = words(checker, "%s applies an atomic operation to private memory",
                             words_item(checker, &item));
    finding->reason = "what it does there is undefined, also by a pointer to the generic address "
                      "space";
    finding->subject = words_object(checker, access->object);
    words_add_place(checker, finding, access->site, "an atomic operation");
}

static bool is_read_atomically(const struct site_access *site, uint32_t object_id)
{
    return site->object != NULL && site->object_id == object_id &&
           (site->kind == OBSERVER_ATOMIC_READ || site->kind == OBSERVER_ATOMIC_RMW);
}

/* The first site that reads the object atomically, if no site does so in a scope that holds the
 * host, and none as legacy functions do; SLOT_NONE if that is not so. */
enum { SLOT_NONE = UINT32_MAX };
static uint32_t find_near_read(const struct kernel_checker *checker, uint32_t object_id)
{
    uint32_t found = SLOT_NONE;
    for (size_t i = 0; checker->judges_races && i < checker->access_capacity; i++) {
        const struct site_access *site = &checker->accesses[i];
        if (!is_read_atomically(site, object_id)) {
            continue;
        }
        if (site->scope == OBSERVER_SCOPE_ALL_DEVICES ||
            access_is_legacy(site->kind, site->order, site->scope)) {
            return SLOT_NONE;
        }
        found = found == SLOT_NONE ? (uint32_t)i : found;
    }
    return found;
}

/* OpenCL API 3.0, 3.3.6.1: "the host operations will apply at all_svm_devices scope." */
void orders_check_host(struct kernel_checker *checker, const struct observer_standing *place)
{
    const bool shared = place->object != NULL && place->object->svm == OBSERVER_SVM_ATOMIC &&
                        checker->launch.opencl_c_version >= 200;
    const uint32_t slot = shared ? find_near_read(checker, place->object->id) : SLOT_NONE;
    struct finding *finding =
        slot != SLOT_NONE ? case_count(checker, &(struct case_key){.rule = RULE_RACE_ATOMIC_SCOPE,
                                                                   .site = order_slot_site(slot)})
                          : NULL;
    if (finding == NULL) {
        return;
    }
    const struct work_item item = work_item_here(checker, place->first_item);
    const char *scope = words_scope(checker->accesses[slot].scope);
    finding->message =
        words(checker,
              "%s waits for the host to change %s of %s, which it reads in a scope "
              "that does not hold the host",
              words_item(checker, &item), words_range(checker, place->offset, place->size),
              words_object(checker, place->object));
    finding->reason = words(checker,
                            "%s reaches no further than this device, and what the host does has "
                            "memory_scope_all_svm_devices",
                            scope);
    finding->advice = "Give the kernel's atomic operations on what it shares with the host "
                      "memory_scope_all_svm_devices.";
    words_add_place(checker, finding, order_slot_site(slot),
                    words(checker, "an atomic operation of %s", scope));
}

/* Only OpenCL C of that version is judged: what other languages write into SPIR-V is theirs to say.
 */
static bool has_fence_rules(const struct kernel_checker *checker)
{
    return checker->launch.opencl_c_version >= OPENCL_C_IMAGE_FENCE;
}

void orders_check_fence(struct kernel_checker *checker, uint32_t site, uint32_t flags,
                        enum observer_scope scope)
{
    if (!has_fence_rules(checker)) {
        return;
    }
    struct wrong wrong = {.rule = RULE_MEMORY_SCOPE, .site = site, .what = "a fence"};
    if (flags == 0) {
        wrong.detail = DETAIL_FLAGS;
        wrong.has = "the flags 0";
        wrong.reason = "it names no memory, so it orders none, and what it does is undefined";
        wrong.advice = "Name the memories of the flag and of the data: CLK_GLOBAL_MEM_FENCE, "
                       "CLK_LOCAL_MEM_FENCE, or both.";
        report(checker, &wrong);
    } else if (scope == OBSERVER_SCOPE_WORK_ITEM && flags != OBSERVER_FENCE_IMAGE) {
        wrong.detail = DETAIL_SCOPE;
        wrong.has = words(checker, "memory_scope_work_item with the flags %s", words_flags(flags));
        wrong.reason = "memory_scope_work_item can only be used with CLK_IMAGE_MEM_FENCE";
        report(checker, &wrong);
    }
}

static struct work_item item_of(const struct kernel_checker *checker, const struct order_side *side)
{
    return work_item_of(checker, side->group, side->vector * OBSERVER_LANES + side->lane);
}

void orders_report_narrow(struct kernel_checker *checker, const struct order_race *race)
{
    const struct order_narrow *narrow = race->narrow;
    const bool in_order = narrow->sites[0] <= narrow->sites[1];
    struct finding *finding =
        case_count(checker, &(struct case_key){.rule = RULE_FENCE_SCOPE_NARROW,
                                               .site = narrow->sites[!in_order],
                                               .other_site = narrow->sites[in_order]});
    if (finding == NULL) {
        return;
    }
    const struct work_item earlier = item_of(checker, &race->earlier);
    const struct work_item later = item_of(checker, &race->later);
    finding->message =
        words(checker,
              "%s and %s each store an atomic object and read the other's, with a seq_cst fence "
              "between that does not reach the other work-item",
              words_item(checker, &earlier), words_item(checker, &later));
    finding->reason =
        "there is one order of those seq_cst fences whose scopes include each other; without it "
        "both may read what was there before the other's store";
    finding->advice = words(checker, "Give the fences %s.", words_scope(race->distance));
    for (size_t i = 0; i < 2 && (i == 0 || narrow->sites[0] != narrow->sites[1]); i++) {
        words_add_place(checker, finding, narrow->sites[i],
                        words(checker, "a seq_cst fence of %s, by %s",
                              words_scope(narrow->scopes[i]),
                              words_item(checker, i == 0 ? &earlier : &later)));
    }
}

void orders_check_barrier(struct kernel_checker *checker, const struct observer_barrier *barrier)
{
    if (!has_fence_rules(checker) || barrier->execution != OBSERVER_SCOPE_WORK_GROUP ||
        (barrier->flags & OBSERVER_FENCE_IMAGE) == 0 ||
        barrier->memory == OBSERVER_SCOPE_WORK_GROUP) {
        return;
    }
    const struct wrong wrong = {
        .rule = RULE_MEMORY_SCOPE,
        .detail = DETAIL_SCOPE,
        .site = barrier->site,
        .what = "a barrier",
        .has = words(checker, "%s with the flags %s", words_scope(barrier->memory),
                     words_flags(barrier->flags)),
        .reason = "with CLK_IMAGE_MEM_FENCE the scope must be memory_scope_work_group",
        .advice = "Leave out the scope.",
    };
    report(checker, &wrong);
}
