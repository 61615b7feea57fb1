#include "checkers/host/commands/awaited.h"

#include "checkers/order/uses_meet.h"
#include "trace/base/alloc.h"
#include "trace/base/hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum {
    CLASHES_MAX = 1 << 16,   /* that wait; what has no room stays unclear */
    TOLD_WORDS_MAX = 1 << 23 /* 64 MiB of bits */
};

/* How a launch used an object. */
struct told {
    uint32_t holds;
    size_t count;
    struct use uses[]; /* certain; bits are owned */
};

/* What a command does to an object, as far as that is known. Counted. */
struct side {
    uint32_t holds;
    struct side *next; /* of the same launch and object, or NULL */
    struct use_origin origin;
    struct use use;
    struct told *told; /* held; NULL = `use` is all that is known */
    bool is_open;      /* it will be told */
};

struct awaited_object {
    uint64_t object;
    struct told *told;  /* held; NULL = not yet */
    struct side *sides; /* in clashes, each held; each by another use */
};

struct launch {
    UT_hash_handle hh;
    uint64_t call_id;
    struct ordered_command *command; /* held */
    bool is_bound;
    size_t count;
    struct awaited_object objects[];
};

enum { EARLIER, LATER, SIDES };
struct clash {
    struct clash *next;
    struct uses_conflict conflict; /* whose origins are those of the sides */
    struct side *sides[SIDES];     /* held */
};

struct awaited {
    uses_report *report;
    void *user;
    atomic_size_t launch_count;
    pthread_mutex_t mutex; /* of what follows */
    struct launch *launches;
    struct clash *clashes;
    size_t clash_count;
    uint64_t words; /* of the bits of all that was told */
};

/* ---- what is kept; locked ---- */

static void told_drop(struct awaited *awaited, struct told *told)
{
    if (!told || --told->holds > 0)
        return;
    for (size_t i = 0; i < told->count; i++) {
        const struct use_bytes *bytes = &told->uses[i].bytes;
        if (bytes->bits)
            awaited->words -= use_bytes_words(bytes);
        alloc_free((void *)(uintptr_t)bytes->bits);
    }
    alloc_free(told);
}

/* False when there is no memory for the bits. */
static bool told_add(struct awaited *awaited, struct told *told, const struct use *use)
{
    const uint64_t words = use->bytes.bits ? use_bytes_words(&use->bytes) : 0;
    uint64_t *bits = NULL;
    if (words > 0) {
        if (words > TOLD_WORDS_MAX - awaited->words ||
            !(bits = alloc_zero((size_t)words, sizeof *bits)))
            return false;
        memcpy(bits, use->bytes.bits, (size_t)words * sizeof *bits);
        awaited->words += words;
    }
    struct use *added = &told->uses[told->count++];
    *added = *use;
    added->bytes.bits = bits;
    added->possible = added->awaited = false;
    return true;
}

static struct told *told_create(struct awaited *awaited, const struct use *uses, size_t count)
{
    struct told *told = alloc_zero(1, sizeof *told + count * sizeof *uses);
    if (!told)
        return NULL;
    told->holds = 1;
    for (size_t i = 0; i < count; i++) {
        if (!told_add(awaited, told, &uses[i])) {
            told_drop(awaited, told);
            return NULL;
        }
    }
    return told;
}

static struct launch *find_launch(const struct awaited *awaited, uint64_t call_id)
{
    struct launch *launch;
    HASH_FIND(hh, awaited->launches, &call_id, sizeof call_id, launch);
    return launch;
}

static struct awaited_object *find_object(const struct awaited *awaited, uint64_t call_id,
                                          uint64_t object)
{
    struct launch *launch = find_launch(awaited, call_id);
    for (size_t i = 0; launch && i < launch->count; i++)
        if (launch->objects[i].object == object)
            return &launch->objects[i];
    return NULL;
}

static void side_drop(struct awaited *awaited, struct side *side)
{
    if (!side || --side->holds > 0)
        return;
    told_drop(awaited, side->told);
    alloc_free(side);
}

/* How the launch used the object is known, or, NULL, will not be. */
static void close_sides(struct awaited *awaited, struct awaited_object *object, struct told *told)
{
    while (object->sides) {
        struct side *side = object->sides;
        object->sides = side->next;
        side->is_open = false;
        side->told = told;
        if (told)
            told->holds++;
        side_drop(awaited, side);
    }
}

static void launch_destroy(struct awaited *awaited, struct launch *launch)
{
    for (size_t i = 0; i < launch->count; i++) {
        close_sides(awaited, &launch->objects[i], NULL);
        told_drop(awaited, launch->objects[i].told);
    }
    command_drop(launch->command);
    alloc_free(launch);
}

static void clash_destroy(struct awaited *awaited, struct clash *clash)
{
    for (int i = 0; i < SIDES; i++)
        side_drop(awaited, clash->sides[i]);
    alloc_free(clash);
}

struct awaited *awaited_create(uses_report *report, void *user)
{
    struct awaited *awaited = alloc_zero(1, sizeof *awaited);
    if (!awaited)
        return NULL;
    awaited->report = report;
    awaited->user = user;
    pthread_mutex_init(&awaited->mutex, NULL);
    return awaited;
}

void awaited_destroy(struct awaited *awaited)
{
    if (!awaited)
        return;
    while (awaited->clashes) {
        struct clash *clash = awaited->clashes;
        awaited->clashes = clash->next;
        clash_destroy(awaited, clash);
    }
    while (awaited->launches) {
        struct launch *launch = awaited->launches;
        HASH_DEL(awaited->launches, launch);
        launch_destroy(awaited, launch);
    }
    pthread_mutex_destroy(&awaited->mutex);
    alloc_free(awaited);
}

/* ---- launches ---- */

bool awaited_add(struct awaited *awaited, uint64_t call_id, const uint64_t *objects, size_t count)
{
    struct launch *launch = alloc_zero(1, sizeof *launch + count * sizeof *launch->objects);
    if (!launch)
        return false;
    launch->call_id = call_id;
    launch->count = count;
    for (size_t i = 0; i < count; i++)
        launch->objects[i].object = objects[i];
    pthread_mutex_lock(&awaited->mutex);
    HASH_ADD(hh, awaited->launches, call_id, sizeof launch->call_id, launch);
    const bool added = launch->hh.tbl != NULL;
    pthread_mutex_unlock(&awaited->mutex);
    if (added)
        atomic_fetch_add(&awaited->launch_count, 1);
    else
        alloc_free(launch);
    return added;
}

void awaited_bind(struct awaited *awaited, uint64_t call_id, struct ordered_command *command)
{
    if (atomic_load_explicit(&awaited->launch_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&awaited->mutex);
    struct launch *launch = find_launch(awaited, call_id);
    if (launch && !launch->is_bound) {
        launch->is_bound = true;
        launch->command = command_retain(command);
    }
    pthread_mutex_unlock(&awaited->mutex);
}

const struct call_uses *awaited_mark(struct awaited *awaited, uint64_t call_id,
                                     const struct call_uses *found, struct call_uses *room)
{
    const struct call_uses *marked = found;
    if (atomic_load_explicit(&awaited->launch_count, memory_order_relaxed) == 0)
        return found;
    pthread_mutex_lock(&awaited->mutex);
    if (find_launch(awaited, call_id)) {
        *room = *found;
        for (size_t i = 0; i < room->count; i++)
            room->uses[i].awaited = find_object(awaited, call_id, room->uses[i].object) != NULL;
        marked = room;
    }
    pthread_mutex_unlock(&awaited->mutex);
    return marked;
}

bool awaited_is_over(struct awaited *awaited, struct commands *commands, uint64_t call_id)
{
    pthread_mutex_lock(&awaited->mutex);
    const struct launch *launch = find_launch(awaited, call_id);
    struct ordered_command *command = launch ? command_retain(launch->command) : NULL;
    const bool is_bound = !launch || launch->is_bound;
    pthread_mutex_unlock(&awaited->mutex);
    const bool is_over = is_bound && commands_host_knows(commands, command);
    command_drop(command);
    return is_over;
}

/* ---- clashes ---- */

/* A new one. NULL when memory is out. */
static struct side *make_side(const struct use_origin *origin, const struct use *use)
{
    struct side *side = alloc_zero(1, sizeof *side);
    if (side)
        *side = (struct side){.holds = 1, .origin = *origin, .use = *use};
    return side;
}

/* The one that is there for such a use; NULL = there is none. */
static struct side *find_side(const struct awaited_object *object, const struct use *use)
{
    struct side *side = object->sides;
    while (side && (side->use.kind != use->kind || side->use.bytes.first != use->bytes.first ||
                    side->use.bytes.size != use->bytes.size))
        side = side->next;
    return side;
}

/* Held. NULL when memory is out. */
static struct side *side_of(const struct awaited *awaited, const struct use_origin *origin,
                            const struct use *use)
{
    struct awaited_object *object =
        use->awaited ? find_object(awaited, origin->call_id, use->object) : NULL;
    struct side *side = object ? find_side(object, use) : NULL;
    if (side || !(side = make_side(origin, use))) {
        if (side)
            side->holds++;
        return side;
    }
    if (object && object->told) {
        side->told = object->told;
        side->told->holds++;
    } else if (object) {
        side->is_open = true;
        side->holds++;
        side->next = object->sides;
        object->sides = side;
    }
    return side;
}

static bool is_open(const struct clash *clash)
{
    return clash->sides[EARLIER]->is_open || clash->sides[LATER]->is_open;
}

/* False when it does not wait. Locked. */
static bool add_clash(struct awaited *awaited, const struct uses_conflict *conflict,
                      const struct use *earlier, const struct use *later)
{
    if (awaited->clash_count >= CLASHES_MAX)
        return false;
    struct clash *clash = alloc_zero(1, sizeof *clash);
    if (!clash)
        return false;
    clash->conflict = *conflict;
    clash->sides[EARLIER] = side_of(awaited, conflict->earlier.origin, earlier);
    clash->sides[LATER] = side_of(awaited, conflict->later.origin, later);
    if (!clash->sides[EARLIER] || !clash->sides[LATER] || !is_open(clash)) {
        clash_destroy(awaited, clash);
        return false;
    }
    clash->next = awaited->clashes;
    awaited->clashes = clash;
    awaited->clash_count++;
    return true;
}

/* Of a launch that was awaited, and is so no more. */
static bool is_late(const struct awaited *awaited, const struct use_origin *origin,
                    const struct use *use)
{
    return use->awaited && !find_object(awaited, origin->call_id, use->object);
}

bool awaited_postpone(struct awaited *awaited, const struct uses_conflict *conflict,
                      const struct use *earlier, const struct use *later)
{
    pthread_mutex_lock(&awaited->mutex);
    const bool late = is_late(awaited, conflict->earlier.origin, earlier) ||
                      is_late(awaited, conflict->later.origin, later);
    const bool waits = late || add_clash(awaited, conflict, earlier, later);
    pthread_mutex_unlock(&awaited->mutex);
    return waits;
}

bool awaited_wants(struct awaited *awaited, uint64_t call_id, uint64_t object)
{
    pthread_mutex_lock(&awaited->mutex);
    const struct awaited_object *known = find_object(awaited, call_id, object);
    const bool wants = known && known->sides;
    pthread_mutex_unlock(&awaited->mutex);
    return wants;
}

/* ---- deciding ---- */

/* So many uses, from there on. */
static const struct use *uses_of(const struct side *side, size_t *count)
{
    *count = side->told ? side->told->count : 1;
    return side->told ? side->told->uses : &side->use;
}

static bool meet(const struct clash *clash, struct uses_conflict *conflict)
{
    size_t earlier_count, later_count;
    const struct use *earlier = uses_of(clash->sides[EARLIER], &earlier_count);
    const struct use *later = uses_of(clash->sides[LATER], &later_count);
    for (size_t e = 0; e < earlier_count; e++)
        for (size_t l = 0; l < later_count; l++)
            if (uses_meet_for_certain(&earlier[e], &later[l], conflict))
                return true;
    return false;
}

static bool is_unclear(const struct side *side)
{
    return !side->told && side->use.possible;
}

static bool is_atomic(const struct side *side)
{
    bool found = false;
    for (size_t i = 0; side->told && i < side->told->count; i++)
        found |= side->told->uses[i].kind == USE_ATOMIC_WRITE;
    return found;
}

/* What is to be said of the two; false: nothing. */
static bool decide(const struct clash *clash, struct uses_conflict *conflict)
{
    const struct side *earlier = clash->sides[EARLIER];
    const struct side *later = clash->sides[LATER];
    *conflict = clash->conflict;
    if (meet(clash, conflict))
        return true;
    *conflict = clash->conflict;
    if (is_atomic(earlier) && is_atomic(later)) {
        conflict->clash = USES_ATOMICS;
        conflict->first = conflict->size = 0;
        conflict->earlier = conflict->later = (struct use_side){.kind = USE_ATOMIC_WRITE};
        return true;
    }
    return is_unclear(earlier) || is_unclear(later);
}

static void report(const struct awaited *awaited, struct clash *clash)
{
    struct uses_conflict conflict;
    if (!decide(clash, &conflict))
        return;
    conflict.earlier.origin = &clash->sides[EARLIER]->origin;
    conflict.later.origin = &clash->sides[LATER]->origin;
    awaited->report(awaited->user, &conflict);
}

/* Takes out those that wait for nothing any more. Locked. */
static struct clash *take_decided(struct awaited *awaited)
{
    struct clash *taken = NULL;
    for (struct clash **at = &awaited->clashes; *at;) {
        struct clash *clash = *at;
        if (is_open(clash)) {
            at = &clash->next;
            continue;
        }
        *at = clash->next;
        clash->next = taken;
        taken = clash;
        awaited->clash_count--;
    }
    return taken;
}

static void report_all(struct awaited *awaited, struct clash *clashes)
{
    for (struct clash *clash = clashes; clash; clash = clash->next)
        report(awaited, clash);
    pthread_mutex_lock(&awaited->mutex);
    while (clashes) {
        struct clash *clash = clashes;
        clashes = clash->next;
        clash_destroy(awaited, clash);
    }
    pthread_mutex_unlock(&awaited->mutex);
}

void awaited_tell(struct awaited *awaited, uint64_t call_id, uint64_t object,
                  const struct use *uses, size_t count)
{
    pthread_mutex_lock(&awaited->mutex);
    struct awaited_object *known = find_object(awaited, call_id, object);
    struct told *told = known && !known->told ? told_create(awaited, uses, count) : NULL;
    if (told) {
        known->told = told;
        close_sides(awaited, known, told);
    }
    struct clash *decided = take_decided(awaited);
    pthread_mutex_unlock(&awaited->mutex);
    report_all(awaited, decided);
}

void awaited_end(struct awaited *awaited, uint64_t call_id)
{
    pthread_mutex_lock(&awaited->mutex);
    struct launch *launch = find_launch(awaited, call_id);
    if (launch) {
        HASH_DEL(awaited->launches, launch);
        launch_destroy(awaited, launch);
        atomic_fetch_sub(&awaited->launch_count, 1);
    }
    struct clash *decided = take_decided(awaited);
    pthread_mutex_unlock(&awaited->mutex);
    report_all(awaited, decided);
}
