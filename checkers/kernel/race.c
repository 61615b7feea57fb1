/* A race as a finding: who, on which bytes, why nothing orders them, what to do about it. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"
#include "trace/base/assert.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE_SIZE_MAX = 128 };

struct race_side {
    const struct site_access *access;
    uint32_t site;
    struct work_item item;
    bool copy; /* it is an asynchronous copy, and its item none */
    bool value_known;
    uint8_t value[VALUE_SIZE_MAX]; /* of the bytes that both access */
};

/* Everything that the sentences are made of. */
struct race_case {
    struct kernel_checker *checker;
    const struct order_race *race;
    const struct lane_access *access; /* the later one */
    struct race_side earlier, later;
    struct why why; /* what the later side has read did not order them */
};

static unsigned atomic_sides(const struct race_case *c)
{
    return (unsigned)access_is_atomic(c->earlier.access->kind) +
           (unsigned)access_is_atomic(c->later.access->kind);
}

/* ---- values ---- */

/* What `lane` writes to the raced bytes in the access being told. */
static bool value_of_lane(const struct race_case *c, uint32_t lane, uint8_t *bytes)
{
    const struct lane_access *access = c->access;
    const struct order_race *race = c->race;
    const uint64_t start = lane_offset(access, lane);
    if (access->value == NULL || race->offset < start ||
        race->offset - start > access->size - race->size) {
        return false;
    }
    const uint8_t *value = (const uint8_t *)access->value + lane * access->value_stride;
    memcpy(bytes, value + (race->offset - start), race->size);
    return true;
}

/* Did the earlier side write the raced bytes in the same access of the vector, a moment ago? */
static bool is_same_access(const struct race_case *c)
{
    const struct order_race *race = c->race;
    if (race->earlier.record != race->later.record || race->earlier.lane >= race->later.lane ||
        (c->access->mask >> race->earlier.lane & 1) == 0) {
        return false;
    }
    const uint64_t start = lane_offset(c->access, race->earlier.lane);
    return race->offset >= start && race->offset - start <= c->access->size - race->size;
}

static void find_values(struct race_case *c)
{
    const struct order_race *race = c->race;
    if (race->size > VALUE_SIZE_MAX || race->size > c->access->size) {
        return;
    }
    if (c->later.access->kind == OBSERVER_WRITE) {
        c->later.value_known = value_of_lane(c, race->later.lane, c->later.value);
    }
    if (c->earlier.access->kind != OBSERVER_WRITE || c->later.copy) {
        return;
    }
    if (is_same_access(c)) {
        c->earlier.value_known = value_of_lane(c, race->earlier.lane, c->earlier.value);
    } else if (c->checker->launch.peek != NULL && !access_is_compare_exchange(c->access)) {
        c->earlier.value_known =
            c->checker->launch.peek(c->access->object, race->offset, race->size, c->earlier.value);
    }
}

/* ---- places ---- */

/* The value that the bytes are in memory. */
static const char *value_words(const struct race_case *c, const uint8_t *bytes, bool is_floating)
{
    const uint32_t size = c->race->size;
    uint8_t value[8];
    ASSERT(size <= sizeof value);
    for (uint32_t i = 0; i < size; i++) {
        value[i] = bytes[c->checker->launch.big_endian ? size - 1 - i : i];
    }
    return words_value(c->checker, value, size, is_floating);
}

static const char *side_words(const struct race_case *c, const struct race_side *side)
{
    struct kernel_checker *checker = c->checker;
    const struct site_access *access = side->access;
    const char *what =
        words(checker, "%s of %s", words_kind(access->kind), words_bytes(checker, access->size));
    if (atomic_sides(c) == 2) {
        what = words(checker, "%s, %s,", what, words_scope(access->scope));
    } else if (side->value_known && c->race->size <= 8 && c->race->size == access->size) {
        what =
            words(checker, "%s, value %s,", what, value_words(c, side->value, access->is_floating));
    }
    if (side->copy) {
        return words(checker, "%s by the copy, which work-group %s started", what,
                     words_triple(checker, side->item.group));
    }
    return words_access(checker, what, &side->item);
}

/* ---- why ---- */

/* The latest barrier that both sides passed between the two, though its flags or its reach did not
 * order them; NULL if there is none. */
static const struct passed_barrier *barrier_between(const struct race_case *c)
{
    const struct passed_barrier *barrier = &c->checker->now.group_barrier;
    const struct passed_barrier *own = &c->checker->now.sub_group_barrier;
    if (c->race->distance == OBSERVER_SCOPE_SUB_GROUP && own->passed &&
        own->vector == c->race->later.vector && own->mask >> c->race->later.lane & 1 &&
        c->race->earlier.record < own->next_record &&
        (!barrier->passed || barrier->next_record < own->next_record)) {
        return own;
    }
    if (c->race->distance == OBSERVER_SCOPE_DEVICE || !barrier->passed ||
        c->race->earlier.record >= barrier->next_record) {
        return NULL;
    }
    return barrier;
}

static const struct passed_barrier *sub_group_barrier_between(const struct race_case *c)
{
    const struct passed_barrier *barrier = &c->checker->now.sub_group_barrier;
    if (c->race->distance != OBSERVER_SCOPE_WORK_GROUP || !barrier->passed ||
        c->race->earlier.record >= barrier->next_record) {
        return NULL;
    }
    return barrier;
}

static const char *memory_words(const struct race_case *c)
{
    const struct observer_object *object = c->access->object;
    return object->is_image ? "image" : words_region(object->region);
}

static const char *region_flag(const struct race_case *c)
{
    const uint32_t version = c->checker->launch.opencl_c_version;
    if (c->access->object->region == OBSERVER_LOCAL) {
        return "CLK_LOCAL_MEM_FENCE";
    }
    return c->access->object->is_image && (version == 0 || version >= OPENCL_C_IMAGE_FENCE)
               ? "CLK_IMAGE_MEM_FENCE"
               : "CLK_GLOBAL_MEM_FENCE";
}

/* The latest barrier, if it does not hand on to the others of its work-group what one of them may
 * have acquired from the earlier side's. */
static const struct passed_barrier *barrier_behind(const struct race_case *c)
{
    const struct passed_barrier *barrier = &c->checker->now.group_barrier;
    const bool keeps = c->race->distance == OBSERVER_SCOPE_DEVICE && c->why.reason == NULL &&
                       c->checker->launch.uses_acquire && barrier->passed && !c->later.copy &&
                       (barrier->regions >> c->race->floor & 1) == 0;
    return keeps ? barrier : NULL;
}

static const char *groups_unordered(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    const struct passed_barrier *barrier = barrier_behind(c);
    if (barrier == NULL) {
        return "they are in different work-groups, which no barrier orders";
    }
    return words(checker,
                 "they are in different work-groups; should a work-item have acquired this, "
                 "barrier(%s) at %s does not hand on to the others what it knows of %s memory",
                 words_flags(barrier->flags), words_line(checker, barrier->site), memory_words(c));
}

static const char *unordered_because(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    if (c->race->distance == OBSERVER_SCOPE_DEVICE) {
        return c->why.reason != NULL ? c->why.reason : groups_unordered(c);
    }
    if (c->later.copy && c->earlier.copy) {
        return "asynchronous copies run beside each other until wait_group_events, and nothing "
               "orders the two in this memory";
    }
    if (c->later.copy) {
        return "an asynchronous copy runs beside the work-items until wait_group_events, and does "
               "not wait for what they did since the last barrier before it";
    }
    const struct passed_barrier *barrier = barrier_between(c);
    if (barrier != NULL) {
        return words(
            checker, "the last barrier between them, %sbarrier(%s) at %s, does not order %s memory",
            barrier == &checker->now.sub_group_barrier ? "sub_group_" : "",
            words_flags(barrier->flags), words_line(checker, barrier->site), memory_words(c));
    }
    if (c->why.reason != NULL) {
        return c->why.reason;
    }
    if (sub_group_barrier_between(c) != NULL) {
        return "they are in different sub-groups, and a sub-group barrier orders one sub-group "
               "only";
    }
    const char *const group = words_triple(checker, checker->now.group);
    if (c->earlier.site == c->later.site) {
        return words(checker, "the work-items of work-group %s execute this in no particular order",
                     group);
    }
    if (c->race->distance == OBSERVER_SCOPE_SUB_GROUP) {
        return words(
            checker,
            "no barrier separates them within work-group %s, and the work-items of a sub-group do "
            "not run in lockstep by the specification",
            group);
    }
    return words(checker, "no barrier separates them within work-group %s", group);
}

/* A remark on the values; "" where there is none. */
static const char *values_remark(const struct race_case *c)
{
    if (!c->earlier.value_known || !c->later.value_known) {
        return "";
    }
    if (memcmp(c->earlier.value, c->later.value, c->race->size) != 0) {
        return "; which of the two values stays is left to chance";
    }
    if (c->race->size > 8) {
        return "; both write the same value, which is a data race all the same";
    }
    return words(
        c->checker, "; both write %s, which is a data race all the same",
        value_words(c, c->later.value,
                    c->later.access->is_floating && c->later.access->size == c->race->size));
}

static bool is_volatile(const struct race_case *c)
{
    return c->earlier.access->is_volatile || c->later.access->is_volatile;
}

static const char *race_reason(const struct race_case *c)
{
    const char *const why = unordered_because(c);
    if (atomic_sides(c) == 1) {
        return words(c->checker, "%s; that one of the two is atomic does not help, both must be",
                     why);
    }
    if (is_volatile(c)) {
        return words(c->checker, "%s; volatile makes no access atomic, and orders nothing", why);
    }
    return words(c->checker, "%s%s", why, values_remark(c));
}

/* ---- what to do ---- */

/* Do both accesses belong to one expression, as those of += do, so that nothing can stand between?
 */
static bool is_one_expression(const struct race_case *c)
{
    struct finding_place earlier;
    struct finding_place later;
    words_place(c->checker, c->earlier.site, NULL, &earlier);
    words_place(c->checker, c->later.site, NULL, &later);
    return earlier.file != NULL && later.file != NULL && strcmp(earlier.file, later.file) == 0 &&
           earlier.line == later.line && earlier.column == later.column;
}

static const char *race_advice(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    if (atomic_sides(c) == 1) {
        return c->race->distance == OBSERVER_SCOPE_DEVICE
                   ? "Make both accesses atomic, or do the plain one in a kernel of its own."
                   : words(checker, "Make both accesses atomic, or put barrier(%s) between them.",
                           region_flag(c));
    }
    if (c->why.reason != NULL && barrier_between(c) == NULL) {
        return c->why.advice;
    }
    const uint32_t version = checker->launch.opencl_c_version;
    if (is_volatile(c) && (version == 0 || version >= 200)) {
        return "Make both accesses atomic: store with atomic_store_explicit(..., "
               "memory_order_release, ...), and load with atomic_load_explicit(..., "
               "memory_order_acquire, ...), if the flag stands for other data.";
    }
    if (barrier_behind(c) != NULL) {
        return words(checker, "Add %s to the flags of the barrier at %s.", region_flag(c),
                     words_line(checker, barrier_behind(c)->site));
    }
    if (c->race->distance == OBSERVER_SCOPE_DEVICE) {
        return "Give each work-group bytes of its own, use atomics, or let a second kernel, "
               "enqueued after "
               "this one, do the later access.";
    }
    if (c->later.copy) {
        return c->earlier.copy
                   ? words(checker,
                           "Wait for the one copy before the other is started, or, where there is "
                           "cl_khr_async_work_group_copy_fence, put "
                           "async_work_group_copy_fence(%s) between the two.",
                           region_flag(c))
                   : words(checker,
                           "Put barrier(%s) between the access and the copy, or wait_group_events "
                           "between the copy and the access.",
                           region_flag(c));
    }
    const struct passed_barrier *barrier = barrier_between(c);
    if (barrier != NULL && barrier->flags == 0) {
        return words(checker, "Give the barrier at %s the flag %s.",
                     words_line(checker, barrier->site), region_flag(c));
    }
    if (barrier != NULL) {
        return words(checker, "Add %s to the flags of the barrier at %s.", region_flag(c),
                     words_line(checker, barrier->site));
    }
    const bool both_write =
        access_writes(c->earlier.access->kind) && access_writes(c->later.access->kind);
    if ((c->earlier.site == c->later.site && both_write) || is_one_expression(c)) {
        return "Let one work-item do it, give each an element of its own, or use an atomic.";
    }
    return words(
        checker,
        "Put barrier(%s) between the two accesses, where all work-items of the group pass.",
        region_flag(c));
}

/* ---- the finding ---- */

static enum rule_index race_rule(const struct site_access *earlier, const struct site_access *later,
                                 enum observer_region region)
{
    if (access_is_atomic(earlier->kind) && access_is_atomic(later->kind)) {
        /* Legacy atomic functions of OpenCL C 2.0 and later compile to just this, and are meant for
         * counters that all work-groups share; only the explicit form says that the scope was a
         * choice. */
        const bool legacy =
            earlier->kind == OBSERVER_ATOMIC_RMW && later->kind == OBSERVER_ATOMIC_RMW &&
            earlier->order == OBSERVER_ORDER_RELAXED && later->order == OBSERVER_ORDER_RELAXED &&
            earlier->scope == OBSERVER_SCOPE_WORK_GROUP &&
            later->scope == OBSERVER_SCOPE_WORK_GROUP;
        return legacy ? RULE_ATOMIC_SCOPE_UNCLEAR : RULE_RACE_ATOMIC_SCOPE;
    }
    return region == OBSERVER_LOCAL ? RULE_RACE_LOCAL : RULE_RACE_GLOBAL;
}

static const char *unit_words(struct kernel_checker *checker, const struct race_side *side)
{
    return side->copy ? words(checker, "an asynchronous copy of work-group %s",
                              words_triple(checker, side->item.group))
                      : words_item(checker, &side->item);
}

static const char *both_items(const struct race_case *c)
{
    struct kernel_checker *checker = c->checker;
    if (c->earlier.copy || c->later.copy || c->race->distance == OBSERVER_SCOPE_DEVICE) {
        return words(checker, "%s and %s", unit_words(checker, &c->earlier),
                     unit_words(checker, &c->later));
    }
    return words(checker, "work-items %s and %s of work-group %s",
                 words_triple(checker, c->earlier.item.local),
                 words_triple(checker, c->later.item.local),
                 words_triple(checker, checker->now.group));
}

static void scope_finding(const struct race_case *c, struct finding *finding, const char *where)
{
    struct kernel_checker *checker = c->checker;
    const enum observer_scope a = c->earlier.access->scope;
    const enum observer_scope b = c->later.access->scope;
    finding->message =
        words(checker, "%s access %s atomically, in scopes that do not include each other",
              both_items(c), where);
    if (a == b || checker->launch.wide_scopes) {
        const enum observer_scope narrower = a < b ? a : b;
        finding->reason =
            words(checker, "%s reaches no further than %s, and these work-items are further apart",
                  words_scope(narrower),
                  narrower == OBSERVER_SCOPE_WORK_GROUP  ? "one work-group"
                  : narrower == OBSERVER_SCOPE_SUB_GROUP ? "one sub-group"
                                                         : "one work-item");
        return;
    }
    const bool wide_enough = a >= c->race->distance && b >= c->race->distance;
    finding->reason =
        words(checker,
              "the scopes %s and %s differ, and up to OpenCL 3.0 only equal scopes are inclusive%s",
              words_scope(a), words_scope(b),
              wide_enough ? " (under OpenCL 3.1 these two would be)" : "");
}

static void sizes_finding(const struct race_case *c, struct finding *finding, const char *where)
{
    struct kernel_checker *checker = c->checker;
    finding->message = words(checker, "%s access %s by atomic operations of different sizes",
                             both_items(c), where);
    finding->reason = words(checker,
                            "that each is indivisible for the other is said of operations on one "
                            "atomic object, and one has %" PRIu32 " bytes, the other %" PRIu32,
                            c->earlier.access->size, c->later.access->size);
}

static void write_finding(struct race_case *c, struct finding *finding)
{
    struct kernel_checker *checker = c->checker;
    const struct observer_object *object = c->access->object;
    const struct order_race *race = c->race;
    c->why = why_unordered(checker, race,
                           object->region == OBSERVER_LOCAL ? ORDER_LOCAL
                           : object->is_image               ? ORDER_TEXELS
                                                            : ORDER_GLOBAL);
    find_values(c);
    const char *const where =
        words(checker, "%s of %s memory '%s' (%s)", words_bytes(checker, race->size),
              words_region(object->region), words_name(checker, object),
              words_range(checker, race->offset, race->size));
    if (finding->rule == RULE_RACE_GLOBAL || finding->rule == RULE_RACE_LOCAL) {
        finding->message = words(checker, "%s race on %s", both_items(c), where);
        finding->reason = race_reason(c);
        finding->advice = race_advice(c);
    } else if (finding->rule == RULE_ATOMIC_SIZES) {
        sizes_finding(c, finding, where);
    } else {
        scope_finding(c, finding, where);
    }
    finding->subject =
        race->size == 1
            ? words(checker, "%s, byte %" PRIu64, words_object(checker, object), race->offset)
            : words(checker, "%s, bytes %" PRIu64 " to %" PRIu64, words_object(checker, object),
                    race->offset, race->offset + race->size - 1);
    words_add_place(checker, finding, c->later.site, side_words(c, &c->later));
    words_add_place(checker, finding, c->earlier.site, side_words(c, &c->earlier));
}

static struct race_side side_of(const struct kernel_checker *checker, const struct order_side *side)
{
    const bool copy = side->vector == ORDER_COPY_VECTOR;
    const uint32_t item = copy ? 0 : side->vector * OBSERVER_LANES + side->lane;
    return (struct race_side){
        .access = &checker->accesses[side->slot],
        .site = order_slot_site(side->slot),
        .item = work_item_of(checker, side->group, item), /* of a copy only the group counts */
        .copy = copy,
    };
}

static void describe_race(struct kernel_checker *checker, const struct lane_access *access,
                          const struct order_race *race, struct finding *finding)
{
    struct race_case c = {
        .checker = checker,
        .race = race,
        .access = access,
        .earlier = side_of(checker, &race->earlier),
        .later = side_of(checker, &race->later),
    };
    write_finding(&c, finding);
}

/* Where in its object the race is. A case may be seen in several objects; its finding names the
 * first. */
static void count_heat(struct kernel_case *found, const struct observer_object *object,
                       uint64_t offset)
{
    struct finding_heat *heat = &found->finding.heat;
    if (found->finding.count == 1) {
        found->object_id = object->id;
        heat->size = object->size;
    }
    if (found->object_id == object->id && offset < heat->size) {
        heat->parts[offset / finding_heat_part_size(heat)]++;
    }
}

/* Comes once for each race, of which a launch may have many millions: all but the first of a case
 * are counted, each with its place, and nothing else. */
void race_report(void *user, const struct lane_access *access, const struct order_race *race)
{
    struct kernel_checker *checker = user;
    const uint32_t earlier_site = order_slot_site(race->earlier.slot);
    const uint32_t later_site = order_slot_site(race->later.slot);
    const bool in_order = earlier_site <= later_site;
    const struct case_key key = {
        .rule = race->sizes_differ
                    ? RULE_ATOMIC_SIZES
                    : race_rule(&checker->accesses[race->earlier.slot],
                                &checker->accesses[race->later.slot], access->object->region),
        .site = in_order ? earlier_site : later_site,
        .other_site = in_order ? later_site : earlier_site,
    };
    struct kernel_case *found = case_counted(checker, &key);
    if (found == NULL) {
        return;
    }
    count_heat(found, access->object, race->offset);
    if (found->finding.count == 1) {
        describe_race(checker, access, race, &found->finding);
    }
}
