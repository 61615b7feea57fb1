#include "checkers/host/memory/watched.h"

#include "checkers/finding.h"
#include "checkers/host/checker.h"

#include <inttypes.h>

/* Of more bytes samples are taken. A program that changes what it must not mostly changes all of
 * it, or its beginning. */
enum { SAMPLES = 8, SAMPLE_SIZE = 512 };

unsigned watched_parts(const struct host_options *options)
{
    static const struct {
        enum rule_index rule;
        unsigned part;
    } rules[] = {{RULE_SOURCE_CHANGED, HOST_WATCH_TRANSFERS},
                 {RULE_READ_UNAWAITED, HOST_WATCH_TRANSFERS},
                 {RULE_HOST_POINTER_CHANGED, HOST_WATCH_POINTERS},
                 {RULE_HOST_POINTER_UNREAD, HOST_WATCH_POINTERS},
                 {RULE_SVM_UNMAPPED, HOST_WATCH_SVM},
                 {RULE_MEMORY_FREED, HOST_WATCH_FREES},
                 {RULE_HOST_POINTER_FREED, HOST_WATCH_FREES},
                 {RULE_USER_DATA_FREED, HOST_WATCH_FREES}};
    unsigned parts = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        parts |= checks_has(&options->checks, rules[i].rule) ? rules[i].part : 0;
    return parts & options->watch;
}

bool watched_has(const struct watched *watched, unsigned parts)
{
    return (watched->parts & parts) != 0;
}

/* ---- bytes ---- */

/* Of rows or slices: 0 stands for one. */
static uint64_t count_of(uint64_t count)
{
    return count ? count : 1;
}

static uint64_t size_of(const struct use_bytes *bytes)
{
    return bytes->size * count_of(bytes->rows) * count_of(bytes->slices);
}

static bool add_digest(const struct host_options *options, uint64_t address, uint64_t size,
                       uint64_t *sum)
{
    uint64_t part;
    if (!options->digest(options->watch_user, address, size, &part))
        return false;
    *sum = (*sum ^ part) * UINT64_C(0x9e3779b97f4a7c15);
    return true;
}

static uint64_t address_of(const struct use_bytes *bytes, uint64_t row)
{
    const uint64_t rows = count_of(bytes->rows);
    return bytes->first + row / rows * bytes->slice_pitch + row % rows * bytes->row_pitch;
}

static bool digest_all(const struct host_options *options, const struct use_bytes *bytes,
                       uint64_t *digest)
{
    const uint64_t rows = count_of(bytes->rows) * count_of(bytes->slices);
    for (uint64_t row = 0; row < rows; row++) {
        if (!add_digest(options, address_of(bytes, row), bytes->size, digest))
            return false;
    }
    return true;
}

/* The first, the last, and some between. */
static bool digest_samples(const struct host_options *options, const struct use_bytes *bytes,
                           uint64_t *digest)
{
    const uint64_t step = (size_of(bytes) - SAMPLE_SIZE) / (SAMPLES - 1);
    const uint64_t last = size_of(bytes) - SAMPLE_SIZE;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t at = i + 1 < SAMPLES ? i * step : last;
        const uint64_t offset = at % bytes->size, rest = bytes->size - offset;
        if (!add_digest(options, address_of(bytes, at / bytes->size) + offset,
                        rest < SAMPLE_SIZE ? rest : SAMPLE_SIZE, digest))
            return false;
    }
    return true;
}

bool watched_digest(const struct watched *watched, unsigned part, const struct use_bytes *bytes,
                    uint64_t *digest)
{
    const struct host_options *options = &watched->checker->options;
    *digest = 0;
    if (!options->digest || !watched_has(watched, part))
        return false;
    return (options->watch_whole & part) != 0 || size_of(bytes) <= SAMPLES * SAMPLE_SIZE
               ? digest_all(options, bytes, digest)
               : digest_samples(options, bytes, digest);
}

uint64_t watched_last(const struct use_bytes *bytes)
{
    return bytes->first + (count_of(bytes->slices) - 1) * bytes->slice_pitch +
           (count_of(bytes->rows) - 1) * bytes->row_pitch + bytes->size - 1;
}

void watched_lend(struct watched *watched, const struct use_bytes *bytes)
{
    const struct host_options *options = &watched->checker->options;
    if (!watched_has(watched, HOST_WATCH_FREES) || bytes->size == 0)
        return;
    if (options->lend)
        options->lend(options->watch_user);
    lent_add(&watched->lent, bytes->first, watched_last(bytes));
}

void watched_return(struct watched *watched, const struct use_bytes *bytes)
{
    if (watched_has(watched, HOST_WATCH_FREES) && bytes->size > 0)
        lent_remove(&watched->lent, bytes->first, watched_last(bytes));
}

bool watched_meet(const struct use_bytes *a, const struct use_bytes *b)
{
    uint64_t first, size;
    return use_bytes_meet(a, b, &first, &size);
}

const char *watched_count(const struct use_bytes *bytes, struct arena *arena)
{
    const uint64_t size = size_of(bytes);
    return arena_format(arena, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

/* ---- findings ---- */

struct use_origin watched_origin(const struct watched *watched, const struct api_call *call)
{
    return (struct use_origin){.function = api_entry_get(call->entry)->name,
                               .call_id = call->id,
                               .stack = checker_stack(watched->checker)};
}

static struct finding_place make_place(const struct watched *watched,
                                       const struct use_origin *origin, const char *what,
                                       struct arena *arena)
{
    const struct host_options *options = &watched->checker->options;
    struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                  .function = origin->function,
                                  .label = arena_format(arena, "%s %s", origin->function, what),
                                  .call_id = origin->call_id};
    if (origin->stack && options->describe_stack)
        place.frame_count =
            options->describe_stack(options->stack_user, origin->stack, arena, &place.frames);
    return place;
}

void watched_tell(const struct watched *watched, const struct claim *claim)
{
    struct host_checker *checker = watched->checker;
    const struct use_origin *now = claim->now;
    const struct repeat_key key = {.stack = now ? now->stack : 0,
                                   .created_stack = claim->given->stack,
                                   .rule = (uint32_t)claim->rule,
                                   .entry = now ? api_entry_find(now->function) : 0,
                                   .created_entry = api_entry_find(claim->given->function)};
    if (is_blind(checker) || !checks_has(&checker->options.checks, claim->rule) ||
        repeats_count(checker->repeats, &key))
        return;
    struct arena arena = {0};
    struct finding_place places[2] = {make_place(watched, claim->given, claim->role, &arena)};
    size_t count = 1;
    if (now)
        places[count++] = make_place(watched, now, claim->event, &arena);
    const struct finding finding = {
        .rule = claim->rule,
        .message = claim->message ? claim->message : rule_get(claim->rule)->claim,
        .reason = claim->reason,
        .places = places,
        .place_count = count,
        .call_id = now && now->call_id ? now->call_id : claim->given->call_id,
        .count = 1};
    checker->options.report(checker->options.report_user, &finding);
    repeats_remember(checker->repeats, &key, &finding);
    arena_release(&arena);
}
