/* What to do about a race: the cure that is right most often, by who the two sides are and by what
 * the language version has. Whoever applies it by the letter has a right program, which
 * tests/kernels/advice holds us to. */
#include "checkers/kernel/race_case.h"

#include <inttypes.h>
#include <string.h>

static bool is_across_groups(const struct race_case *c)
{
    return c->race->distance == OBSERVER_SCOPE_DEVICE;
}

/* The flag of a barrier that orders the memory raced for. */
static const char *barrier_flag(const struct race_case *c)
{
    const uint32_t version = c->checker->launch.opencl_c_version;
    if (c->access->object->region == OBSERVER_LOCAL) {
        return "CLK_LOCAL_MEM_FENCE";
    }
    return c->access->object->is_image && (version == 0 || version >= OPENCL_C_IMAGE_FENCE)
               ? "CLK_IMAGE_MEM_FENCE"
               : "CLK_GLOBAL_MEM_FENCE";
}

static bool both_write(const struct race_case *c)
{
    return access_writes(c->earlier.access->kind) && access_writes(c->later.access->kind);
}

static bool is_one_line(const struct race_case *c, bool *one_column)
{
    struct finding_place earlier;
    struct finding_place later;
    words_place(c->checker, c->earlier.site, NULL, &earlier);
    words_place(c->checker, c->later.site, NULL, &later);
    *one_column = earlier.column == later.column;
    return earlier.file != NULL && later.file != NULL && strcmp(earlier.file, later.file) == 0 &&
           earlier.line == later.line;
}

/* Do the work-items that come here together mean the same bytes? */
static bool is_one_place(const struct race_case *c)
{
    const uint64_t mask = c->access->mask;
    bool same = (mask & (mask - 1)) != 0 && !c->later.copy;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
        same &= lane_offset(c->access, (unsigned)__builtin_ctzll(rest)) ==
                lane_offset(c->access, (unsigned)__builtin_ctzll(mask));
    }
    return same;
}

/* `x += y`, or `x = x + y` of one x. */
static bool is_update(const struct race_case *c)
{
    bool one_column;
    return is_one_line(c, &one_column) && (one_column || (!both_write(c) && is_one_place(c)));
}

/* "atomic_add", as the language version has it: from OpenCL C 2.0 on the functions with that name
 * are for one work-group. */
static const char *atomic_function(const struct race_case *c, const char *before, const char *since)
{
    if (!kernel_has_orders(c->checker)) {
        return before;
    }
    const enum observer_scope scope = c->access->object->region == OBSERVER_LOCAL
                                          ? OBSERVER_SCOPE_WORK_GROUP
                                          : OBSERVER_SCOPE_DEVICE;
    return words(c->checker, "%s(..., memory_order_relaxed, %s) of an atomic_int", since,
                 words_scope(scope));
}

/* Several work-items do it to the same bytes. */
static const char *advice_to_update(const struct race_case *c)
{
    return c->later.access->is_floating
               ? "Add up within each work-group, in local memory, and let one work-item, or a "
                 "second kernel, add up what they come to."
               : words(c->checker, "Do it by an atomic function, such as %s.",
                       atomic_function(c, "atomic_add", "atomic_fetch_add_explicit"));
}

/* ---- waiting in a loop ---- */

/* A flag, or what a flag or a lock is to keep apart, in a kernel with loops that wait. */
static const char *advice_to_wait(const struct race_case *c)
{
    if (!is_across_groups(c)) {
        return words(c->checker,
                     "Let all work-items of the group pass barrier(%s) where one waits for another "
                     "in a loop now, and update what they share by atomic functions, not under a "
                     "lock.",
                     barrier_flag(c));
    }
    if (!kernel_has_orders(c->checker)) {
        return words(c->checker, "%s OpenCL C before 2.0 orders no memory between work-groups.",
                     !is_update(c)
                         ? "Let a second kernel, enqueued after this one, do what follows the wait."
                     : c->later.access->is_floating
                         ? advice_to_update(c)
                         : "Do it by an atomic function, such as atomic_add, and not under a "
                           "lock.");
    }
    return "Let the loop that waits read with memory_order_acquire, and what it waits for be "
           "written with memory_order_release, both of an atomic object and in "
           "memory_scope_device. Where that is so, the loop lets one go on before the other is "
           "done.";
}

/* One that is volatile, and so may be meant to tell of other data. */
static const char *advice_of_flag(const struct race_case *c)
{
    if (c->checker->launch.waits) {
        return advice_to_wait(c);
    }
    return words(c->checker,
                 "Make both accesses atomic: atomic_store_explicit(..., memory_order_release, %s) "
                 "and atomic_load_explicit(..., memory_order_acquire, %s).",
                 words_scope(c->race->distance), words_scope(c->race->distance));
}

/* ---- one atomic side ---- */

static const char *advice_of_mixed(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    const struct race_side *plain =
        access_is_atomic(c->earlier.access->kind) ? &c->later : &c->earlier;
    const bool writes = access_writes(plain->access->kind);
    if (checker->launch.waits) {
        return advice_to_wait(c);
    }
    if (is_across_groups(c)) {
        return writes ? "Write it before this kernel runs, with clEnqueueFillBuffer or in a kernel "
                        "of its own; or, if it is an update as the other is, by an atomic "
                        "function."
                      : "Read it in a second kernel, enqueued after this one; or, if an interim "
                        "value will do or this is an update, by an atomic function.";
    }
    return words(checker,
                 "Put barrier(%s) between the two; or do the plain one by an atomic function, too, "
                 "if %s.",
                 barrier_flag(c),
                 writes ? "it is an update" : "an interim value will do or it is an update");
}

/* ---- one place ---- */

/* "get_global_id(0) == 0 && get_global_id(1) == 0" */
static const char *first_item(const struct race_case *c)
{
    const char *const kind = is_across_groups(c) ? "global" : "local";
    const char *test = words(c->checker, "get_%s_id(0) == 0", kind);
    for (uint32_t i = 1; i < c->checker->launch.dimensions; i++) {
        test = words(c->checker, "%s && get_%s_id(%" PRIu32 ") == 0", test, kind, i);
    }
    return test;
}

static bool same_values(const struct race_case *c)
{
    return c->earlier.value_known && c->later.value_known &&
           memcmp(c->earlier.value, c->later.value, c->race->size) == 0;
}

/* As atomic functions have it. */
static bool is_word(const struct race_case *c)
{
    return c->earlier.access->size == sizeof(uint32_t) && c->later.access->size == sizeof(uint32_t);
}

static const char *advice_to_write_once(const struct race_case *c)
{
    if (c->access->object->is_image) {
        return words(c->checker,
                     "Give each work-item a texel of its own, or let one of them write (if (%s)).",
                     first_item(c));
    }
    if (same_values(c) && (c->access->object->region == OBSERVER_LOCAL || !is_word(c))) {
        return words(c->checker,
                     "Let one of them write it (if (%s)); or, where only some come here, to tell "
                     "of something, %slet each write by %s.",
                     first_item(c), is_word(c) ? "" : "make it an int, and ",
                     atomic_function(c, "atomic_xchg", "atomic_store_explicit"));
    }
    if (same_values(c)) {
        return words(c->checker,
                     "Let each write it by %s; or, where all work-items come here, let one of "
                     "them do so (if (%s)).",
                     atomic_function(c, "atomic_xchg", "atomic_store_explicit"), first_item(c));
    }
    return words(c->checker,
                 "Give each work-item an element of its own, let one write (if (%s)), or "
                 "combine the values by an atomic function, such as %s.",
                 first_item(c), atomic_function(c, "atomic_max", "atomic_fetch_max_explicit"));
}

/* ---- different places ---- */

static const char *advice_across_groups(const struct race_case *c)
{
    const bool reads_first = c->earlier.site < c->later.site
                                 ? !access_writes(c->earlier.access->kind)
                                 : !access_writes(c->later.access->kind);
    if (both_write(c)) {
        return "Give each work-group bytes of its own, or let a second kernel, enqueued after this "
               "one, write the later of the two: no barrier orders work-groups.";
    }
    if (reads_first && is_one_place(c)) {
        return words(c->checker,
                     "If each work-item tests it and then writes it, do both at once by an atomic "
                     "function, such as %s; if one writes what all read, write to another buffer.",
                     atomic_function(c, "atomic_max", "atomic_fetch_max_explicit"));
    }
    return reads_first
               ? "Write the results to another buffer than the one that is read: no barrier orders "
                 "work-groups."
               : "Let a second kernel, enqueued after this one, read what this one writes: no "
                 "barrier orders work-groups.";
}

/* One line reads and writes, and a work-item wrote what another one had read. */
static bool reads_before_write(const struct race_case *c)
{
    bool one_column;
    return is_one_line(c, &one_column) && !access_writes(c->earlier.access->kind);
}

static const char *advice_within_group(const struct race_case *c)
{
    return words(c->checker,
                 reads_before_write(c)
                     ? "Read into a variable first, and put barrier(%s) between that and the "
                       "write, where all work-items of the group pass."
                     : "Put barrier(%s) between the two accesses, where all work-items of the "
                       "group pass.",
                 barrier_flag(c));
}

static const char *advice_for_copy(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    return c->earlier.copy
               ? words(checker,
                       "Wait for the one copy before the other is started, or, where there is "
                       "cl_khr_async_work_group_copy_fence, put "
                       "async_work_group_copy_fence(%s) between the two.",
                       barrier_flag(c))
           : c->earlier.site < c->later.site
               ? words(checker,
                       "Put barrier(%s) between the access and the copy; in a loop, also "
                       "wait_group_events between the copy and the next access.",
                       barrier_flag(c))
               : words(checker,
                       "Put wait_group_events between the copy and the access; in a loop, also "
                       "barrier(%s) between the access and the next copy.",
                       barrier_flag(c));
}

static const char *advice_for_barrier(const struct race_case *c,
                                      const struct passed_barrier *barrier)
{
    struct kernel_checker *checker = c->checker;
    const char *const flag = barrier_flag(c);
    if (barrier->flags == 0) {
        return words(checker, "Give the barrier at %s the flag %s.",
                     words_line(checker, barrier->site), flag);
    }
    const char *const now = words_flags(barrier->flags);
    return words(
        checker, "Add %s to the flags of the barrier at %s", flag,
        words_changed_line(checker, barrier->site, now, words(checker, "%s | %s", now, flag)));
}

const char *race_advice(const struct race_case *c)
{
    const struct passed_barrier *barrier = race_barrier_between(c);
    if (race_atomic_sides(c) == 1) {
        return advice_of_mixed(c);
    }
    if (c->why.reason != NULL && barrier == NULL) {
        return c->why.advice;
    }
    if (race_is_volatile(c) && (kernel_has_orders(c->checker) || c->checker->launch.waits)) {
        return advice_of_flag(c);
    }
    if (race_barrier_behind(c) != NULL) {
        return advice_for_barrier(c, race_barrier_behind(c));
    }
    if (c->later.copy && !is_across_groups(c)) {
        return advice_for_copy(c);
    }
    if (barrier != NULL) {
        return advice_for_barrier(c, barrier);
    }
    if (c->checker->launch.waits && is_across_groups(c)) {
        return advice_to_wait(c);
    }
    if (c->earlier.site == c->later.site && both_write(c) && !c->later.copy) {
        return advice_to_write_once(c);
    }
    if (is_update(c)) {
        return advice_to_update(c);
    }
    if (is_across_groups(c)) {
        return advice_across_groups(c);
    }
    return advice_within_group(c);
}
