/* Every shard must be there once, and all must be of one run. An output without the line that a
 * replay ends with is of one that was killed: nothing of it counts. Differences and findings are
 * printed as they were, launches as one table in the order of their calls, whatever the order of
 * the operands. */
#include "viewer-cli/replay/cmd_replay.h"

#include "checkers/finding.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"
#include "viewer-cli/shard.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_SIZE_MAX = 1 << 30 };

struct row {
    uint64_t call_id;
    const char *kernel; /* in the arena */
    struct replay_launch launch;
};

/* The output of one shard. */
struct part {
    const char *path;
    char *text;
    uint32_t shard; /* 0 = it is not complete */
};

struct merge {
    struct reporting reporting;
    struct part *parts; /* one for each operand */
    size_t part_count;
    struct row *rows;
    size_t row_count, row_capacity;
    struct shard_set shards;
    uint64_t call_count;
    const char *recording;      /* in the arena */
    uint64_t personality_count; /* 0: they are shards of the launches */
    uint64_t status_differences;
    struct text out; /* JSON of other lines */
    struct arena arena;
};

uint64_t replay_number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 0x1p53
               ? (uint64_t)item->valuedouble
               : 0;
}

const char *replay_string_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static enum status take_launch(struct merge *merge, const cJSON *line, struct error *error)
{
    struct row *grown =
        alloc_grow(merge->rows, merge->row_count, &merge->row_capacity, sizeof *grown);
    const char *kernel = arena_string(&merge->arena, replay_string_of(line, "kernel"));
    if (!grown || !kernel)
        return error_no_memory(error, sizeof *grown);
    merge->rows = grown;
    grown[merge->row_count++] = (struct row){
        .call_id = replay_number_of(line, "call"),
        .kernel = kernel,
        .launch = {.objects = (uint32_t)replay_number_of(line, "objects"),
                   .differing_objects = (uint32_t)replay_number_of(line, "differing_objects"),
                   .bytes = replay_number_of(line, "bytes"),
                   .differing_bytes = replay_number_of(line, "differing_bytes"),
                   .is_close = strcmp(replay_string_of(line, "verdict"), "close") == 0}};
    return STATUS_OK;
}

static enum status take_summary(struct merge *merge, const cJSON *line, struct part *part,
                                struct error *error)
{
    const struct shard shard = {.index = (uint32_t)replay_number_of(line, "shard"),
                                .count = (uint32_t)replay_number_of(line, "shard_count")};
    const uint64_t call_count = replay_number_of(line, "calls");
    const char *recording = arena_string(&merge->arena, replay_string_of(line, "recording"));
    if (!recording)
        return error_no_memory(error, sizeof *recording);
    if (!shard.index)
        return error_set(error, STATUS_INVALID, "'%s' is of a replay without --shard", part->path);
    if (merge->shards.count &&
        (call_count != merge->call_count || strcmp(recording, merge->recording) != 0))
        return error_set(error, STATUS_INVALID,
                         "'%s' is of another run than the first file, or cut into other shards",
                         part->path);
    merge->call_count = call_count;
    merge->recording = recording;
    merge->status_differences += replay_number_of(line, "status_differences");
    merge->personality_count += replay_number_of(line, "personalities");
    part->shard = shard.index;
    return shard_set_add(&merge->shards, &shard, part->path, error);
}

static enum status refuse(const char *path, struct error *error)
{
    return error_set(error, STATUS_MALFORMED,
                     "'%s' is not an output of clerk replay --shard I/N --json", path);
}

static enum status take_line(struct merge *merge, const char *text, const char *path,
                             struct error *error)
{
    cJSON *line = cJSON_Parse(text);
    const char *kind = replay_string_of(line, "kind");
    struct finding finding;
    struct arena arena = {0};
    enum status status = STATUS_OK;
    if (!cJSON_IsObject(line))
        status = refuse(path, error);
    else if (strcmp(kind, "launch") == 0)
        status = take_launch(merge, line, error);
    else if (strcmp(kind, "summary") == 0)
        status = STATUS_OK; /* known already */
    else if (finding_parse_json(text, &arena, &finding, NULL) == STATUS_OK)
        report_add(merge->reporting.report, &finding);
    else
        text_format(&merge->out, "%s\n", text);
    arena_release(&arena);
    cJSON_Delete(line);
    return status;
}

static enum status read_part(struct merge *merge, struct part *part, struct error *error)
{
    size_t size;
    enum status status = file_read_text(part->path, FILE_SIZE_MAX, &part->text, &size, error);
    if (status)
        return status;
    const char *end = shard_last_line(part->text, size);
    cJSON *line = end ? cJSON_Parse(end) : NULL;
    if (size && *part->text != '{')
        status = refuse(part->path, error);
    else if (strcmp(replay_string_of(line, "kind"), "summary") == 0)
        status = take_summary(merge, line, part, error);
    else
        visible_tell("clerk replay: '%s' does not count: its replay did not come to its end\n",
                     part->path);
    cJSON_Delete(line);
    return status;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    return (x->shard > y->shard) - (x->shard < y->shard);
}

static enum status take_part(struct merge *merge, const struct part *part, struct error *error)
{
    enum status status = STATUS_OK;
    char *rest = part->shard ? part->text : NULL;
    for (char *line; status == STATUS_OK && (line = strsep(&rest, "\n")) != NULL;)
        if (*line)
            status = take_line(merge, line, part->path, error);
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    return (x->call_id > y->call_id) - (x->call_id < y->call_id);
}

static uint64_t count_differing(const struct merge *merge, uint64_t *first)
{
    uint64_t count = 0;
    *first = 0;
    for (size_t i = 0; i < merge->row_count; ++i) {
        if (!merge->rows[i].launch.differing_objects)
            continue;
        if (!count++)
            *first = merge->rows[i].call_id;
    }
    return count;
}

static void print_rows(struct merge *merge, struct text *text)
{
    struct replay_launches *launches = replay_launches_create(NULL);
    for (size_t i = 0; launches && i < merge->row_count; ++i)
        replay_launches_add(launches, merge->rows[i].call_id, merge->rows[i].kernel,
                            &merge->rows[i].launch);
    if (launches)
        replay_launches_print(launches, text);
    replay_launches_destroy(launches);
}

/* True if something differs. */
static bool print_merged(struct merge *merge)
{
    struct text text = TEXT_INIT;
    uint64_t first;
    if (merge->row_count)
        qsort(merge->rows, merge->row_count, sizeof *merge->rows, compare_rows);
    const uint64_t differing = count_differing(merge, &first);
    if (merge->reporting.style.format == REPORT_JSON) {
        text_append_n(&text, merge->out.bytes, merge->out.size);
        for (size_t i = 0; i < merge->row_count; ++i)
            replay_launches_print_json(merge->rows[i].call_id, merge->rows[i].kernel,
                                       &merge->rows[i].launch, &text);
        reporting_print(&merge->reporting, STDOUT_FILENO, &text);
        text_format(&text,
                    "{\"kind\":\"summary\",\"shard_count\":%" PRIu32 ",\"calls\":%" PRIu64
                    ",\"compared_launches\":%zu,\"differing_launches\":%" PRIu64
                    ",\"first_differing_launch\":%" PRIu64 ",\"status_differences\":%" PRIu64 "}\n",
                    merge->shards.count, merge->call_count, merge->row_count, differing, first,
                    merge->status_differences);
    } else {
        print_rows(merge, &text);
        text_format(&text, "merged %" PRIu32 " shards: compared what %zu launches left in memory: ",
                    merge->shards.count, merge->row_count);
        if (!merge->row_count)
            text_append(&text, "there was none to compare\n\n");
        else if (differing)
            text_format(&text, "%" PRIu64 " differ%s, first call %" PRIu64 "\n\n", differing,
                        differing == 1 ? "s" : "", first);
        else
            text_append(&text, "none differs\n\n");
        if (merge->status_differences)
            text_format(&text,
                        "%" PRIu64 " time%s a call gave another status than in the recording "
                        "(--json lists them)\n\n",
                        merge->status_differences, merge->status_differences == 1 ? "" : "s");
        if (!report_is_empty(merge->reporting.report))
            reporting_print(&merge->reporting, STDOUT_FILENO, &text);
    }
    verb_print(&text);
    text_release(&text);
    return differing || merge->status_differences;
}

static enum status take_parts(struct merge *merge, const struct options *options,
                              struct error *error)
{
    enum status status = STATUS_OK;
    const size_t count = options_operand_count(options);
    merge->parts = alloc_zero(count, sizeof *merge->parts);
    if (!merge->parts)
        return error_no_memory(error, count * sizeof *merge->parts);
    for (; merge->part_count < count && status == STATUS_OK; ++merge->part_count) {
        struct part *part = &merge->parts[merge->part_count];
        part->path = options_operand(options, merge->part_count);
        status = read_part(merge, part, error);
    }
    if (status == STATUS_OK)
        status = merge->shards.count ? shard_set_check(&merge->shards, error)
                                     : error_set(error, STATUS_INVALID, "no shard is complete");
    if (status == STATUS_OK)
        qsort(merge->parts, count, sizeof *merge->parts, compare_parts);
    for (size_t i = 0; status == STATUS_OK && i < count && !merge->personality_count; ++i)
        status = take_part(merge, &merge->parts[i], error);
    return status;
}

static int print_personalities(const struct verb *verb, struct merge *merge)
{
    struct error error;
    bool different = false;
    const size_t incomplete = merge->part_count - merge->shards.count;
    char **texts = arena_alloc(&merge->arena, merge->shards.count, sizeof *texts);
    if (!texts) {
        error_no_memory(&error, merge->shards.count);
        return verb_fail(verb, &error);
    }
    for (size_t i = 0; i < merge->shards.count; ++i)
        texts[i] = merge->parts[incomplete + i].text;
    const enum status status = replay_personalities_merge(
        texts, merge->shards.count, merge->personality_count,
        merge->reporting.style.format == REPORT_JSON, &different, &merge->out, &error);
    if (status != STATUS_OK)
        return verb_fail(verb, &error);
    verb_print(&merge->out);
    return different ? VERB_FOUND : VERB_OK;
}

static enum status print_launches(struct merge *merge, int *result, struct error *error)
{
    *result = print_merged(merge) ? VERB_FOUND : (int)reporting_verdict(&merge->reporting);
    return reporting_write(&merge->reporting, error);
}

static void release(struct merge *merge)
{
    for (size_t i = 0; i < merge->part_count; ++i)
        alloc_free(merge->parts[i].text);
    alloc_free(merge->parts);
    shard_set_release(&merge->shards);
    alloc_free(merge->rows);
    arena_release(&merge->arena);
    text_release(&merge->out);
}

int replay_merge(const struct verb *verb, const struct options *options)
{
    struct error error;
    struct merge merge = {.out = TEXT_INIT};
    if (!options_operand_count(options))
        return verb_usage(verb, "--merge: which outputs?");
    enum status status = reporting_open(options, &merge.reporting, &error);
    if (status == STATUS_OK)
        status = take_parts(&merge, options, &error);
    int result = VERB_OK;
    if (status == STATUS_OK && merge.personality_count)
        result = print_personalities(verb, &merge);
    else if (status == STATUS_OK)
        status = print_launches(&merge, &result, &error);
    if (status != STATUS_OK)
        result = verb_fail(verb, &error);
    reporting_close(&merge.reporting);
    release(&merge);
    return verb_finish(verb, result);
}
