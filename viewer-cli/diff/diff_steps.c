#include "viewer-cli/diff/diff_steps.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/effect/argument.h"

#include <string.h>
#include <xxhash.h>

#include "trace/base/hash.h"

/* Of a thread, to find its like in the other run. */
enum { CALLS_OF_BEGINNING = 256 };

/* `shape` is what the call says but for how the objects were made that it names: a program that
 * changed does not make its kernels others. */
struct identity {
    uint64_t kind, words, shape;
};

/* How an object was made that a handle names; `arguments` is the sum of what a kernel was given. */
struct object {
    uint64_t handle;
    struct identity made;
    uint32_t maker; /* step */
    uint64_t place;
    uint64_t arguments;
    UT_hash_handle hh;
};

/* What a kernel's argument was given last. */
struct given {
    struct {
        uint64_t kernel, index;
    } key;
    uint64_t value;
    UT_hash_handle hh;
};

/* The calls of a thread about one object, or about none. */
struct diff_lane {
    struct diff_lane_key key;
    uint32_t *steps; /* indices, ascending */
    size_t count, capacity;
    UT_hash_handle hh;
};

struct loader {
    struct diff_run *run;
    struct object *objects;
    struct given *given;
    struct arena arena; /* both tables */
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t pair[] = {a, b};
    return XXH3_64bits(pair, sizeof pair);
}

/* ---- objects ---- */

static struct object *find_object(const struct loader *loader, uint64_t handle)
{
    struct object *object;
    HASH_FIND(hh, loader->objects, &handle, sizeof handle, object);
    return object;
}

/* What memory has no room for is told from nothing else. */
static void make_object(struct loader *loader, uint64_t handle, struct identity made,
                        uint64_t place)
{
    struct object *object = find_object(loader, handle);
    if (!object && (object = arena_alloc(&loader->arena, 1, sizeof *object)) != NULL) {
        object->handle = handle;
        HASH_ADD(hh, loader->objects, handle, sizeof object->handle, object);
    }
    if (object) {
        object->made = made;
        object->maker = (uint32_t)loader->run->count;
        object->place = place;
        object->arguments = 0;
    }
}

static uint64_t words_of_handle(const struct loader *loader, uint64_t handle)
{
    const struct object *object = find_object(loader, handle);
    return object ? object->made.shape : handle != 0;
}

/* ---- what a call says ---- */

static uint64_t word_at(const struct api_value *value, size_t i)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)value->data + i * sizeof word, sizeof word);
    return word;
}

/* Of words that may be handles. */
static uint64_t hash_words(const struct loader *loader, const struct api_value *value,
                           bool are_handles)
{
    uint64_t hash = value->count;
    for (size_t i = 0; i < value->size / sizeof(uint64_t); ++i) {
        const uint64_t word = word_at(value, i);
        hash = mix(hash,
                   are_handles || find_object(loader, word) ? words_of_handle(loader, word) : word);
    }
    return hash;
}

static uint64_t hash_value(const struct loader *loader, const struct api_value *value,
                           const struct api_parameter *parameter)
{
    switch (value->kind) {
    case API_VALUE_SCALAR:
        return value->bits;
    case API_VALUE_HANDLE:
        return words_of_handle(loader, value->bits);
    case API_VALUE_HANDLES:
        return hash_words(loader, value, true);
    case API_VALUE_PROPERTIES:
        return hash_words(loader, value, false);
    case API_VALUE_SIZES:
        if (parameter->role == API_ROLE_ADDRESSES)
            return value->count;
        break;
    case API_VALUE_BYTES:
        if (value->size == sizeof(uint64_t))
            return hash_words(loader, value, false);
        break;
    case API_VALUE_STRING:
    case API_VALUE_STRINGS:
        break;
    case API_VALUE_NONE:
    case API_VALUE_POINTER:
        return value->present;
    }
    return value->data ? XXH3_64bits(value->data, value->size) : 0;
}

/* The name of a kernel, what is asked for, and what sort of object is meant. */
static bool is_of_kind(const struct api_call *call, const struct api_parameter *parameter)
{
    return parameter->role == API_ROLE_ENUM || call->entry == API_ENTRY_clCreateKernel ||
           (parameter->role == API_ROLE_SCALAR && call->entry == API_ENTRY_clSetKernelArg &&
            strcmp(parameter->name, "arg_index") == 0);
}

static struct identity identify(const struct loader *loader, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const char *name = api_call_name(call);
    struct identity identity = {.kind = XXH3_64bits(name, strlen(name))};
    identity.words = identity.shape = identity.kind;
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const struct api_value *value = &call->arguments[i];
        if (info->outputs & 1u << i)
            continue;
        const uint64_t hash = hash_value(loader, value, parameter);
        const struct object *object =
            value->kind == API_VALUE_HANDLE ? find_object(loader, value->bits) : NULL;
        identity.words = mix(identity.words, hash);
        identity.shape = mix(identity.shape, object ? object->made.kind : hash);
        if (object)
            identity.kind = mix(identity.kind, object->made.kind);
        else if (is_of_kind(call, parameter) && value->kind != API_VALUE_HANDLE)
            identity.kind = mix(identity.kind, hash);
        if (object && api_entry_launches(call->entry))
            identity.words = mix(identity.words, object->arguments);
    }
    return identity;
}

/* ---- what a call changes ---- */

static void give(struct loader *loader, const struct argument_set *set, uint64_t value)
{
    struct object *kernel = find_object(loader, set->kernel);
    struct given *given = NULL;
    struct given key = {.key = {set->kernel, set->index}};
    if (!kernel)
        return;
    value = mix(value, set->index);
    HASH_FIND(hh, loader->given, &key.key, sizeof key.key, given);
    if (!given && (given = arena_copy(&loader->arena, &key, sizeof key)) != NULL)
        HASH_ADD(hh, loader->given, key, sizeof given->key, given);
    if (!given)
        return;
    kernel->arguments += value - given->value;
    given->value = value;
}

/* A new kernel of the same handle has no arguments. */
static void forget_given(struct loader *loader, uint64_t kernel)
{
    for (uint64_t index = 0;; ++index) {
        struct given *given;
        const struct given key = {.key = {kernel, index}};
        HASH_FIND(hh, loader->given, &key.key, sizeof key.key, given);
        if (!given)
            return;
        given->value = 0;
    }
}

static void take_objects(struct loader *loader, const struct api_call *call,
                         struct identity identity)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i) {
        const struct api_value *value = &call->arguments[i];
        const bool gives_out = info->parameters[i].role == API_ROLE_OUT_HANDLES ||
                               info->parameters[i].role == API_ROLE_OUT_EVENT;
        for (size_t at = 0;
             gives_out && value->kind == API_VALUE_HANDLES && value->data && at < value->count;
             ++at)
            make_object(loader, word_at(value, at),
                        (struct identity){.kind = identity.kind, .shape = mix(identity.shape, at)},
                        mix(i, at));
    }
    if (info->return_role != API_ROLE_HANDLE || !call->result.bits)
        return;
    make_object(loader, call->result.bits, identity, 0);
    if (info->return_kind == API_OBJECT_KERNEL)
        forget_given(loader, call->result.bits);
}

static void learn(struct loader *loader, const struct api_call *call, struct identity identity)
{
    struct argument_set set;
    if (!(call->flags & API_CALL_COMPLETED))
        return;
    take_objects(loader, call, identity);
    if (argument_set_by(call, &set))
        give(loader, &set, identity.words);
}

/* ---- loading ---- */

static struct diff_thread *get_thread(struct diff_run *run, uint32_t number)
{
    for (size_t i = 0; i < run->thread_count; ++i)
        if (run->threads[i].number == number)
            return &run->threads[i];
    void *grown =
        alloc_grow(run->threads, run->thread_count, &run->thread_capacity, sizeof *run->threads);
    if (!grown)
        return NULL;
    run->threads = grown;
    struct diff_thread *thread = &run->threads[run->thread_count++];
    *thread = (struct diff_thread){.number = number, .partner = DIFF_ALONE};
    return thread;
}

/* NULL when memory is out. */
static struct diff_lane *get_lane(struct diff_run *run, struct diff_lane_key key)
{
    struct diff_lane *lane;
    HASH_FIND(hh, run->lanes, &key, sizeof key, lane);
    if (lane || !(lane = alloc_zero(1, sizeof *lane)))
        return lane;
    lane->key = key;
    HASH_ADD(hh, run->lanes, key, sizeof lane->key, lane);
    if (lane->hh.tbl)
        return lane;
    alloc_free(lane);
    return NULL;
}

static struct diff_lane_key find_lane(const struct loader *loader, const struct api_call *call,
                                      uint32_t thread)
{
    struct diff_lane_key key = {.thread = thread, .maker = DIFF_ALONE};
    if (!call->argument_count || call->arguments[0].kind != API_VALUE_HANDLE)
        return key;
    const struct object *object = find_object(loader, call->arguments[0].bits);
    if (object) {
        key.maker = object->maker;
        key.place = object->place;
    }
    return key;
}

static bool add_index(uint32_t **indices, size_t *count, size_t *capacity, uint32_t index)
{
    uint32_t *grown = alloc_grow(*indices, *count, capacity, sizeof **indices);
    if (!grown)
        return false;
    *indices = grown;
    grown[(*count)++] = index;
    return true;
}

static enum status load_call(void *user, const struct api_call *call, struct error *error)
{
    struct loader *loader = user;
    struct diff_run *run = loader->run;
    const uint32_t index = (uint32_t)run->count;
    struct diff_thread *thread = get_thread(run, call->thread);
    const uint32_t number = thread ? (uint32_t)(thread - run->threads) : 0;
    struct diff_lane *lane = thread ? get_lane(run, find_lane(loader, call, number)) : NULL;
    void *steps = alloc_grow(run->steps, run->count, &run->capacity, sizeof *run->steps);
    run->steps = steps ? steps : run->steps;
    if (!steps || !lane || index == DIFF_ALONE - 1 ||
        !add_index(&thread->steps, &thread->count, &thread->capacity, index) ||
        !add_index(&lane->steps, &lane->count, &lane->capacity, index))
        return error_no_memory(error, sizeof *run->steps);
    const struct identity identity = identify(loader, call);
    learn(loader, call, identity);
    run->steps[run->count++] = (struct diff_step){.id = call->id,
                                                  .kind = identity.kind,
                                                  .words = identity.words,
                                                  .thread = number,
                                                  .entry = call->entry,
                                                  .partner = DIFF_ALONE};
    return STATUS_OK;
}

static enum status load(struct diff_run *run, struct error *error)
{
    struct loader loader = {.run = run};
    const enum status status = trace_each_call(run->trace, NULL, load_call, &loader, error);
    HASH_CLEAR(hh, loader.objects);
    HASH_CLEAR(hh, loader.given);
    arena_release(&loader.arena);
    return status;
}

/* ---- threads ---- */

/* Questions are left out: their number depends on answers, and some of those are times. */
static void hash_beginning(const struct diff_run *run, struct diff_thread *thread)
{
    size_t left = CALLS_OF_BEGINNING;
    for (size_t i = 0; i < thread->count && left; ++i) {
        const struct diff_step *step = &run->steps[thread->steps[i]];
        if (api_entry_asks(step->entry))
            continue;
        thread->beginning = mix(thread->beginning, step->words);
        --left;
    }
}

/* Threads are numbered in the order in which they first call, which may be another one in each run.
 * Pairs those that begin alike, in the order of their numbers, then the others. */
static void pair_threads(struct diff_run runs[2])
{
    for (int side = 0; side < 2; ++side)
        for (size_t i = 0; i < runs[side].thread_count; ++i)
            hash_beginning(&runs[side], &runs[side].threads[i]);
    for (int alike = 1; alike >= 0; --alike)
        for (size_t i = 0; i < runs[0].thread_count; ++i) {
            struct diff_thread *a = &runs[0].threads[i];
            for (size_t j = 0; j < runs[1].thread_count && a->partner == DIFF_ALONE; ++j) {
                struct diff_thread *b = &runs[1].threads[j];
                if (b->partner != DIFF_ALONE || (alike && a->beginning != b->beginning))
                    continue;
                a->partner = (uint32_t)j;
                b->partner = (uint32_t)i;
            }
        }
}

/* ---- which calls belong together ---- */

static void pair_steps(struct diff_run runs[2], uint32_t a, uint32_t b)
{
    runs[0].steps[a].partner = b;
    runs[1].steps[b].partner = a;
}

struct part {
    const uint32_t *steps; /* indices */
    size_t first, end;     /* of them */
};

static uint64_t *numbers_of(const struct diff_run *run, const struct part *part, bool by_words)
{
    uint64_t *numbers = alloc_zero(part->end - part->first, sizeof *numbers);
    for (size_t i = part->first; numbers && i < part->end; ++i) {
        const struct diff_step *step = &run->steps[part->steps[i]];
        numbers[i - part->first] = by_words ? step->words : step->kind;
    }
    return numbers;
}

static enum status align(struct diff_run runs[2], const struct part parts[2], bool by_words,
                         struct error *error)
{
    const size_t counts[2] = {parts[0].end - parts[0].first, parts[1].end - parts[1].first};
    if (!counts[0] || !counts[1])
        return STATUS_OK;
    uint64_t *a = numbers_of(&runs[0], &parts[0], by_words);
    uint64_t *b = numbers_of(&runs[1], &parts[1], by_words);
    uint32_t *partners = alloc_zero(counts[0], sizeof *partners);
    enum status status = a && b && partners
                             ? diff_align(a, counts[0], b, counts[1], partners, error)
                             : error_no_memory(error, counts[0] * sizeof *a);
    for (size_t i = 0; !status && i < counts[0]; ++i)
        if (partners[i] != DIFF_ALONE)
            pair_steps(runs, parts[0].steps[parts[0].first + i],
                       parts[1].steps[parts[1].first + partners[i]]);
    alloc_free(a);
    alloc_free(b);
    alloc_free(partners);
    return status;
}

/* What is between calls that say the same, by kinds. */
static enum status align_between(struct diff_run runs[2], const struct part lanes[2],
                                 struct error *error)
{
    struct part parts[2] = {lanes[0], lanes[1]};
    enum status status = STATUS_OK;
    while (!status && parts[0].first < lanes[0].end) {
        for (int side = 0; side < 2; ++side) {
            struct part *part = &parts[side];
            part->end = part->first;
            while (part->end < lanes[side].end &&
                   runs[side].steps[part->steps[part->end]].partner == DIFF_ALONE)
                ++part->end;
        }
        status = align(runs, parts, false, error);
        parts[0].first = parts[0].end + 1;
        parts[1].first = parts[1].end + 1;
    }
    return status;
}

/* The lane of the other run. Its object's maker was aligned before: it is in a lane without an
 * object, or in one whose object is older. */
static const struct diff_lane *find_partner(const struct diff_run runs[2],
                                            const struct diff_lane *lane)
{
    struct diff_lane_key key = lane->key;
    struct diff_lane *found;
    key.thread = runs[0].threads[key.thread].partner;
    if (key.maker != DIFF_ALONE && (key.maker = runs[0].steps[key.maker].partner) == DIFF_ALONE)
        return NULL;
    HASH_FIND(hh, runs[1].lanes, &key, sizeof key, found);
    return found;
}

static enum status align_lane(struct diff_run runs[2], const struct diff_lane *lane,
                              struct error *error)
{
    const struct diff_lane *other = find_partner(runs, lane);
    if (!other)
        return STATUS_OK;
    const struct part parts[2] = {{lane->steps, 0, lane->count}, {other->steps, 0, other->count}};
    const enum status status = align(runs, parts, true, error);
    return status ? status : align_between(runs, parts, error);
}

/* Lanes without an object first, then by the age of the object. */
static int compare_lanes(const struct diff_lane *a, const struct diff_lane *b)
{
    const uint32_t x = a->key.maker + 1;
    const uint32_t y = b->key.maker + 1;
    return (x > y) - (x < y);
}

static enum status align_lanes(struct diff_run runs[2], struct error *error)
{
    enum status status = STATUS_OK;
    HASH_SORT(runs[0].lanes, compare_lanes);
    for (const struct diff_lane *lane = runs[0].lanes; lane && !status; lane = lane->hh.next)
        status = align_lane(runs, lane, error);
    return status;
}

/* What does not keep the order of its thread. */
static enum status mark_moved(struct diff_run runs[2], const struct diff_thread *thread,
                              struct error *error)
{
    uint32_t *partners = alloc_zero(thread->count, sizeof *partners);
    if (!partners)
        return error_no_memory(error, thread->count * sizeof *partners);
    for (size_t i = 0; i < thread->count; ++i)
        partners[i] = runs[0].steps[thread->steps[i]].partner;
    const enum status status = diff_keep_longest_row(partners, thread->count, error);
    for (size_t i = 0; i < thread->count && !status; ++i) {
        struct diff_step *step = &runs[0].steps[thread->steps[i]];
        if (step->partner != DIFF_ALONE && partners[i] == DIFF_ALONE)
            step->is_moved = runs[1].steps[step->partner].is_moved = true;
    }
    alloc_free(partners);
    return status;
}

struct moved {
    uint64_t words;
    uint32_t next; /* of the second run, from which on one may be free */
    UT_hash_handle hh;
};

/* Of what is left, the n-th call that says something in one run and the n-th in the other. */
static enum status pair_moved(struct diff_run runs[2], struct error *error)
{
    struct moved *table = NULL;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    uint32_t *later = alloc_zero(runs[1].count, sizeof *later); /* the next that says the same */
    for (size_t j = runs[1].count; later && !status && j-- > 0;) {
        const struct diff_step *step = &runs[1].steps[j];
        struct moved *entry = NULL;
        if (step->partner != DIFF_ALONE)
            continue;
        HASH_FIND(hh, table, &step->words, sizeof step->words, entry);
        later[j] = entry ? entry->next : DIFF_ALONE;
        if (!entry && (entry = arena_alloc(&arena, 1, sizeof *entry)) != NULL) {
            entry->words = step->words;
            HASH_ADD(hh, table, words, sizeof entry->words, entry);
        }
        if (entry)
            entry->next = (uint32_t)j;
        else
            status = error_no_memory(error, sizeof *entry);
    }
    for (size_t i = 0; later && !status && i < runs[0].count; ++i) {
        const struct diff_step *step = &runs[0].steps[i];
        struct moved *entry = NULL;
        if (step->partner == DIFF_ALONE)
            HASH_FIND(hh, table, &step->words, sizeof step->words, entry);
        if (!entry || entry->next == DIFF_ALONE)
            continue;
        const uint32_t found = entry->next;
        entry->next = later[found];
        pair_steps(runs, (uint32_t)i, found);
        runs[0].steps[i].is_moved = runs[1].steps[found].is_moved = true;
    }
    HASH_CLEAR(hh, table);
    arena_release(&arena);
    alloc_free(later);
    return later ? status : error_no_memory(error, runs[1].count * sizeof *later);
}

enum status diff_runs_load(struct diff_run *runs, struct error *error)
{
    enum status status = load(&runs[0], error);
    if (!status)
        status = load(&runs[1], error);
    if (!status)
        pair_threads(runs);
    if (!status)
        status = align_lanes(runs, error);
    for (size_t i = 0; !status && i < runs[0].thread_count; ++i)
        status = mark_moved(runs, &runs[0].threads[i], error);
    return status ? status : pair_moved(runs, error);
}

static void release_lanes(struct diff_run *run)
{
    struct diff_lane *lane;
    struct diff_lane *next;
    HASH_ITER(hh, run->lanes, lane, next)
    {
        HASH_DEL(run->lanes, lane);
        alloc_free(lane->steps);
        alloc_free(lane);
    }
}

void diff_runs_release(struct diff_run *runs)
{
    for (int side = 0; side < 2; ++side) {
        release_lanes(&runs[side]);
        for (size_t i = 0; i < runs[side].thread_count; ++i)
            alloc_free(runs[side].threads[i].steps);
        alloc_free(runs[side].threads);
        alloc_free(runs[side].steps);
    }
}
