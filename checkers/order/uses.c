#include "checkers/order/uses.h"

#include "checkers/order/uses_meet.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/spin.h"

#include <stdatomic.h>
#include <string.h>

/* Objects are handles, which are addresses, or small numbers: mixed. */
#define HASH_FUNCTION(key, size, hash)                                                             \
    do {                                                                                           \
        uint64_t mixed;                                                                            \
        memcpy(&mixed, key, size);                                                                 \
        (hash) = (unsigned)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 32);                           \
    } while (0)
#include "trace/base/hash.h"

/* A use that is kept. */
struct kept {
    struct ordered_command *command; /* held */
    struct use_origin origin;
    struct use use; /* bits are owned */
    /* Of a mapping: what is mapped, until `unmap`, which is held. */
    bool maps;
    struct use_bytes whole;
    uint64_t handle;
    bool unmapped;
    struct ordered_command *unmap;
};

struct history {
    struct shard *shard;
    uint64_t object;
    struct kept *items;
    size_t count, capacity;
    size_t write_count;    /* of those that write */
    size_t sweep_at;       /* it is looked through once there are so many */
    uint64_t host_version; /* when it was last looked through for what the host knows */
    /* The queue whose commands made all uses that are kept, none of them a map: one command, or in
     * order one after the other. NULL = it is not so simple. */
    const struct commands_queue *owner;
    UT_hash_handle hh;
};

/* A part of the objects, so that threads with objects of their own rarely meet. The object 0, which
 * they have in common, has some shards to itself: what the commands of a queue do to it is kept in
 * one of them. */
enum { SHARD_COUNT = 64, COMMON_SHARDS = 16 };
struct shard {
    _Alignas(64) struct spin lock;
    struct history *histories;
    size_t kept_count, write_count;
};

struct uses {
    struct commands *commands;
    uses_report *report;
    uses_postpone *postpone; /* NULL = nothing is decided later */
    void *user;
    _Atomic uint64_t occupied;  /* a bit for each shard: it keeps a use, */
    _Atomic uint64_t written;   /* one that writes */
    _Atomic uint64_t bit_words; /* of all that are kept */
    /* The last conflict: both held, under the lock. */
    struct spin told_lock;
    struct ordered_command *told_earlier, *told_later;
    unsigned told_sorts; /* of clashes of the two */
    struct shard shards[SHARD_COUNT];
};
_Static_assert(SHARD_COUNT <= 64, "a shard has a bit of `occupied`");

/* So few uses are looked through each time. */
enum { SWEEP_MIN = 16 };
/* One that stays longer than that is not looked through for each further use, but forgets its
 * oldest ones first. */
enum { USES_SWEPT_MAX = USES_MAX - USES_MAX / 8 };

/* So many commands that one command clashes with are told at once. */
enum { CLASHES_MAX = 8 };

/* 64 MiB of bits. */
enum { BIT_WORDS_MAX = 1 << 23 };

/* ---- what is kept ---- */

/* The shards of an object, a bit each. */
static uint64_t shards_of(uint64_t object)
{
    const uint64_t mixed = (object ^ object >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return object == 0
               ? (UINT64_C(1) << COMMON_SHARDS) - 1
               : UINT64_C(1) << (COMMON_SHARDS + (mixed * (SHARD_COUNT - COMMON_SHARDS) >> 32));
}

/* The one that keeps what the command does to the object. */
static unsigned shard_for(uint64_t object, const struct ordered_command *command)
{
    return object == 0 ? commands_queue_number(command_home(command)) % COMMON_SHARDS
                       : (unsigned)__builtin_ctzll(shards_of(object));
}

static struct shard *lock_shard(struct uses *uses, unsigned index)
{
    ASSERT(index < SHARD_COUNT);
    spin_lock(&uses->shards[index].lock);
    return &uses->shards[index];
}

/* The next of a set of shards, which is then left out of it: locked. NULL = there is none left. */
static struct shard *lock_next(struct uses *uses, uint64_t *left)
{
    const uint64_t set = *left;
    *left = set & (set - 1);
    return set != 0 ? lock_shard(uses, (unsigned)__builtin_ctzll(set)) : NULL;
}

static void note_bit(_Atomic uint64_t *bits, uint64_t bit, bool value)
{
    const bool noted = (atomic_load_explicit(bits, memory_order_relaxed) & bit) != 0;
    if (value && !noted)
        atomic_fetch_or(bits, bit);
    else if (!value && noted)
        atomic_fetch_and(bits, ~bit);
}

/* The shards of the object that have their bit set. */
static uint64_t bits_of(const _Atomic uint64_t *bits, uint64_t object)
{
    return atomic_load(bits) & shards_of(object);
}

static void unlock_shard(struct uses *uses, struct shard *shard)
{
    const uint64_t bit = UINT64_C(1) << (shard - uses->shards);
    note_bit(&uses->occupied, bit, shard->kept_count > 0);
    note_bit(&uses->written, bit, shard->write_count > 0);
    spin_unlock(&shard->lock);
}

static struct history *find(const struct shard *shard, uint64_t object)
{
    struct history *history;
    HASH_FIND(hh, shard->histories, &object, sizeof object, history);
    return history;
}

static struct history *find_or_add(struct shard *shard, uint64_t object)
{
    struct history *history = find(shard, object);
    if (history || !(history = alloc_zero(1, sizeof *history)))
        return history;
    history->shard = shard;
    history->object = object;
    HASH_ADD(hh, shard->histories, object, sizeof history->object, history);
    if (!history->hh.tbl) {
        alloc_free(history);
        return NULL;
    }
    return history;
}

static void count_kept(struct history *history, const struct use *use, int change)
{
    struct shard *shard = history->shard;
    ASSERT(change > 0 || (shard->kept_count > 0 && history->write_count <= shard->write_count));
    shard->kept_count += (size_t)change;
    if (use_writes(use->kind)) {
        shard->write_count += (size_t)change;
        history->write_count += (size_t)change;
    }
}

static void kept_release(struct uses *uses, struct history *history, struct kept *kept)
{
    count_kept(history, &kept->use, -1);
    command_drop(kept->command);
    command_drop(kept->unmap);
    if (kept->use.bytes.bits)
        atomic_fetch_sub_explicit(&uses->bit_words, use_bytes_words(&kept->use.bytes),
                                  memory_order_relaxed);
    alloc_free((void *)(uintptr_t)kept->use.bytes.bits);
}

/* After one was kept, or some were not. */
static void find_owner(struct history *history)
{
    const struct kept *last = history->count > 0 ? &history->items[history->count - 1] : NULL;
    const bool stays = last && history->owner == command_home(last->command) && !last->maps &&
                       history->count > 1 && command_is_next(last->command, last[-1].command);
    if (!stays)
        history->owner = history->count == 1 && !last->maps ? command_home(last->command) : NULL;
}

static void history_destroy(struct uses *uses, struct history *history)
{
    HASH_DEL(history->shard->histories, history);
    for (size_t i = 0; i < history->count; i++)
        kept_release(uses, history, &history->items[i]);
    ASSERT(history->write_count == 0);
    alloc_free(history->items);
    alloc_free(history);
}

struct uses *uses_create(struct commands *commands, uses_report *report, void *user)
{
    struct uses *uses = alloc_aligned(_Alignof(struct uses), sizeof *uses);
    if (!uses)
        return NULL;
    memset(uses, 0, sizeof *uses);
    uses->commands = commands;
    uses->report = report;
    uses->user = user;
    return uses;
}

void uses_set_postpone(struct uses *uses, uses_postpone *postpone)
{
    uses->postpone = postpone;
}

void uses_destroy(struct uses *uses)
{
    struct history *history, *next;
    if (!uses)
        return;
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &uses->shards[i];
        HASH_ITER(hh, shard->histories, history, next)
        {
            history_destroy(uses, history);
        }
    }
    command_drop(uses->told_earlier);
    command_drop(uses->told_later);
    alloc_free(uses);
}

void uses_forget(struct uses *uses, uint64_t object)
{
    uint64_t left = shards_of(object); /* also where nothing is kept any more */
    for (struct shard *shard; (shard = lock_next(uses, &left));) {
        struct history *history = find(shard, object);
        if (history)
            history_destroy(uses, history);
        unlock_shard(uses, shard);
    }
}

/* Whatever is told from now on is ordered after it, since the host knows that it has ended. */
static bool is_over(const struct uses *uses, const struct kept *kept)
{
    return kept->maps ? kept->unmapped && commands_host_knows(uses->commands, kept->unmap)
                      : commands_host_knows(uses->commands, kept->command);
}

/* Whatever conflicts with it conflicts with this later use too, which is ordered after it. Of one
 * that is awaited nobody can say so yet. */
static bool is_superseded(const struct uses *uses, const struct kept *kept,
                          const struct ordered_command *command, const struct use *use)
{
    return use_is_as_strong(use->kind, kept->use.kind) && use_reaches_no_further(use, &kept->use) &&
           (!use->possible || kept->use.possible) && !kept->maps && !kept->use.awaited &&
           kept->command != command && use_bytes_cover(&use->bytes, &kept->use.bytes) &&
           (!use->possible || use_covers_certain(use, &kept->use)) &&
           command_follows(uses->commands, command, kept->command);
}

/* Forgets what is over, or superseded by the use; `command` may be NULL. */
static void sweep(struct uses *uses, struct history *history, const struct ordered_command *command,
                  const struct use *use)
{
    const uint64_t version = commands_host_version(uses->commands);
    const bool learned = history->host_version != version;
    size_t left = 0;
    for (size_t i = 0; i < history->count; i++) {
        struct kept *kept = &history->items[i];
        if ((learned && is_over(uses, kept)) ||
            (command && is_superseded(uses, kept, command, use)))
            kept_release(uses, history, kept);
        else if (left++ < i)
            history->items[left - 1] = *kept;
    }
    history->count = left;
    ASSERT(history->write_count <= left);
    history->host_version = version;
    history->sweep_at = left < SWEEP_MIN         ? 0
                        : 2 * left < USES_MAX    ? 2 * left
                        : left <= USES_SWEPT_MAX ? USES_MAX
                                                 : SIZE_MAX;
}

static bool has_learned(const struct uses *uses, const struct history *history)
{
    return history->host_version != commands_host_version(uses->commands);
}

static bool oldest_is_over(const struct uses *uses, const struct history *history)
{
    return history->count > 0 && has_learned(uses, history) && is_over(uses, &history->items[0]);
}

/* A long history is looked through when it has doubled, or its oldest use is over. */
static void drop_superseded(struct uses *uses, struct history *history,
                            const struct ordered_command *command, const struct use *use)
{
    if (history->count >= history->sweep_at || oldest_is_over(uses, history))
        sweep(uses, history, command, use);
}

/* The same without a use that may take the place of others. */
static void drop_over(struct uses *uses, struct history *history)
{
    if (!oldest_is_over(uses, history))
        return;
    sweep(uses, history, NULL, NULL);
    find_owner(history);
}

/* Makes room by forgetting the oldest. */
static void drop_oldest(struct uses *uses, struct history *history)
{
    ASSERT(history->count == USES_MAX);
    const size_t dropped = USES_MAX / 4;
    for (size_t i = 0; i < dropped; i++)
        kept_release(uses, history, &history->items[i]);
    history->count -= dropped;
    history->sweep_at = USES_MAX;
    memmove(&history->items[0], &history->items[dropped], history->count * sizeof *history->items);
}

/* False when memory is out, or would be used too much. */
static bool copy_bits(struct uses *uses, struct use_bytes *bytes)
{
    const uint64_t count = use_bytes_words(bytes);
    const uint64_t before =
        atomic_fetch_add_explicit(&uses->bit_words, count, memory_order_relaxed);
    const bool fits = before <= BIT_WORDS_MAX && count <= BIT_WORDS_MAX - before;
    uint64_t *bits = fits ? alloc_zero(count, sizeof *bits) : NULL;
    if (!bits) {
        atomic_fetch_sub_explicit(&uses->bit_words, count, memory_order_relaxed);
        return false;
    }
    memcpy(bits, bytes->bits, count * sizeof *bits);
    bytes->bits = bits;
    return true;
}

/* Takes over a reference to the command; NULL when there is no memory for it. */
static struct kept *keep(struct uses *uses, struct history *history,
                         struct ordered_command *command, const struct use_origin *origin,
                         const struct use *use)
{
    if (history->count == USES_MAX)
        drop_oldest(uses, history);
    struct kept *grown =
        alloc_grow(history->items, history->count, &history->capacity, sizeof *grown);
    if (!grown)
        return NULL;
    history->items = grown;
    struct kept *kept = &grown[history->count];
    *kept = (struct kept){.origin = *origin, .use = *use};
    if (use->bytes.bits && !copy_bits(uses, &kept->use.bytes))
        return NULL;
    kept->command = command;
    history->count++;
    count_kept(history, use, 1);
    return kept;
}

/* ---- judging ---- */

/* A conflict that is to be reported, once its shard is unlocked. */
struct clash {
    struct uses_conflict conflict;
    const struct use_origin *later; /* of the command that is judged */
    struct use_origin earlier;
    struct ordered_command *command; /* the earlier one: held; NULL = there is none */
};

static bool is_certain(const struct uses_conflict *conflict)
{
    return conflict->clash != USES_ATOMICS && !conflict->earlier.possible &&
           !conflict->later.possible;
}

static void note_clash(struct clash *clash, const struct kept *earlier,
                       const struct uses_conflict *conflict)
{
    clash->conflict = *conflict;
    clash->earlier = earlier->origin;
    clash->command = command_retain(earlier->command);
}

/* Of two commands one clash of a sort is told. */
enum clash_sort { CLASH_OF_ATOMICS = 1, CLASH_OF_SCOPES = 2, CLASH_OF_BYTES = 4 };
static enum clash_sort sort_of(const struct uses_conflict *conflict)
{
    return conflict->clash == USES_ATOMICS  ? CLASH_OF_ATOMICS
           : conflict->clash == USES_SCOPES ? CLASH_OF_SCOPES
                                            : CLASH_OF_BYTES;
}

/* Two commands that clash on several objects do so once; of atomics only if not otherwise. */
static bool note_told(struct uses *uses, const struct clash *clash, struct ordered_command *command)
{
    const enum clash_sort sort = sort_of(&clash->conflict);
    spin_lock(&uses->told_lock);
    const bool same = (uses->told_earlier == clash->command && uses->told_later == command) ||
                      (uses->told_earlier == command && uses->told_later == clash->command);
    const bool told = same && (sort == CLASH_OF_ATOMICS || (uses->told_sorts & sort) != 0);
    if (!same && sort != CLASH_OF_ATOMICS) {
        command_drop(uses->told_earlier);
        command_drop(uses->told_later);
        uses->told_earlier = command_retain(clash->command);
        uses->told_later = command_retain(command);
        uses->told_sorts = 0;
    }
    if (sort != CLASH_OF_ATOMICS)
        uses->told_sorts |= sort;
    spin_unlock(&uses->told_lock);
    return told;
}

static void report(struct uses *uses, struct clash *clash, struct ordered_command *command,
                   const struct use_origin *origin)
{
    clash->conflict.earlier.origin = &clash->earlier;
    clash->conflict.later.origin = origin;
    clash->conflict.why = command_why_unordered(clash->command, command);
    if (!note_told(uses, clash, command))
        uses->report(uses->user, &clash->conflict);
    command_drop(clash->command);
}

/* Uses are told in about the order of their commands: blocking calls of several threads may
 * overlap. */
static bool precedes(const struct uses *uses, const struct ordered_command *command,
                     const struct kept *kept)
{
    return command_follows(uses->commands, kept->command, command);
}

/* Does the command follow the end of the mapping? */
static bool has_ended(const struct uses *uses, const struct kept *mapping,
                      const struct ordered_command *command)
{
    return mapping->unmapped && command_follows(uses->commands, command, mapping->unmap);
}

/* Between the mapping and its end? A map itself, whose bytes may be others, is no use. */
static bool is_within_mapping(const struct uses *uses, const struct kept *mapping,
                              const struct ordered_command *command, const struct use *use,
                              struct uses_conflict *conflict)
{
    enum use_kind kind;
    struct use_bytes bytes;
    const bool is_written = use_writes(mapping->use.kind);
    if ((!is_written && !use_writes(use->kind)) || has_ended(uses, mapping, command) ||
        precedes(uses, command, mapping))
        return false;
    conflict->clash = USES_MAPPED;
    conflict->earlier = use_whole_side(&mapping->use);
    for (size_t i = 0; use_next_certain(use, &i, &kind, &bytes);) {
        conflict->later = use_side_of(use, kind, false);
        if ((is_written || use_writes(kind)) &&
            use_bytes_meet(&mapping->whole, &bytes, &conflict->first, &conflict->size))
            return true;
    }
    conflict->later = use_whole_side(use);
    return use->possible &&
           use_bytes_meet(&mapping->whole, &use->bytes, &conflict->first, &conflict->size);
}

static bool is_race(const struct uses *uses, const struct kept *earlier,
                    const struct ordered_command *command, const struct use *use,
                    struct uses_conflict *conflict)
{
    const enum uses_clash clash = uses_find_clash(&earlier->use, use);
    if (earlier->command == command || (!use_writes(earlier->use.kind) && !use_writes(use->kind)) ||
        (clash == USES_SCOPES && use_scopes_meet(&earlier->use, use)) ||
        (clash != USES_ATOMICS && use_bytes_are_apart(&earlier->use.bytes, &use->bytes)) ||
        command_follows(uses->commands, command, earlier->command) ||
        precedes(uses, command, earlier))
        return false;
    *conflict = (struct uses_conflict){
        .clash = clash, .earlier = use_whole_side(&earlier->use), .later = use_whole_side(use)};
    if (clash == USES_SCOPES)
        return use_bytes_meet(&earlier->use.bytes, &use->bytes, &conflict->first, &conflict->size);
    return clash == USES_ATOMICS || uses_meet_for_certain(&earlier->use, use, conflict) ||
           uses_may_meet(&earlier->use, use, conflict);
}

/* Without a closer look. */
static bool follows_all(const struct history *history, const struct ordered_command *command)
{
    ASSERT(!history->owner || history->count > 0);
    return history->owner && history->owner == command_home(command) &&
           command_is_next(command, history->items[history->count - 1].command);
}

/* Will it be known later whether they clash, and is that seen to? */
static bool is_postponed(const struct uses *uses, const struct kept *earlier,
                         const struct ordered_command *command, const struct use *use,
                         const struct use_origin *origin, struct uses_conflict *conflict)
{
    struct use before = earlier->use;
    if (!uses->postpone || (!earlier->use.awaited && !use->awaited) ||
        conflict->clash == USES_ATOMICS)
        return false;
    if (earlier->maps && conflict->clash == USES_MAPPED)
        before.bytes = earlier->whole;
    conflict->earlier.origin = &earlier->origin;
    conflict->later.origin = origin;
    conflict->why = command_why_unordered(earlier->command, command);
    return uses->postpone(uses->user, conflict, &before, use);
}

/* One finding a use: the first clash that is certain, or else the first that is possible, or else
 * the first pair of atomics; besides all that are decided later. */
static void judge(struct uses *uses, const struct history *history, struct ordered_command *command,
                  const struct use *use, bool maps, struct clash *found)
{
    const struct kept *atomic = NULL;
    const struct kept *possible = NULL;
    struct uses_conflict conflict, unclear, pair;
    if (follows_all(history, command) || (!use_writes(use->kind) && history->write_count == 0))
        return;
    for (size_t i = 0; i < history->count; i++) {
        const struct kept *earlier = &history->items[i];
        const bool clashes = earlier->maps && !maps
                                 ? is_within_mapping(uses, earlier, command, use, &conflict)
                                 : is_race(uses, earlier, command, use, &conflict);
        if (!clashes)
            continue;
        conflict.object = use->object;
        if (is_certain(&conflict)) {
            note_clash(found, earlier, &conflict);
            return;
        }
        if (is_postponed(uses, earlier, command, use, found->later, &conflict))
            continue;
        const struct kept **first = conflict.clash == USES_ATOMICS ? &atomic : &possible;
        if (!*first) {
            *first = earlier;
            *(first == &atomic ? &pair : &unclear) = conflict;
        }
    }
    if (possible || atomic)
        note_clash(found, possible ? possible : atomic, possible ? &unclear : &pair);
}

/* The kept use that this one takes the place of, without anything to judge: the only one, by an
 * earlier command of the same queue. NULL = it is not so simple. */
static struct kept *find_previous(const struct uses *uses, struct history *history,
                                  const struct ordered_command *command, const struct use *use)
{
    return history->count == 1 && history->owner == command_home(command) && !use->bytes.bits &&
                   !history->items[0].use.bytes.bits &&
                   is_superseded(uses, &history->items[0], command, use)
               ? &history->items[0]
               : NULL;
}

/* Commands whose uses others have taken the place of: mostly one, of all that it used. */
struct replaced {
    struct ordered_command *command;
    uint32_t count;
};

static void note_replaced(struct replaced *replaced, struct ordered_command *command)
{
    if (replaced->command != command) {
        command_drop_times(replaced->command, replaced->count);
        *replaced = (struct replaced){.command = command};
    }
    replaced->count++;
}

/* What other queues did to an object that has several shards. Of two uses that are told at the same
 * time one finds the other, since both are kept before. */
static void judge_others(struct uses *uses, struct ordered_command *command, const struct use *use,
                         const struct shard *own, struct clash *found)
{
    uint64_t left = bits_of(use_writes(use->kind) ? &uses->occupied : &uses->written, use->object) &
                    ~(UINT64_C(1) << (own - uses->shards));
    for (struct shard *shard; !found->command && (shard = lock_next(uses, &left));) {
        struct history *history = find(shard, use->object);
        if (history) {
            judge(uses, history, command, use, false, found);
            drop_over(uses, history);
        }
        unlock_shard(uses, shard);
    }
}

/* What the uses of one command clash with, until all are told: with one earlier command once, where
 * it is certain. */
struct clashes {
    struct clash list[CLASHES_MAX];
    size_t count;
};

static void report_clashes(struct uses *uses, struct clashes *clashes,
                           struct ordered_command *command, const struct use_origin *origin)
{
    for (size_t i = 0; i < clashes->count; i++)
        report(uses, &clashes->list[i], command, origin);
    clashes->count = 0;
}

/* The clash with the same command, of the same sort, unless it is of atomics. */
static struct clash *find_same(struct clashes *clashes, const struct clash *clash)
{
    for (size_t i = 0; i < clashes->count; i++) {
        struct clash *other = &clashes->list[i];
        if (other->command == clash->command && clash->conflict.clash != USES_ATOMICS &&
            sort_of(&other->conflict) == sort_of(&clash->conflict))
            return other;
    }
    return NULL;
}

/* Takes over the clash. */
static void note_clash_of(struct uses *uses, struct clashes *clashes, const struct clash *clash,
                          struct ordered_command *command, const struct use_origin *origin)
{
    struct clash *same = find_same(clashes, clash);
    if (same && (is_certain(&same->conflict) || !is_certain(&clash->conflict))) {
        command_drop(clash->command);
    } else if (same) {
        command_drop(same->command);
        *same = *clash;
    } else {
        if (clashes->count == CLASHES_MAX)
            report_clashes(uses, clashes, command, origin);
        clashes->list[clashes->count++] = *clash;
    }
}

/* With a reference to the command, if the use is to be kept. */
static void add_one(struct uses *uses, struct ordered_command *command,
                    const struct use_origin *origin, const struct use *use, bool keeps,
                    struct replaced *replaced, struct clash *clash)
{
    clash->command = NULL;
    clash->later = origin;
    struct shard *shard = lock_shard(uses, shard_for(use->object, command));
    struct history *history = keeps ? find_or_add(shard, use->object) : find(shard, use->object);
    struct kept *previous = keeps && history ? find_previous(uses, history, command, use) : NULL;
    bool kept = previous != NULL;
    if (previous) {
        note_replaced(replaced, previous->command);
        if (use_writes(previous->use.kind) != use_writes(use->kind)) {
            count_kept(history, &previous->use, -1);
            count_kept(history, use, 1);
        }
        previous->command = command;
        previous->origin = *origin;
        previous->use = *use;
    } else if (history) {
        judge(uses, history, command, use, false, clash);
        drop_superseded(uses, history, command, use);
        kept = keeps && keep(uses, history, command, origin, use);
        find_owner(history);
    }
    unlock_shard(uses, shard);
    if (!clash->command)
        judge_others(uses, command, use, shard, clash);
    if (keeps && !kept)
        command_drop(command);
}

void uses_add(struct uses *uses, struct ordered_command *command, const struct use_origin *origin,
              const struct use *added, size_t count, bool keeps)
{
    struct replaced replaced = {.command = NULL};
    struct clashes clashes;
    struct clash clash;
    clashes.count = 0;
    if (keeps && count > 0)
        command_retain_times(command, (uint32_t)count);
    for (size_t i = 0; command && i < count; i++) {
        if (!keeps && !uses_may_have(uses, added[i].object))
            continue;
        add_one(uses, command, origin, &added[i], keeps, &replaced, &clash);
        if (clash.command)
            note_clash_of(uses, &clashes, &clash, command, origin);
    }
    report_clashes(uses, &clashes, command, origin);
    command_drop_times(replaced.command, replaced.count);
}

void uses_map(struct uses *uses, struct ordered_command *command, const struct use_origin *origin,
              const struct use *use, const struct use_bytes *whole, uint64_t handle)
{
    struct clash clash = {.later = origin};
    if (!command)
        return;
    struct shard *shard = lock_shard(uses, shard_for(use->object, command));
    struct history *history = find_or_add(shard, use->object);
    if (history) {
        judge(uses, history, command, use, true, &clash);
        drop_superseded(uses, history, command, use);
        struct kept *kept = keep(uses, history, command_retain(command), origin, use);
        if (!kept) {
            command_drop(command);
        } else {
            kept->maps = true;
            kept->whole = *whole;
            kept->handle = handle;
        }
        find_owner(history);
    }
    unlock_shard(uses, shard);
    if (clash.command)
        report(uses, &clash, command, origin);
}

void uses_unmap(struct uses *uses, uint64_t object, uint64_t handle,
                struct ordered_command *command)
{
    struct shard *shard = lock_shard(uses, shard_for(object, command));
    struct history *history = find(shard, object);
    for (size_t i = 0; history && i < history->count; i++) {
        struct kept *kept = &history->items[i];
        if (kept->maps && !kept->unmapped && kept->handle == handle) {
            kept->unmapped = true;
            kept->unmap = command_retain(command);
            break;
        }
    }
    unlock_shard(uses, shard);
}

bool uses_has_any(const struct uses *uses)
{
    return atomic_load_explicit(&uses->occupied, memory_order_relaxed) != 0;
}

bool uses_may_have(const struct uses *uses, uint64_t object)
{
    return bits_of(&uses->occupied, object) != 0;
}

bool uses_may_have_write(const struct uses *uses, uint64_t object)
{
    return bits_of(&uses->written, object) != 0;
}

static bool has_write(const struct history *history, const struct use_bytes *bytes)
{
    uint64_t first, size;
    bool has = false;
    for (size_t i = 0; i < history->count && !has; i++) {
        const struct kept *kept = &history->items[i];
        has = use_writes(kept->use.kind) && use_bytes_meet(&kept->use.bytes, bytes, &first, &size);
    }
    return has;
}

bool uses_has_write(struct uses *uses, uint64_t object, const struct use_bytes *bytes)
{
    uint64_t left = bits_of(&uses->written, object);
    bool has = false;
    for (struct shard *shard; !has && (shard = lock_next(uses, &left));) {
        struct history *history = find(shard, object);
        if (history && has_learned(uses, history)) {
            sweep(uses, history, NULL, NULL);
            find_owner(history);
        }
        has = history && has_write(history, bytes);
        unlock_shard(uses, shard);
    }
    return has;
}

bool uses_is_mapped(struct uses *uses, uint64_t object, const struct ordered_command *command)
{
    bool mapped = false;
    if (!uses_may_have(uses, object))
        return false;
    struct shard *shard = lock_shard(uses, shard_for(object, command));
    const struct history *history = find(shard, object);
    for (size_t i = 0; history && i < history->count && !mapped; i++)
        mapped = history->items[i].maps && !has_ended(uses, &history->items[i], command);
    unlock_shard(uses, shard);
    return mapped;
}
