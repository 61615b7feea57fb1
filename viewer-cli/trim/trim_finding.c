/* The smallest part of a recording that still shows a finding. Whether a part shows it, clerk
 * replay says, on the reference device, or clerk check: each in a process of its own, as a part may
 * do what the run did not, and the reference device begins anew. */
#include "checkers/finding.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/process.h"
#include "trace/base/scratch.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/trim/trim.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 << 20, TIME_MIN_MS = 20000 };

struct search {
    struct trace *trace;
    const char *trace_path;
    char *self;
    struct scratch directory;
    char *base; /* the path of the smallest part up to now, or of the trace */
    bool base_is_ours;
    char *origin;          /* the path of what parts are written from */
    struct finding wanted; /* as the trace has it */
    uint64_t fingerprint;
    const char *judge; /* "replay" or "check" */
    uint64_t *known;   /* fingerprints of what the judge finds in the whole run */
    size_t known_count, known_capacity;
    bool knows_all;
    uint32_t timeout_ms;
    unsigned part_number;
    uint64_t tries;
    struct arena arena;
};

/* ---- does a part show it? ---- */

static bool is_known(const struct search *search, uint64_t fingerprint)
{
    for (size_t i = 0; i < search->known_count; ++i)
        if (search->known[i] == fingerprint)
            return true;
    return false;
}

/* False when memory is out. */
static bool learn(struct search *search, uint64_t fingerprint)
{
    uint64_t *grown =
        alloc_grow(search->known, search->known_count, &search->known_capacity, sizeof *grown);
    if (!grown)
        return false;
    search->known = grown;
    grown[search->known_count++] = fingerprint;
    return true;
}

/* Is the finding among what the judge printed, and nothing that it does not find in the whole run,
 * but more by the same rule? That is asked first. */
static enum status look(struct search *search, char *output, bool *shown, struct error *error)
{
    bool is_strange = false;
    char *rest = output;
    *shown = false;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct arena arena = {0};
        struct finding finding;
        const bool is_finding = finding_parse_json(line, &arena, &finding, NULL) == STATUS_OK;
        const uint64_t fingerprint = is_finding ? finding_fingerprint(&finding) : 0;
        const bool is_alike = is_finding && finding.rule == search->wanted.rule;
        arena_release(&arena);
        if (!is_finding)
            continue;
        *shown |= fingerprint == search->fingerprint;
        if (!search->knows_all && !learn(search, fingerprint))
            return error_no_memory(error, sizeof *search->known);
        is_strange |= !is_alike && !is_known(search, fingerprint);
    }
    *shown &= !is_strange;
    return STATUS_OK;
}

static enum status run(struct search *search, const char *verb, const char *path,
                       struct process_result *result, struct error *error)
{
    const char *const arguments[] = {search->self,     verb, path, "--json", "--fail-on", "never",
                                     "--max-per-rule", "0",  NULL};
    const struct process_request request = {.arguments = arguments,
                                            .output_max = OUTPUT_MAX,
                                            .timeout_ms = search->timeout_ms,
                                            .own_group = true};
    return process_run(&request, result, error);
}

/* Was it done, whatever came of it? */
static bool is_done(const struct process_result *result)
{
    return !result->timed_out &&
           (result->exit_status == VERB_OK || result->exit_status == VERB_FOUND);
}

/* A part that cannot be performed is of no use, whoever judges it. */
static enum status judge(struct search *search, const char *path, bool *shown, struct error *error)
{
    struct process_result result = {0};
    ++search->tries;
    enum status status = run(search, search->judge, path, &result, error);
    *shown = false;
    if (!status && is_done(&result))
        status = look(search, result.standard_output.bytes, shown, error);
    process_result_release(&result);
    if (status || !*shown || strcmp(search->judge, "replay") == 0)
        return status;
    status = run(search, "replay", path, &result, error);
    *shown = !status && is_done(&result);
    process_result_release(&result);
    return status;
}

/* ---- parts ---- */

static char *new_path(struct search *search)
{
    return alloc_format("%s/%u.db", search->directory.path, ++search->part_number);
}

static void take_base(struct search *search, char *path)
{
    if (search->base_is_ours)
        unlink(search->base);
    alloc_free(search->base);
    search->base = path;
    search->base_is_ours = true;
}

/* The part becomes the base if it shows the finding; else it is removed. */
static enum status try(struct search *search, char *path, bool *shown, struct error *error)
{
    const enum status status = judge(search, path, shown, error);
    if (!status && *shown) {
        take_base(search, path);
    } else {
        unlink(path);
        alloc_free(path);
    }
    return status;
}

/* What reading a trace may take is bounded: it is opened for each part. */
static enum status write_part(const struct search *search, const struct trim_part *part,
                              const char *path, struct error *error)
{
    struct trim_part written = *part;
    written.trace = NULL;
    enum status status = trace_open(search->origin, &written.trace, error);
    if (!status)
        status = trim_part_write(&written, path, error);
    trace_close(written.trace);
    return status;
}

static enum status try_part(struct search *search, const struct trim_part *part, bool *shown,
                            struct error *error)
{
    char *path = new_path(search);
    if (!path)
        return error_no_memory(error, 64);
    const enum status status = write_part(search, part, path, error);
    if (status) {
        unlink(path);
        alloc_free(path);
        return status;
    }
    return try(search, path, shown, error);
}

/* The launches from `first` to that of the finding. What cannot be cut out is not shown. */
static enum status try_launches(struct search *search, uint64_t first, bool *shown,
                                struct error *error)
{
    char *path = new_path(search);
    char *range = alloc_format("%" PRIu64 "-%" PRIu64, first, search->wanted.call_id);
    struct process_result result = {0};
    enum status status = path && range ? STATUS_OK : error_no_memory(error, 64);
    const char *const arguments[] = {
        search->self, "trim", search->trace_path, "--launches", range, "-o", path, NULL};
    const struct process_request request = {
        .arguments = arguments, .output_max = OUTPUT_MAX, .timeout_ms = search->timeout_ms};
    if (!status)
        status = process_run(&request, &result, error);
    const bool is_cut = !status && result.exit_status == VERB_OK;
    process_result_release(&result);
    alloc_free(range);
    *shown = false;
    if (is_cut)
        return try(search, path, shown, error);
    alloc_free(path);
    return status;
}

/* Fewer launches before that of the finding: as few as show it, up to twice. */
static enum status find_launches(struct search *search, struct error *error)
{
    uint64_t *launches = NULL;
    size_t count = 0, capacity = 0;
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        search->trace, &rows, error,
        "SELECT call FROM launch WHERE call <= %lld AND call > %lld ORDER BY call DESC",
        (long long)search->wanted.call_id, (long long)trace_begins_after(search->trace));
    while (rows_next(rows, &status, error)) {
        uint64_t *grown = alloc_grow(launches, count, &capacity, sizeof *launches);
        if (!grown) {
            status = error_no_memory(error, sizeof *launches);
            break;
        }
        launches = grown;
        launches[count++] = (uint64_t)rows_number(rows, 0);
    }
    rows_close(rows);
    bool shown = false;
    for (size_t wanted = 1; !status && !shown && wanted <= count; wanted *= 2)
        status = try_launches(search, launches[wanted - 1], &shown, error);
    alloc_free(launches);
    return status;
}

/* ---- smaller and smaller ---- */

/* The calls or memory objects of a part: without those from `at` on. */
static void leave_out(struct trim_part *part, bool calls, size_t at, size_t count)
{
    if (calls) {
        part->call_count -= count;
        memmove(part->calls + at, part->calls + at + count,
                (part->call_count - at) * sizeof *part->calls);
    } else {
        part->object_count -= count;
        memmove(part->objects + at, part->objects + at + count,
                (part->object_count - at) * sizeof *part->objects);
    }
}

static enum status copy_part(const struct trim_part *part, struct arena *arena,
                             struct trim_part *copy, struct error *error)
{
    *copy = *part;
    copy->calls = arena_alloc(arena, part->call_count + 1, sizeof *copy->calls);
    copy->objects = arena_alloc(arena, part->object_count + 1, sizeof *copy->objects);
    if (!copy->calls || !copy->objects)
        return error_no_memory(error, part->call_count * sizeof *copy->calls);
    memcpy(copy->calls, part->calls, part->call_count * sizeof *copy->calls);
    if (part->object_count)
        memcpy(copy->objects, part->objects, part->object_count * sizeof *copy->objects);
    return STATUS_OK;
}

/* Tries `count` at a time, from the last to the first: what is made is needed by what comes after.
 */
static enum status leave_out_each(struct search *search, struct trim_part *part, bool calls,
                                  size_t count, struct error *error)
{
    enum status status = STATUS_OK;
    size_t end = calls ? part->call_count : part->object_count;
    while (!status && end > 0) {
        const size_t size = count < end ? count : end;
        struct arena arena = {0};
        struct trim_part smaller;
        bool shown = false;
        end -= size;
        status = copy_part(part, &arena, &smaller, error);
        if (!status) {
            leave_out(&smaller, calls, end, size);
            status = try_part(search, &smaller, &shown, error);
        }
        if (!status && shown)
            leave_out(part, calls, end, size);
        arena_release(&arena);
    }
    return status;
}

static enum status leave_out_all(struct search *search, struct trim_part *part, bool calls,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t size = (calls ? part->call_count : part->object_count) / 2; !status && size > 0;
         size /= 2)
        status = leave_out_each(search, part, calls, size, error);
    return status;
}

/* Objects count as leaked where the program's end is there: not where their releases are left out,
 * unless that is the finding. */
static enum status choose_end(struct search *search, struct trim_part *part, struct error *error)
{
    bool shown = false;
    part->has_end = false;
    const enum status status = try_part(search, part, &shown, error);
    part->has_end = !shown;
    return status;
}

/* The base's calls and memory, without what is not needed to show the finding. */
static enum status minimise(struct search *search, const char *path, struct error *error)
{
    struct arena arena = {0};
    struct trace *trace = NULL;
    struct trim_part part = {0};
    search->origin = alloc_string(search->base);
    if (!search->origin)
        return error_no_memory(error, 64);
    search->base_is_ours = false; /* it is the origin, until the end */
    enum status status = trace_open(search->origin, &trace, error);
    if (!status)
        status = trim_part_of(trace, &arena, &part, error);
    trace_close(trace);
    part.trace = NULL;
    if (!status)
        status = choose_end(search, &part, error);
    if (!status)
        status = leave_out_all(search, &part, true, error);
    if (!status)
        status = leave_out_all(search, &part, false, error);
    if (!status)
        status = leave_out_each(search, &part, true, 1, error);
    if (!status)
        status = write_part(search, &part, path, error);
    arena_release(&arena);
    return status;
}

/* ---- the finding ---- */

static enum status find_wanted(struct search *search, int64_t number, struct error *error)
{
    struct rows *rows = NULL;
    bool found = false;
    enum status status = rows_open_format(
        search->trace, &rows, error, "SELECT json, ifnull(call, 0) FROM finding WHERE id = %lld",
        (long long)number);
    if (rows_next(rows, &status, error)) {
        found = true;
        status = finding_parse_json(rows_text(rows, 0), &search->arena, &search->wanted, error);
        search->wanted.call_id = (uint64_t)rows_number(rows, 1);
    }
    rows_close(rows);
    if (!status && !found)
        status = error_set(error, STATUS_NOT_FOUND,
                           "there is no finding %lld; clerk show findings lists them",
                           (long long)number);
    return status;
}

/* The judge that tells the finding of the whole run, by the fingerprint under which it does. */
static enum status choose_judge(struct search *search, struct error *error)
{
    static const char *const judges[] = {"replay", "check"};
    enum status status = STATUS_OK;
    search->fingerprint = finding_fingerprint(&search->wanted);
    for (size_t i = 0; i < sizeof judges / sizeof *judges && !status; ++i) {
        bool shown = false;
        const uint64_t begun = clock_monotonic_ns();
        search->judge = judges[i];
        search->known_count = 0;
        status = judge(search, search->base, &shown, error);
        const uint64_t took_ms = (clock_monotonic_ns() - begun) / 1000000;
        search->timeout_ms = TIME_MIN_MS + 4 * (uint32_t)took_ms;
        search->knows_all = shown;
        if (shown)
            return status;
    }
    return status ? status
                  : error_set(error, STATUS_UNSUPPORTED,
                              "neither clerk replay, on the reference device, nor clerk check "
                              "shows the finding (%s): there is nothing to make smaller by",
                              rule_get(search->wanted.rule)->id);
}

enum status trim_finding(struct trace *trace, const char *trace_path, int64_t number,
                         const char *path, uint64_t *tries, struct error *error)
{
    struct search search = {.trace = trace,
                            .trace_path = trace_path,
                            .self = verb_own_path("bin/clerk"),
                            .base = alloc_string(trace_path)};
    enum status status = search.self && search.base ? STATUS_OK : error_no_memory(error, 64);
    if (!status)
        status = scratch_make_directory(&search.directory, error);
    if (!status)
        status = find_wanted(&search, number, error);
    if (!status)
        status = choose_judge(&search, error);
    if (!status)
        status = find_launches(&search, error);
    if (!status)
        status = minimise(&search, path, error);
    *tries = search.tries;
    scratch_release(&search.directory);
    alloc_free(search.self);
    alloc_free(search.base);
    alloc_free(search.origin);
    alloc_free(search.known);
    arena_release(&search.arena);
    return status;
}
