#include "checkers/order/sync.h"

#include "checkers/order/engine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

static uint32_t strand_index(const struct order *order, uint32_t lane)
{
    return order->now->vector * ORDER_LANES + lane;
}

static struct sync_strand *strand_at(struct order *order, uint32_t index)
{
    ASSERT(index < order->now->known.strand_count);
    return &order->now->known.strands[index];
}

/* ---- how things meet ---- */

/* The regions in which a release and an acquire order, that meet in an atomic object of `region`
 * and include each other; fences' regions, 0 for atomic operations. OpenCL API 3.0, Fence
 * Operations: two fences with both CLK_GLOBAL_MEM_FENCE and CLK_LOCAL_MEM_FENCE order both
 * memories. A fence with CLK_IMAGE_MEM_FENCE is one of its own for texels, which meets in global
 * objects. seq_cst operations that synchronise in one memory do in the other, unless the launch
 * has it otherwise. */
static unsigned joined_regions(const struct order *order, enum order_region region,
                               unsigned release_fence, unsigned acquire_fence, bool sequential)
{
    const unsigned here = 1U << region;
    const unsigned both = 1U << ORDER_GLOBAL | 1U << ORDER_LOCAL;
    const bool fences = release_fence != 0 && acquire_fence != 0;
    unsigned joined = 0;
    if ((release_fence == 0 || (release_fence & here) != 0) &&
        (acquire_fence == 0 || (acquire_fence & here) != 0)) {
        joined = here;
    }
    if (joined != 0 && fences) {
        joined |= release_fence & acquire_fence & both;
    }
    if (region == ORDER_GLOBAL && fences) {
        joined |= release_fence & acquire_fence & 1U << ORDER_TEXELS;
    }
    return (joined & here) != 0 && sequential && !order->seq_cst_alone ? joined | both : joined;
}

static enum observer_scope narrower(enum observer_scope a, enum observer_scope b)
{
    return a < b ? a : b;
}

/* Is this the copy of the release that an acquire of the scope would take? Equal scopes know one
 * copy; of scopes that need only be wide enough the narrower decides. */
static bool includes(const struct order *order, const struct release *release,
                     enum observer_scope scope)
{
    if (!order->wide_scopes) {
        return release->key.scope == scope;
    }
    const enum observer_scope both = narrower((enum observer_scope)release->key.scope, scope);
    return release->key.level == narrower(both, OBSERVER_SCOPE_DEVICE);
}

/* Is the strand within the unit that can read the release? */
static bool reaches(const struct order *order, const struct release *release, uint32_t lane)
{
    switch (release->key.level) {
    case OBSERVER_SCOPE_DEVICE:
        return true;
    case OBSERVER_SCOPE_WORK_GROUP:
        return release->group == order->now->id;
    default:
        return release->group == order->now->id &&
               release->sub_group == sub_group_index(order, order->now->vector, lane);
    }
}

static void take(struct order *order, struct region_clocks *clocks, const struct release *release,
                 unsigned regions)
{
    const bool knows_local = order->sync.releases.overlap || release->group == order->now->id;
    region_clocks_join(&order->sync.clocks, clocks, &release->clocks,
                       knows_local ? regions : regions & ~(1U << ORDER_LOCAL));
}

struct sync_strand *sync_strand_of(const struct order *order, uint32_t lane)
{
    return &order->now->known.strands[strand_index(order, lane)];
}

void sync_count(struct order *order, uint32_t lane)
{
    strand_at(order, strand_index(order, lane))->operation_count++;
}

/* ---- releasing ---- */

/* With what the copies knew of sub-groups that have been waited for. */
static uint32_t add_waited(struct order *order, uint32_t clock, enum order_region region)
{
    const uint32_t width = 1U << order->sub_group_shift;
    const uint64_t first = width == ORDER_LANES ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
    for (size_t i = 0; i < order->now->sub_group_count; i++) {
        const uint32_t floor = pictured_floor(order, order->now->waited_floors, region, i);
        const uint32_t lane = (uint32_t)(i * width % ORDER_LANES);
        if (floor > order->now->group_first) {
            clock = clocks_add(&order->sync.clocks, clock, order->now->id,
                               (uint32_t)(i * width / ORDER_LANES), first << lane, floor);
        }
    }
    return clock;
}

/* All that happens before what the strand does next: its clocks and the floors that hold for it. */
static struct region_clocks picture(struct order *order, uint32_t index)
{
    struct clocks *clocks = &order->sync.clocks;
    const uint32_t vector = index / ORDER_LANES;
    const uint32_t lane = index % ORDER_LANES;
    const uint32_t width = 1U << order->sub_group_shift;
    const uint64_t sub_group = (width == ORDER_LANES ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1)
                               << (lane & ~(width - 1));
    struct region_clocks made = strand_at(order, index)->clocks;
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        uint32_t *clock = &made.of[region];
        if (!order->now->region_used[region]) {
            continue;
        }
        if (order->now->barrier_floor[region] > order->now->group_first) {
            *clock = clocks_add(clocks, *clock, order->now->id, CLOCK_GROUP_VECTOR, ~UINT64_C(0),
                                order->now->barrier_floor[region]);
        }
        const uint32_t sub_floor =
            order->now->sub_floor_used
                ? order->now->sub_floor[region][sub_group_index(order, vector, lane)]
                : 0;
        if (sub_floor > order->now->group_first) {
            *clock = clocks_add(clocks, *clock, order->now->id, vector, sub_group, sub_floor);
        }
        if (order->now->copies_used) {
            *clock = clocks_add(clocks, *clock, order->now->id, ORDER_COPY_VECTOR, ~UINT64_C(0),
                                order->records.next);
        }
        if (order->now->waited_floors != 0) {
            *clock = add_waited(order, *clock, (enum order_region)region);
        }
        *clock = clocks_add(clocks, *clock, order->now->id, vector, UINT64_C(1) << lane,
                            order->records.next);
    }
    return made;
}

/* More of them are not kept: who asks for one asks for what a work-item did early. */
enum { RELEASED_MAX = 1 << 16 };

static void note_released(struct order *order, uint32_t index, uint32_t operation)
{
    struct sync *sync = &order->sync;
    if (!order->inert_apart || sync->released_count == RELEASED_MAX) {
        return;
    }
    struct sync_released *grown =
        alloc_grow(sync->released, sync->released_count, &sync->released_capacity, sizeof *grown);
    if (grown == NULL) {
        return;
    }
    sync->released = grown;
    grown[sync->released_count++] = (struct sync_released){.group = order->now->id,
                                                           .vector = index / ORDER_LANES,
                                                           .lane = index % ORDER_LANES,
                                                           .record = order->records.next,
                                                           .operation = operation};
}

/* Hands a release to a word, for each unit that could acquire it. */
static void publish(struct order *order, struct sync_word *word, struct release release)
{
    const unsigned scope = narrower((enum observer_scope)release.key.scope, OBSERVER_SCOPE_DEVICE);
    const uint32_t sub_group = release.sub_group;
    const unsigned narrowest =
        order->wide_scopes || scope < OBSERVER_SCOPE_SUB_GROUP ? OBSERVER_SCOPE_SUB_GROUP : scope;
    for (unsigned level = narrowest; level <= scope; level++) {
        release.key.level = (uint8_t)level;
        release.sub_group = level == OBSERVER_SCOPE_SUB_GROUP ? sub_group : 0;
        releases_add(&order->sync.releases, &order->sync.clocks, &word->releases, &release);
    }
}

/* The strand's release as its place in the group has it: the sub-group counts on its own level. */
static struct release release_of(const struct order *order, uint32_t index,
                                 const struct region_clocks *clocks)
{
    return (struct release){
        .group = order->now->id,
        .sub_group = (uint32_t)sub_group_index(order, index / ORDER_LANES, index % ORDER_LANES),
        .clocks = *clocks,
    };
}

/* Those of a plain store are published with the others of the strand's own. */
static void publish_new(struct order *order, const struct sync_access *access,
                        struct sync_word *word, struct sync_own *own, const struct release *release)
{
    /* Fences of different scopes may be one to local memory. */
    if (release->key.fence != 0) {
        releases_add(&order->sync.releases, &order->sync.clocks, &own->releases, release);
    } else {
        releases_renew(&order->sync.releases, &own->releases, release);
    }
    if (access->updates) {
        publish(order, word, *release);
    }
}

/* The store's release and those of the strand's fences before it; released is NULL if the store
 * does not. */
static void publish_all(struct order *order, const struct sync_access *access,
                        struct sync_word *word, struct sync_own *own,
                        const struct region_clocks *released)
{
    struct sync *sync = &order->sync;
    const uint32_t strand = strand_index(order, access->lane);
    if (released != NULL) {
        struct release release = release_of(order, strand, released);
        release.key = (struct release_key){
            .scope = (uint8_t)access->scope,
            .sequential = access->order == OBSERVER_ORDER_SEQ_CST,
        };
        publish_new(order, access, word, own, &release);
    }
    for (uint32_t at = strand_at(order, strand)->fences; at != 0;
         at = release_get(&sync->releases, at)->next) {
        struct release release = *release_get(&sync->releases, at);
        release.key.scope = (uint8_t)narrower((enum observer_scope)release.key.scope,
                                              order_object_widest(access->object));
        publish_new(order, access, word, own, &release);
    }
    for (uint32_t at = own->releases; !access->updates && at != 0;
         at = release_get(&sync->releases, at)->next) {
        publish(order, word, *release_get(&sync->releases, at));
    }
}

static bool has_others(const struct order *order, const struct sync_word *word,
                       const struct sync_access *access)
{
    const struct order_side *writer = &word->writer;
    return word->releases != 0 &&
           !(writer->group == order->now->id && writer->vector == order->now->vector &&
             writer->lane == access->lane);
}

static void write_word(struct order *order, const struct sync_access *access, uint64_t index,
                       const struct region_clocks *released)
{
    struct sync *sync = &order->sync;
    const uint32_t strand = strand_index(order, access->lane);
    struct sync_word *word = words_make(order, access->object, index);
    const bool releases = released != NULL || strand_at(order, strand)->fences != 0;
    struct sync_own *own = word == NULL ? NULL : words_own(order, word, strand, releases);
    if (word == NULL || (own == NULL && releases)) {
        sync->failed = true;
        return;
    }
    word->live = 0xF;
    word->broken = !access->updates && has_others(order, word, access);
    word->lost = word->writer;
    word->updated = access->updates;
    word->writer = (struct order_side){.slot = access->slot,
                                       .group = order->now->id,
                                       .vector = order->now->vector,
                                       .lane = access->lane,
                                       .record = order->records.next};
    word->operation = strand_at(order, strand)->operation_count;
    word->numbering = order->records.numbering;
    word->fence_regions = strand_at(order, strand)->fence_regions;
    word->fence_site = strand_at(order, strand)->fence_site;
    releases_drop_groups(&sync->releases, &word->releases, order);
    if (!access->updates) {
        releases_drop(&sync->releases, &word->releases);
        word->sequence = ++sync->last_sequence;
    }
    if (own == NULL) {
        return;
    }
    own->sequence = word->sequence;
    publish_all(order, access, word, own, released);
}

void sync_write(struct order *order, const struct sync_access *access)
{
    struct region_clocks released;
    const bool releases = order_releases(access->order);
    if (releases) {
        const uint32_t index = strand_index(order, access->lane);
        released = picture(order, index);
        note_released(order, index, strand_at(order, index)->operation_count);
    }
    const uint64_t last = (access->offset + access->size - 1) / 4;
    for (uint64_t index = access->offset / 4; index <= last; index++) {
        write_word(order, access, index, releases ? &released : NULL);
    }
}

void sync_overwrite(struct order *order, const struct order_object *object, uint64_t offset,
                    uint32_t size)
{
    const uint64_t end = offset + size;
    for (uint64_t index = offset / 4; index <= (end - 1) / 4; index++) {
        struct sync_word *word = words_find(order, object, index);
        if (word == NULL) {
            continue;
        }
        for (uint64_t byte = index * 4; byte < index * 4 + 4; byte++) {
            if (offset <= byte && byte < end) {
                word->live &= (uint8_t) ~(1U << (byte & 3));
            }
        }
        if (word->live == 0) {
            words_clear(order, word);
        }
    }
}

/* ---- acquiring ---- */

static void note_message(struct order *order, const struct sync_access *access,
                         const struct sync_word *word, unsigned ordered)
{
    struct sync_strand *strand = strand_at(order, strand_index(order, access->lane));
    const struct order_side *writer = &word->writer;
    ASSERT(word->live != 0);
    const bool own = writer->group == order->now->id && writer->vector == order->now->vector &&
                     writer->lane == access->lane;
    if (own) {
        return;
    }
    struct order_message message = {
        .writer = *writer,
        .operation = word->operation,
        .reader_slot = access->slot,
        .region = access->region,
        .widest = order_object_widest(access->object),
        .distance = strand_distance(order, writer, access->lane),
        .ordered = ordered,
        .inert = access->inert,
        .updated = word->updated,
        .broken = word->broken,
        .lost = word->lost,
        .fence_before = word->fence_regions,
        .fence_before_site = word->fence_site,
    };
    if (word->numbering != order->records.numbering) {
        message.writer.record = 0;
    }
    for (uint32_t at = word->releases; at != 0; at = release_get(&order->sync.releases, at)->next) {
        const struct release *release = release_get(&order->sync.releases, at);
        const bool here = release->key.fence == 0 || (release->key.fence >> access->region & 1);
        /* A barrier's fence was not meant to reach farther than it does. */
        const bool of_barrier = release->key.fence != 0 && word->fence_regions == 0;
        if (of_barrier && release->key.scope < message.distance) {
            continue;
        }
        /* Of several it is that of the store, or of the fence whose place is known. */
        const bool is_better =
            !message.released || release->key.fence == 0 ||
            (message.release_fence != 0 && release->key.fence == word->fence_regions);
        if (here && is_better) {
            message.released = true;
            message.release_fence = release->key.fence;
            message.release_scope = (enum observer_scope)release->key.scope;
        }
    }
    /* A loop that reads again and again says one thing. */
    const uint32_t count = strand->message_count;
    const struct order_message *newest = &strand->messages[(count - 1) % SYNC_MESSAGES];
    const bool again =
        count != 0 && newest->reader_slot == message.reader_slot &&
        newest->writer.slot == writer->slot && newest->writer.group == writer->group &&
        newest->writer.vector == writer->vector && newest->writer.lane == writer->lane;
    strand->messages[(again ? count - 1 : count) % SYNC_MESSAGES] = message;
    strand->message_count += again ? 0 : 1;
}

static void read_word(struct order *order, const struct sync_access *access,
                      const struct sync_word *word)
{
    struct sync *sync = &order->sync;
    struct sync_strand *strand = strand_at(order, strand_index(order, access->lane));
    unsigned ordered = 0;
    for (uint32_t at = access->inert ? 0 : word->releases; at != 0;
         at = release_get(&sync->releases, at)->next) {
        struct release release = *release_get(&sync->releases, at);
        if (!reaches(order, &release, access->lane)) {
            continue;
        }
        if (order_acquires(access->order) && includes(order, &release, access->scope)) {
            const bool sequential =
                release.key.sequential && access->order == OBSERVER_ORDER_SEQ_CST;
            const unsigned regions =
                joined_regions(order, access->region, release.key.fence, 0, sequential);
            take(order, &strand->clocks, &release, regions);
            ordered |= regions;
            if (release.key.fence == 0 && (sequential || !release.key.sequential)) {
                continue; /* no fence would acquire more */
            }
        }
        release.key.region = (uint8_t)access->region;
        release.key.widest = (uint8_t)order_object_widest(access->object);
        if (release.group != order->now->id && !sync->releases.overlap) {
            release.clocks.of[ORDER_LOCAL] = CLOCK_EMPTY;
        }
        release.group = order->now->id;
        releases_add(&sync->releases, &sync->clocks, &strand->pending, &release);
    }
    note_message(order, access, word, ordered);
}

void sync_read(struct order *order, const struct sync_access *access)
{
    const uint64_t last = (access->offset + access->size - 1) / 4;
    for (uint64_t index = access->offset / 4; index <= last; index++) {
        const struct sync_word *word = words_find(order, access->object, index);
        if (word != NULL && word->live != 0) {
            read_word(order, access, word);
        }
    }
}

static void acquire_fence(struct order *order, struct sync_strand *strand, unsigned regions,
                          enum observer_scope scope, bool sequential)
{
    struct sync *sync = &order->sync;
    for (uint32_t at = strand->pending; at != 0; at = release_get(&sync->releases, at)->next) {
        const struct release *release = release_get(&sync->releases, at);
        const enum order_region region = (enum order_region)release->key.region;
        if (includes(order, release, narrower(scope, (enum observer_scope)release->key.widest))) {
            take(order, &strand->clocks, release,
                 joined_regions(order, region, release->key.fence, regions,
                                release->key.sequential && sequential));
        }
    }
}

/* Tells the messages of the strand of their first acquire fence. */
static void note_acquire_fence(const struct order *order, struct sync_strand *strand,
                               const struct order_fence *fence)
{
    const uint32_t count =
        strand->message_count < SYNC_MESSAGES ? strand->message_count : SYNC_MESSAGES;
    for (uint32_t i = 0; i < count; i++) {
        struct order_message *message = &strand->messages[i];
        if (message->inert) {
            continue;
        }
        const enum observer_scope scope = narrower(fence->scope, message->widest);
        if (message->released &&
            inclusive(order, message->release_scope, scope, message->distance)) {
            message->ordered |= joined_regions(order, message->region, message->release_fence,
                                               fence->regions, false);
        }
        if (message->fence_after == 0) {
            message->fence_after = fence->regions;
            message->fence_after_site = fence->site;
            message->fence_after_scope = fence->scope;
        }
    }
}

/* ---- fences and barriers ---- */

static void release_fence(struct order *order, uint32_t index, unsigned regions,
                          enum observer_scope scope, bool sequential)
{
    const struct region_clocks clocks = picture(order, index);
    struct release release = release_of(order, index, &clocks);
    release.key = (struct release_key){
        .scope = (uint8_t)scope, .fence = (uint8_t)regions, .sequential = sequential};
    releases_renew(&order->sync.releases, &strand_at(order, index)->fences, &release);
}

void sync_fence(struct order *order, const struct order_fence *fence)
{
    const bool sequential = fence->order == OBSERVER_ORDER_SEQ_CST;
    for (uint64_t left = fence->mask; left != 0; left &= left - 1) {
        const uint32_t index = strand_index(order, (uint32_t)__builtin_ctzll(left));
        struct sync_strand *strand = strand_at(order, index);
        if (sequential && order->narrow_fences) {
            fences_pass(strand, fence);
        }
        if (order_acquires(fence->order)) {
            acquire_fence(order, strand, fence->regions, fence->scope, sequential);
            note_acquire_fence(order, strand, fence);
        }
        if (order_releases(fence->order)) {
            release_fence(order, index, fence->regions, fence->scope, sequential);
            note_released(order, index, strand->operation_count + 1);
            strand->fence_regions = fence->regions;
            strand->fence_site = fence->site;
        }
    }
}

/* OpenCL API 3.0, 3.3.6: a barrier is an entry fence, which releases, and an exit fence, which
 * acquires; the entry fences synchronise with the exit fences of the others. */
void sync_barrier(struct order *order, uint32_t first, uint32_t count, uint32_t regions,
                  enum observer_scope scope)
{
    struct region_clocks all = {.of = {CLOCK_EMPTY}};
    for (uint32_t index = first; index < first + count; index++) {
        const struct sync_strand *strand = strand_at(order, index);
        release_fence(order, index, regions, scope, false);
        region_clocks_join(&order->sync.clocks, &all, &strand->clocks, ORDER_ALL_REGIONS);
    }
    for (uint32_t index = first; index < first + count; index++) {
        struct sync_strand *strand = strand_at(order, index);
        for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
            if ((regions >> region & 1) != 0) {
                strand->clocks.of[region] = all.of[region];
            }
        }
        acquire_fence(order, strand, regions, scope, false);
    }
}

uint32_t sync_copy_start(struct order *order)
{
    struct sync *sync = &order->sync;
    struct sync_group *group = &order->now->known;
    struct region_clocks *grown =
        alloc_grow(group->copies, group->copy_count, &group->copy_capacity, sizeof *grown);
    if (grown == NULL) {
        sync->failed = true;
        return 0;
    }
    group->copies = grown;
    struct region_clocks *clocks = &grown[group->copy_count];
    *clocks = (struct region_clocks){.of = {CLOCK_EMPTY}};
    for (size_t i = 0; i < group->strand_count; i++) {
        region_clocks_join(&sync->clocks, clocks, &group->strands[i].clocks, ORDER_ALL_REGIONS);
    }
    return (uint32_t)group->copy_count++;
}

void sync_copy_wait(struct order *order, uint32_t copy)
{
    struct sync_group *group = &order->now->known;
    ASSERT(copy < group->copy_count);
    for (size_t i = 0; i < group->strand_count; i++) {
        region_clocks_join(&order->sync.clocks, &group->strands[i].clocks, &group->copies[copy],
                           ORDER_ALL_REGIONS);
    }
}

/* ---- asking ---- */

uint64_t sync_known(const struct order *order, enum order_region floor, uint32_t record,
                    uint64_t group, uint32_t vector, uint64_t mask, uint32_t lane)
{
    const struct sync *sync = &order->sync;
    const struct region_clocks *known =
        order->copying ? &sync->copy : &order->now->known.strands[strand_index(order, lane)].clocks;
    const uint32_t clock = known->of[floor];
    if (clock != CLOCK_EMPTY &&
        record < clocks_bound(&sync->clocks, clock, group, CLOCK_GROUP_VECTOR, 0)) {
        return mask;
    }
    return clocks_ordered(&sync->clocks, clock, group, vector, mask, record);
}

static bool is_strand(const struct order_side *a, const struct order_side *b)
{
    return a->group == b->group && a->vector == b->vector && a->lane == b->lane;
}

/* How well the message tells why `earlier` is not known: 0 = not at all. Where inert reads are left
 * out it is one of these that was missing. */
static unsigned relevance(const struct order *order, const struct order_message *message,
                          const struct order_side *earlier, enum order_region floor)
{
    const bool ordered = (message->ordered >> floor & 1) != 0;
    if (order->inert_apart && !message->inert) {
        return 0;
    }
    if (is_strand(&message->writer, earlier) ||
        (message->broken && is_strand(&message->lost, earlier))) {
        return 4;
    }
    if (message->writer.group == earlier->group) {
        return !ordered ? 3 : earlier->group != order->now->id ? 2 : 0;
    }
    /* Whoever updates it before what it does tells nobody that it is done. */
    return message->updated && !ordered && earlier->slot < message->writer.slot ? 1 : 0;
}

/* Of what the strand has read last, that which tells best, at least so well. */
static const struct order_message *find_message(const struct order *order,
                                                const struct sync_strand *strand,
                                                const struct order_race *race, unsigned least)
{
    const uint32_t count =
        strand->message_count < SYNC_MESSAGES ? strand->message_count : SYNC_MESSAGES;
    const struct order_message *found = NULL;
    unsigned best = least - 1;
    for (uint32_t i = 1; i <= count; i++) {
        const struct order_message *message =
            &strand->messages[(strand->message_count - i) % SYNC_MESSAGES];
        const unsigned here =
            relevance(order, message, &race->earlier, (enum order_region)race->floor);
        if (here > best) {
            best = here;
            found = message;
        }
    }
    return found;
}

const struct order_message *order_race_message(const struct order *order,
                                               const struct order_race *race)
{
    const struct sync_group *group = &order->now->known;
    if (!order->acquires || order->copying) {
        return NULL;
    }
    const struct order_message *found =
        find_message(order, &group->strands[strand_index(order, race->later.lane)], race, 1);
    /* Another one may have waited for the whole group. */
    for (size_t i = 0; i < group->strand_count && found == NULL; i++) {
        found = race->earlier.group == order->now->id
                    ? NULL
                    : find_message(order, &group->strands[i], race, 3);
        found = found != NULL && (found->ordered >> race->floor & 1) != 0 ? NULL : found;
    }
    return found;
}

uint32_t order_release_after(const struct order *order, const struct order_side *side)
{
    const struct sync *sync = &order->sync;
    for (size_t i = 0; i < sync->released_count; i++) {
        const struct sync_released *released = &sync->released[i];
        if (released->group == side->group && released->vector == side->vector &&
            released->lane == side->lane && released->record > side->record) {
            return released->operation;
        }
    }
    return 0;
}

/* ---- the course of a launch ---- */

static bool reserve_strands(struct sync_group *group, size_t count)
{
    if (count > group->strand_capacity) {
        alloc_free(group->strands);
        group->strands = alloc(count * sizeof *group->strands);
        group->strand_capacity = group->strands == NULL ? 0 : count;
    }
    return count <= group->strand_capacity;
}

void sync_launch_begin(struct order *order)
{
    struct sync *sync = &order->sync;
    clocks_reset(&sync->clocks);
    releases_reset(&sync->releases);
    for (size_t i = 0; i < order->group_count; i++) {
        struct sync_group *group = &order->groups[i].known;
        group->strand_count = 0;
        group->copy_count = 0;
        words_forget_owns(group);
    }
    sync->failed = false;
    sync->released_count = 0;
    fences_reset(&sync->crossings);
    words_reset(sync);
}

void sync_group_begin(struct order *order)
{
    struct sync *sync = &order->sync;
    struct sync_group *group = &order->now->known;
    for (size_t i = 0; i < group->strand_count; i++) {
        releases_drop(&sync->releases, &group->strands[i].fences);
        releases_drop(&sync->releases, &group->strands[i].pending);
    }
    words_drop_owns(sync, group);
    group->copy_count = 0;
    group->strand_count = order->now->item_count;
    if (!reserve_strands(group, group->strand_count)) {
        group->strand_count = 0;
        sync->failed = true;
        return;
    }
    for (size_t i = 0; i < group->strand_count; i++) {
        struct sync_strand *strand = &group->strands[i];
        strand->clocks = (struct region_clocks){.of = {CLOCK_EMPTY}};
        strand->fences = 0;
        strand->pending = 0;
        strand->fence_regions = 0;
        strand->operation_count = 0;
        strand->store_count = 0;
        strand->message_count = 0;
    }
}

void sync_release(struct order *order)
{
    struct sync *sync = &order->sync;
    clocks_release(&sync->clocks);
    releases_release(&sync->releases);
    for (size_t i = 0; i < order->group_count; i++) {
        alloc_free(order->groups[i].known.strands);
        alloc_free(order->groups[i].known.copies);
        alloc_free(order->groups[i].known.owns);
    }
    words_release(sync);
    alloc_free(sync->released);
    fences_reset(&sync->crossings);
}

bool sync_failed(const struct sync *sync)
{
    return sync->failed || sync->clocks.failed || sync->releases.failed;
}

static void keep_clocks(struct clocks *clocks, struct region_clocks *kept)
{
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        kept->of[region] = clocks_keep(clocks, kept->of[region]);
    }
}

static void keep_group(struct clocks *clocks, struct sync_group *group)
{
    for (size_t i = 0; i < group->strand_count; i++) {
        keep_clocks(clocks, &group->strands[i].clocks);
    }
    for (size_t i = 0; i < group->copy_count; i++) {
        keep_clocks(clocks, &group->copies[i]);
    }
}

void sync_collect(struct order *order, const uint32_t *bounds)
{
    struct sync *sync = &order->sync;
    if (bounds == NULL && clocks_count(&sync->clocks) < sync->clocks.collect_at) {
        return;
    }
    if (!clocks_collect_begin(&sync->clocks, bounds)) {
        sync->failed = true;
        return;
    }
    sync->released_count = bounds == NULL ? sync->released_count : 0;
    for (size_t i = 0; i < order->group_count; i++) {
        keep_group(&sync->clocks, &order->groups[i].known);
    }
    for (size_t i = 1; i < sync->releases.count; i++) {
        keep_clocks(&sync->clocks, &sync->releases.items[i].clocks);
    }
    keep_clocks(&sync->clocks, &sync->copy);
    clocks_collect_end(&sync->clocks);
}
