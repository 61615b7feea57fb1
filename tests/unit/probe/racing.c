#include "tests/unit/probe/racing.h"

#include "checkers/probe/cell_layout.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- which accesses race ---- */

enum { ELEMENT_BYTES = 4 };

static size_t index_of(struct racing_access access)
{
    return ((size_t)access.item * RACING_EPOCHS + access.epoch) * RACING_KINDS + access.kind;
}

static struct oracle_event event_of(const struct racing_world *world, struct racing_access access)
{
    static const enum oracle_kind kinds[RACING_KINDS] = {
        [CLERK_READ] = ORACLE_READ,
        [CLERK_ATOMIC] = ORACLE_ATOMIC_UPDATE,
        [CLERK_WRITE] = ORACLE_WRITE,
        [CLERK_ATOMIC_READ] = ORACLE_ATOMIC_READ,
    };
    ASSERT(access.kind != CLERK_BOTH);
    return (struct oracle_event){
        .kind = kinds[access.kind],
        .unit = access.item,
        .size = ELEMENT_BYTES,
        .order = ORACLE_RELAXED,
        .scope = world->region == ORACLE_LOCAL ? ORACLE_WORK_GROUP : ORACLE_DEVICE,
    };
}

/* Puts barriers before accesses of a later epoch. */
uint32_t racing_judge(const struct racing_world *world, const struct racing_access accesses[],
                      size_t count)
{
    struct oracle_unit units[RACING_ITEMS];
    for (uint32_t i = 0; i < RACING_ITEMS; i++) {
        units[i] = (struct oracle_unit){.group = world->groups[i], .is_item = true};
    }
    const struct oracle_object object = {world->region, ORACLE_BUFFER, ELEMENT_BYTES};
    const struct oracle_machine machine = {.units = units,
                                           .unit_count = RACING_ITEMS,
                                           .objects = &object,
                                           .object_count = 1,
                                           .scope_rule = ORACLE_SCOPES_EQUAL};
    struct oracle *oracle = oracle_create(&machine);
    uint32_t epochs[RACING_ITEMS] = {0}; /* by group */
    uint32_t events = 0;
    uint32_t access_of[RACING_ACCESSES * 2]; /* by event */
    struct error error;
    ASSERT(oracle != NULL && count <= RACING_ACCESSES);
    for (size_t i = 0; i < count; i++) {
        const uint32_t group = world->groups[accesses[i].item];
        if (accesses[i].epoch > epochs[group]) {
            const struct oracle_event barrier = {.kind = ORACLE_BARRIER,
                                                 .unit = accesses[i].item,
                                                 .flags = 1U << world->region,
                                                 .scope = ORACLE_WORK_GROUP};
            ASSERT(oracle_step(oracle, &barrier, &error) == STATUS_OK);
            epochs[group]++;
            events++;
        }
        const struct oracle_event event = event_of(world, accesses[i]);
        ASSERT(oracle_step(oracle, &event, &error) == STATUS_OK);
        access_of[events++] = (uint32_t)i;
    }
    size_t race_count;
    const struct oracle_race *races = oracle_races(oracle, &race_count);
    uint32_t later = 0;
    for (size_t i = 0; i < race_count; i++) {
        later |= 1U << access_of[races[i].later];
    }
    oracle_destroy(oracle);
    return later;
}

bool racing_may_follow(const struct racing_world *world, const struct racing_access before[],
                       size_t count, struct racing_access access)
{
    for (size_t i = 0; i < count; i++) {
        if (world->groups[before[i].item] == world->groups[access.item] &&
            before[i].epoch > access.epoch) {
            return false;
        }
    }
    return true;
}

static struct racing_access access_at(size_t index)
{
    return (struct racing_access){.item = (uint32_t)(index / RACING_KINDS / RACING_EPOCHS),
                                  .epoch = (uint32_t)(index / RACING_KINDS % RACING_EPOCHS),
                                  .kind = (uint32_t)(index % RACING_KINDS)};
}

void racing_world_init(struct racing_world *world)
{
    enum { ALL = RACING_ITEMS * RACING_EPOCHS * RACING_KINDS };
    for (size_t a = 0; a < ALL; a++) {
        for (size_t b = 0; b < ALL; b++) {
            const struct racing_access pair[2] = {access_at(a), access_at(b)};
            const bool asked = pair[0].kind != CLERK_BOTH && pair[1].kind != CLERK_BOTH &&
                               racing_may_follow(world, pair, 1, pair[1]);
            world->races[a][b] = asked && racing_judge(world, pair, 2) != 0;
        }
    }
}

bool racing_races(const struct racing_world *world, struct racing_access a, struct racing_access b)
{
    const size_t i = index_of(a);
    const size_t j = index_of(b);
    return world->races[i][j] || world->races[j][i];
}

uint32_t racing_all(const struct racing_world *world, const struct racing_access accesses[],
                    size_t count)
{
    uint32_t all = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            if (racing_races(world, accesses[a], accesses[b])) {
                all |= 1U << a;
            }
        }
    }
    return all;
}

/* ---- one step of one item ---- */

uint64_t racing_cell[1];
uint32_t racing_words[RACING_WORDS];

void racing_start(void)
{
    racing_cell[0] = 0;
    memset(racing_words, 0, sizeof racing_words);
}

enum { STEPS_MAX = 8 };

/* What an item has seen since its access began. To perform the next step, the access begins again,
 * gets the same answers and performs one step more; if it asks for yet another, it runs to its end
 * with answers of 0 and without effect, as if it had stopped there. */
struct past {
    uint64_t answers[STEPS_MAX];
};

static struct {
    bool is_on;
    bool is_whole; /* all steps at once */
    bool has_performed, has_stopped;
    uint32_t asked, known;
    struct past *past;
} stepper;

/* True: this is the step to perform. False: *answer is known. */
static bool begin_step(uint64_t *answer)
{
    if (!stepper.is_on) {
        return true;
    }
    if (stepper.asked < stepper.known) {
        *answer = stepper.past->answers[stepper.asked++];
        return false;
    }
    if (stepper.has_performed && !stepper.is_whole) {
        stepper.has_stopped = true;
        *answer = 0;
        return false;
    }
    return true;
}

static uint64_t end_step(uint64_t answer)
{
    if (stepper.is_on) {
        ASSERT(stepper.known < STEPS_MAX);
        stepper.past->answers[stepper.known++] = answer;
        stepper.asked++;
        stepper.has_performed = true;
    }
    return answer;
}

uint32_t racing_load(const volatile uint32_t *place)
{
    uint64_t answer;
    return (uint32_t)(begin_step(&answer) ? end_step(*place) : answer);
}

void racing_store(volatile uint32_t *place, uint32_t value)
{
    uint64_t answer;
    if (begin_step(&answer)) {
        *place = value;
        end_step(0);
    }
}

uint32_t racing_exchange(volatile uint32_t *place, uint32_t value)
{
    uint64_t answer;
    if (begin_step(&answer)) {
        answer = *place;
        *place = value;
        end_step(answer);
    }
    return (uint32_t)answer;
}

uint64_t racing_max(volatile uint64_t *place, uint64_t value)
{
    uint64_t answer;
    if (begin_step(&answer)) {
        answer = *place;
        *place = value > answer ? value : answer;
        end_step(answer);
    }
    return answer;
}

/* ---- all interleavings ---- */

struct state {
    uint64_t schedules; /* that lead here */
    uint64_t hash;
    uint64_t cell; /* from here on what tells states apart */
    uint32_t words[RACING_WORDS];
    uint32_t found;
    uint8_t done[RACING_ITEMS];  /* accesses of each item */
    uint8_t known[RACING_ITEMS]; /* steps of the one that it is in */
    uint8_t padding[2];
    struct past pasts[RACING_ITEMS];
};

struct states {
    struct state *items;
    size_t count, capacity;
    uint32_t *table; /* of 1 + index */
    size_t table_size;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct state *state)
{
    uint64_t hash = mix(state->cell, (uint64_t)state->words[0] << 32 | state->words[1]);
    hash = mix(hash, state->found);
    for (int item = 0; item < RACING_ITEMS; item++) {
        hash = mix(hash, (uint64_t)state->done[item] << 8 | state->known[item]);
        for (uint32_t i = 0; i < state->known[item]; i++) {
            hash = mix(hash, state->pasts[item].answers[i]);
        }
    }
    return hash;
}

static bool is_same(const struct state *a, const struct state *b)
{
    const size_t begin = offsetof(struct state, cell);
    return a->hash == b->hash &&
           memcmp((const char *)a + begin, (const char *)b + begin, sizeof *a - begin) == 0;
}

static void table_put(struct states *states, size_t index)
{
    size_t slot = states->items[index].hash & (states->table_size - 1);
    while (states->table[slot] != 0) {
        slot = (slot + 1) & (states->table_size - 1);
    }
    states->table[slot] = (uint32_t)index + 1;
}

/* A large table would have to be emptied for many small programs. */
static void states_clear(struct states *states)
{
    states->count = 0;
    if (states->table_size > 256) {
        alloc_free(states->table);
        states->table = NULL;
        states->table_size = 0;
    }
    if (states->table != NULL) {
        memset(states->table, 0, states->table_size * sizeof *states->table);
    }
}

static void table_grow(struct states *states)
{
    alloc_free(states->table);
    states->table_size = states->table_size == 0 ? 64 : states->table_size * 2;
    states->table = alloc_zero(states->table_size, sizeof *states->table);
    ASSERT(states->table != NULL);
    for (size_t i = 0; i < states->count; i++) {
        table_put(states, i);
    }
}

static void states_add(struct states *states, struct state *state)
{
    state->hash = hash_of(state);
    if (states->count * 2 >= states->table_size) {
        table_grow(states);
    }
    size_t slot = state->hash & (states->table_size - 1);
    for (; states->table[slot] != 0; slot = (slot + 1) & (states->table_size - 1)) {
        struct state *known = &states->items[states->table[slot] - 1];
        if (is_same(known, state)) {
            known->schedules += state->schedules;
            return;
        }
    }
    states->items =
        alloc_grow(states->items, states->count, &states->capacity, sizeof *states->items);
    ASSERT(states->items != NULL);
    states->items[states->count++] = *state;
    states->table[slot] = (uint32_t)states->count;
}

/* Which access the item is in or at; the count of accesses = none. */
static size_t current(const struct racing_exploration *exploration, const struct state *state,
                      uint32_t item)
{
    size_t index = 0;
    for (uint32_t seen = 0; index < exploration->count; index++) {
        if (exploration->accesses[index].item == item && seen++ == state->done[item]) {
            break;
        }
    }
    return index;
}

/* Do all items of its group that have accesses in earlier epochs have them behind? */
static bool is_awaited(const struct racing_exploration *exploration, const struct state *state,
                       const struct racing_access *access)
{
    const uint32_t *groups = exploration->world->groups;
    for (uint32_t item = 0; item < RACING_ITEMS; item++) {
        const size_t index = current(exploration, state, item);
        if (groups[item] == groups[access->item] && index < exploration->count &&
            exploration->accesses[index].epoch < access->epoch) {
            return true;
        }
    }
    return false;
}

static void step(const struct racing_exploration *exploration, struct state *state, size_t index)
{
    const struct racing_access *access = &exploration->accesses[index];
    memcpy(racing_words, state->words, sizeof racing_words);
    racing_cell[0] = state->cell;
    stepper.is_on = true;
    stepper.is_whole = (exploration->whole_kinds >> access->kind & 1) != 0;
    stepper.has_performed = false;
    stepper.has_stopped = false;
    stepper.asked = 0;
    stepper.known = state->known[access->item];
    stepper.past = &state->pasts[access->item];
    const bool found = exploration->perform(access);
    if (stepper.has_stopped) {
        state->known[access->item] = (uint8_t)stepper.known;
    } else {
        state->found |= (uint32_t)found << index;
        state->done[access->item]++;
        state->known[access->item] = 0;
        memset(stepper.past, 0, sizeof *stepper.past);
    }
    stepper.is_on = false;
    state->cell = racing_cell[0];
    memcpy(state->words, racing_words, sizeof racing_words);
}

/* False when all is done. */
static bool follow(const struct racing_exploration *exploration, const struct state *state,
                   struct states *next)
{
    bool any = false;
    for (uint32_t item = 0; item < RACING_ITEMS; item++) {
        const size_t index = current(exploration, state, item);
        if (index < exploration->count) {
            any = true;
            if (!is_awaited(exploration, state, &exploration->accesses[index])) {
                struct state after = *state;
                step(exploration, &after, index);
                states_add(next, &after);
            }
        }
    }
    return any;
}

void racing_explore(const struct racing_exploration *exploration,
                    void (*see)(struct racing_outcome outcome, void *context), void *context)
{
    static struct states levels[2];
    struct state start = {.schedules = 1};
    size_t level = 0;
    states_clear(&levels[0]);
    states_add(&levels[0], &start);
    while (levels[level].count != 0) {
        struct states *next = &levels[1 - level];
        states_clear(next);
        for (size_t i = 0; i < levels[level].count; i++) {
            const struct state *state = &levels[level].items[i];
            if (!follow(exploration, state, next)) {
                see((struct racing_outcome){state->found, state->schedules}, context);
            }
        }
        level = 1 - level;
    }
}
