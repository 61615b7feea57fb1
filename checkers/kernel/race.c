/* A race as a finding: who, on which bytes, why nothing orders them, what to do about it. */
#include "checkers/kernel/race_case.h"
#include "trace/base/assert.h"

#include <inttypes.h>
#include <string.h>

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
    if (race_atomic_sides(c) == 2) {
        what = words(checker, "%s, %s,", what, words_scope(access->scope));
    } else if (side->value_known && c->race->size <= 8 && c->race->size == access->size) {
        what =
            words(checker, "%s, value %s,", what, value_words(c, side->value, access->is_floating));
    }
    if (side->copy) {
        return words(checker, "%s by the copy, which work-group %s started", what,
                     words_id(checker, side->item.group));
    }
    return words_access(checker, what, &side->item);
}

/* ---- why ---- */

/* The latest barrier that both sides passed between the two, though its flags or its reach did not
 * order them; NULL if there is none. */
const struct passed_barrier *race_barrier_between(const struct race_case *c)
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

/* The latest barrier, if it does not hand on to the others of its work-group what one of them may
 * have acquired from the earlier side's. */
const struct passed_barrier *race_barrier_behind(const struct race_case *c)
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
    const struct passed_barrier *barrier = race_barrier_behind(c);
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
    const struct passed_barrier *barrier = race_barrier_between(c);
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
    const char *const group = words_id(checker, checker->now.group);
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

static const char *race_reason(const struct race_case *c)
{
    const char *const why = unordered_because(c);
    if (race_atomic_sides(c) == 1) {
        return words(c->checker, "%s; that one of the two is atomic does not help, both must be",
                     why);
    }
    if (race_is_volatile(c)) {
        return words(c->checker, "%s; volatile makes no access atomic, and orders nothing", why);
    }
    return words(c->checker, "%s%s", why, values_remark(c));
}

/* ---- the finding ---- */

static enum rule_index race_rule(const struct site_access *earlier, const struct site_access *later,
                                 enum observer_region region)
{
    if (access_is_atomic(earlier->kind) && access_is_atomic(later->kind)) {
        const bool legacy = access_is_legacy(earlier->kind, earlier->order, earlier->scope) &&
                            access_is_legacy(later->kind, later->order, later->scope);
        return legacy ? RULE_ATOMIC_SCOPE_UNCLEAR : RULE_RACE_ATOMIC_SCOPE;
    }
    return region == OBSERVER_LOCAL ? RULE_RACE_LOCAL : RULE_RACE_GLOBAL;
}

static const char *unit_words(struct kernel_checker *checker, const struct race_side *side)
{
    return side->copy ? words(checker, "an asynchronous copy of work-group %s",
                              words_id(checker, side->item.group))
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
                 words_id(checker, c->earlier.item.local), words_id(checker, c->later.item.local),
                 words_id(checker, checker->now.group));
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
    finding->reason =
        words(checker,
              "operations are atomic towards each other only on the same atomic object, "
              "and one has %" PRIu32 " bytes, the other %" PRIu32,
              c->earlier.access->size, c->later.access->size);
}

/* What would be a race without a read on which nothing depends. */
static void unused_finding(const struct race_case *c, struct finding *finding, const char *where)
{
    finding->message = words(
        c->checker, "%s access %s, and only a read on whose value nothing depends orders them",
        both_items(c), where);
    finding->reason = predicted_reason(c->checker, order_race_message(c->checker->order, c->race));
}

static enum order_region region_of(const struct observer_object *object)
{
    return object->region == OBSERVER_LOCAL ? ORDER_LOCAL
           : object->is_image               ? ORDER_TEXELS
                                            : ORDER_GLOBAL;
}

static void put_advice(const struct race_case *c, struct finding *finding)
{
    finding->advice = race_advice(c);
    memset(finding->changes, 0, sizeof finding->changes);
    if (finding->advice == c->why.advice && finding->advice != NULL) {
        memcpy(finding->changes, c->why.changes, sizeof finding->changes);
    }
}

static void write_finding(struct race_case *c, struct finding *finding)
{
    struct kernel_checker *checker = c->checker;
    const struct observer_object *object = c->access->object;
    const struct order_race *race = c->race;
    c->why = why_unordered(checker, race, region_of(object));
    find_values(c);
    const char *const where =
        words(checker, "%s of %s memory '%s' (%s)", words_bytes(checker, race->size),
              words_region(object->region), words_name(checker, object),
              words_range(checker, race->offset, race->size));
    if (finding->rule == RULE_RACE_GLOBAL || finding->rule == RULE_RACE_LOCAL) {
        finding->message = words(checker, "%s race on %s", both_items(c), where);
        finding->reason = race_reason(c);
        put_advice(c, finding);
        predicted_add_read(c, finding);
    } else if (finding->rule == RULE_ACQUIRE_UNUSED) {
        unused_finding(c, finding, where);
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

static struct race_case case_of(struct kernel_checker *checker, const struct lane_access *access,
                                const struct order_race *race)
{
    return (struct race_case){
        .checker = checker,
        .race = race,
        .access = access,
        .earlier = side_of(checker, &race->earlier),
        .later = side_of(checker, &race->later),
    };
}

/* The first of a case is told; but what mends it within a work-group does not mend the same race
 * between two. Where a flag orders nothing the advice stays with the flag of the reason. */
static void describe_race(const struct race_case *c, struct kernel_case *found)
{
    const bool is_across = c->race->distance == OBSERVER_SCOPE_DEVICE;
    if (found->finding.count == 1) {
        struct race_case first = *c;
        write_finding(&first, &found->finding);
        found->why = first.why;
    } else if (is_across && !found->across_groups && found->finding.advice != NULL) {
        struct race_case farther = *c;
        farther.why = why_unordered(c->checker, c->race, region_of(c->access->object));
        find_values(&farther);
        if (farther.why.store_slot == found->why.store_slot &&
            farther.why.load_slot == found->why.load_slot)
            put_advice(&farther, &found->finding);
    }
    found->across_groups |= is_across;
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
    if (race->narrow != NULL) {
        orders_report_narrow(checker, race);
        return;
    }
    const uint32_t earlier_site = order_slot_site(race->earlier.slot);
    const uint32_t later_site = order_slot_site(race->later.slot);
    const bool in_order = earlier_site <= later_site;
    const enum rule_index rule =
        race->sizes_differ
            ? RULE_ATOMIC_SIZES
            : race_rule(&checker->accesses[race->earlier.slot],
                        &checker->accesses[race->later.slot], access->object->region);
    if (checker->answered && rule == RULE_RACE_GLOBAL) {
        return;
    }
    const struct order_message *const message =
        checker->predicted != NULL ? predicted_message(checker, race, rule) : NULL;
    if (checker->predicted != NULL && message == NULL) {
        return;
    }
    const struct case_key key = {
        .rule = message != NULL ? RULE_ACQUIRE_UNUSED : rule,
        .site = in_order ? earlier_site : later_site,
        .other_site = in_order ? later_site : earlier_site,
    };
    struct kernel_case *found = case_counted(checker, &key);
    if (found == NULL) {
        return;
    }
    count_heat(found, access->object, race->offset);
    if (found->finding.count == 1 && message != NULL) {
        found->prediction = predicted_of(checker, race, message);
    }
    if (found->finding.count == 1 ||
        (race->distance == OBSERVER_SCOPE_DEVICE && !found->across_groups)) {
        const struct race_case c = case_of(checker, access, race);
        describe_race(&c, found);
    }
}
