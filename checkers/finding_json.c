/* The JSON form of findings. Version 1; keys may be added, and readers pass over keys they do not
 * know.
 *
 *     {"finding":1,"rule":ID,"severity":WORD,"message":TEXT,"reason":TEXT,"advice":TEXT,"subject":TEXT,
 *      "context":TEXT,"kernel":NAME,"seen_on":TEXT,"schedule":TEXT,"repeat":TEXT,"specification":TEXT,"call":N,
 *      "count":N,"known":true,
 *      "heat":{"size":N,"part":N,"counts":[N,...]},"places":[
 *       {"kind":"kernel"|"call"|"object","label":TEXT,"function":NAME,"argument":TEXT,"file":PATH,
 *        "line":N,"column":N,"source":TEXT,"call":N,"frames":[TEXT,...],
 *        "compiled":{"file":PATH,"line":N,"column":N,"source":TEXT}},...],
 *      "processes":[{"command":TEXT,"trace":PATH,"id":N},...]}
 *
 * What is not known is left out, except that "advice" is the rule's own when the finding has none.
 * Numbers that a double cannot hold are strings of decimal digits. */
#include "checkers/finding.h"
#include "checkers/process_notes.h"
#include "trace/base/json.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FINDING_JSON_VERSION = 1 };

static const char *const place_kind_names[] = {
    [FINDING_PLACE_KERNEL] = "kernel",
    [FINDING_PLACE_CALL] = "call",
    [FINDING_PLACE_OBJECT] = "object",
};
enum { PLACE_KIND_COUNT = sizeof place_kind_names / sizeof *place_kind_names };

/* The largest number up to which every integer is a double. */
static const uint64_t number_max = UINT64_C(1) << 53;

/* ---- printing ---- */

static void print_compiled(const struct finding_compiled *compiled, struct text *text)
{
    json_key(text, "compiled");
    text_append_char(text, '{');
    json_string(text, "file", compiled->file);
    json_known_number(text, "line", compiled->line);
    json_known_number(text, "column", compiled->column);
    json_string(text, "source", compiled->source);
    text_append_char(text, '}');
}

static void print_place(const struct finding_place *place, struct text *text)
{
    text_append_char(text, '{');
    json_string(text, "kind", place_kind_names[place->kind]);
    json_string(text, "label", place->label);
    json_string(text, "function", place->function);
    json_string(text, "argument", place->argument);
    json_string(text, "file", place->file);
    json_known_number(text, "line", place->line);
    json_known_number(text, "column", place->column);
    json_string(text, "source", place->source);
    json_known_number(text, "call", place->call_id);
    if (place->frame_count) {
        json_key(text, "frames");
        text_append_char(text, '[');
        for (size_t i = 0; i < place->frame_count; ++i) {
            json_item(text);
            text_append_json(text, place->frames[i]);
        }
        text_append_char(text, ']');
    }
    if (place->compiled)
        print_compiled(place->compiled, text);
    text_append_char(text, '}');
}

/* Without the parts after the last one that counts. */
static void print_heat(const struct finding_heat *heat, struct text *text)
{
    size_t count = FINDING_HEAT_PARTS;
    while (count && !heat->parts[count - 1])
        --count;
    json_key(text, "heat");
    text_append_char(text, '{');
    json_number(text, "size", heat->size);
    json_number(text, "part", finding_heat_part_size(heat));
    json_key(text, "counts");
    text_append_char(text, '[');
    for (size_t i = 0; i < count; ++i) {
        json_item(text);
        text_format(text, "%" PRIu64, heat->parts[i]);
    }
    text_append(text, "]}");
}

static void print_process(const struct finding_process *process, struct text *text)
{
    text_append_char(text, '{');
    json_string(text, "command", process->command);
    json_string(text, "trace", process->trace);
    json_known_number(text, "id", process->id);
    text_append_char(text, '}');
}

static void print_processes(const struct finding_process *processes, size_t count,
                            struct text *text)
{
    json_key(text, "processes");
    text_append_char(text, '[');
    for (size_t i = 0; i < count; ++i) {
        json_item(text);
        print_process(&processes[i], text);
    }
    text_append_char(text, ']');
}

void finding_print_json(const struct finding *finding, struct text *text)
{
    const struct rule *rule = rule_get(finding->rule);
    text_append_char(text, '{');
    json_number(text, "finding", FINDING_JSON_VERSION);
    json_string(text, "rule", rule->id);
    json_string(text, "severity", severity_name(rule->severity));
    json_string(text, "message", finding->message);
    json_string(text, "reason", finding->reason);
    json_string(text, "advice", finding->advice ? finding->advice : rule->advice);
    json_string(text, "subject", finding->subject);
    json_string(text, "context", finding->context);
    json_string(text, "kernel", finding->kernel);
    json_string(text, "seen_on", finding->seen_on);
    json_string(text, "schedule", finding->schedule);
    json_string(text, "repeat", finding->repeat);
    json_string(text, "specification", rule->specification);
    json_known_number(text, "call", finding->call_id);
    json_number(text, "count", finding->count);
    if (finding->is_known)
        text_append(text, ",\"known\":true");
    if (finding->heat.size)
        print_heat(&finding->heat, text);
    json_key(text, "places");
    text_append_char(text, '[');
    for (size_t i = 0; i < finding->place_count; ++i) {
        json_item(text);
        print_place(&finding->places[i], text);
    }
    text_append_char(text, ']');
    if (finding->process_count)
        print_processes(finding->processes, finding->process_count, text);
    text_append_char(text, '}');
}

/* ---- parsing: the first thing that is wrong stops it ---- */

struct parser {
    struct arena *arena;
    struct error *error;
    enum status status;
};

static void parse_fail(struct parser *parser, const char *key, const char *expected)
{
    if (parser->status == STATUS_OK)
        parser->status =
            error_set(parser->error, STATUS_MALFORMED, "finding: \"%s\" is not %s", key, expected);
}

static const char *parse_copy(struct parser *parser, const char *string)
{
    const char *copy = arena_string(parser->arena, string);
    if (!copy && parser->status == STATUS_OK)
        parser->status = error_no_memory(parser->error, strlen(string) + 1);
    return copy;
}

static const char *parse_string(struct parser *parser, const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item)
        return NULL;
    if (!cJSON_IsString(item)) {
        parse_fail(parser, key, "a string");
        return NULL;
    }
    return parse_copy(parser, item->valuestring);
}

static uint64_t parse_number(struct parser *parser, const cJSON *object, const char *key,
                             uint64_t absent, uint64_t max)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    uint64_t value = 0;
    if (!item)
        return absent;
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= (double)number_max) {
        value = (uint64_t)item->valuedouble;
    } else if (cJSON_IsString(item) && item->valuestring[0] >= '0' && item->valuestring[0] <= '9') {
        char *end;
        errno = 0;
        value = strtoull(item->valuestring, &end, 10);
        if (*end || errno)
            parse_fail(parser, key, "a number");
    } else {
        parse_fail(parser, key, "a number");
    }
    if (value > max)
        parse_fail(parser, key, "a number in range");
    return value;
}

static void parse_frames(struct parser *parser, const cJSON *array, struct finding_place *place)
{
    if (!array)
        return;
    if (!cJSON_IsArray(array)) {
        parse_fail(parser, "frames", "an array");
        return;
    }
    const char **frames =
        arena_alloc(parser->arena, (size_t)cJSON_GetArraySize(array) + 1, sizeof *frames);
    if (!frames) {
        parser->status = error_no_memory(parser->error, sizeof *frames);
        return;
    }
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        if (!cJSON_IsString(item)) {
            parse_fail(parser, "frames", "an array of strings");
            return;
        }
        frames[count++] = parse_copy(parser, item->valuestring);
    }
    if (count && parser->status == STATUS_OK) {
        place->frames = frames;
        place->frame_count = count;
    }
}

static const struct finding_compiled *parse_compiled(struct parser *parser, const cJSON *object)
{
    if (!object)
        return NULL;
    const struct finding_compiled compiled = {
        .file = parse_string(parser, object, "file"),
        .line = (uint32_t)parse_number(parser, object, "line", 0, UINT32_MAX),
        .column = (uint32_t)parse_number(parser, object, "column", 0, UINT32_MAX),
        .source = parse_string(parser, object, "source"),
    };
    const struct finding_compiled *copy = arena_copy(parser->arena, &compiled, sizeof compiled);
    if (!copy && parser->status == STATUS_OK)
        parser->status = error_no_memory(parser->error, sizeof compiled);
    return copy;
}

static void parse_place(struct parser *parser, const cJSON *object, struct finding_place *place)
{
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(object, "kind");
    unsigned index = PLACE_KIND_COUNT;
    if (cJSON_IsString(kind))
        for (index = 0; index < PLACE_KIND_COUNT; ++index)
            if (strcmp(kind->valuestring, place_kind_names[index]) == 0)
                break;
    if (index == PLACE_KIND_COUNT) {
        parse_fail(parser, "kind", "kernel, call or object");
        return;
    }
    place->kind = (enum finding_place_kind)index;
    place->label = parse_string(parser, object, "label");
    place->function = parse_string(parser, object, "function");
    place->argument = parse_string(parser, object, "argument");
    place->file = parse_string(parser, object, "file");
    place->line = (uint32_t)parse_number(parser, object, "line", 0, UINT32_MAX);
    place->column = (uint32_t)parse_number(parser, object, "column", 0, UINT32_MAX);
    place->source = parse_string(parser, object, "source");
    place->call_id = parse_number(parser, object, "call", 0, UINT64_MAX);
    parse_frames(parser, cJSON_GetObjectItemCaseSensitive(object, "frames"), place);
    place->compiled = parse_compiled(parser, cJSON_GetObjectItemCaseSensitive(object, "compiled"));
}

static void parse_places(struct parser *parser, const cJSON *array, struct finding *finding)
{
    if (!array)
        return;
    if (!cJSON_IsArray(array)) {
        parse_fail(parser, "places", "an array");
        return;
    }
    struct finding_place *places =
        arena_alloc(parser->arena, (size_t)cJSON_GetArraySize(array) + 1, sizeof *places);
    if (!places) {
        parser->status = error_no_memory(parser->error, sizeof *places);
        return;
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, array) parse_place(parser, item, &places[finding->place_count++]);
    finding->places = finding->place_count ? places : NULL;
}

static struct finding_process parse_process(struct parser *parser, const cJSON *object)
{
    const struct finding_process process = {
        .command = parse_string(parser, object, "command"),
        .trace = parse_string(parser, object, "trace"),
        .id = parse_number(parser, object, "id", 0, UINT64_MAX),
    };
    if (!process.command)
        parse_fail(parser, "command", "a string");
    return process;
}

static void parse_processes(struct parser *parser, const cJSON *array, struct finding *finding)
{
    if (!array)
        return;
    if (!cJSON_IsArray(array)) {
        parse_fail(parser, "processes", "an array");
        return;
    }
    struct finding_process *processes =
        arena_alloc(parser->arena, (size_t)cJSON_GetArraySize(array) + 1, sizeof *processes);
    if (!processes) {
        parser->status = error_no_memory(parser->error, sizeof *processes);
        return;
    }
    finding->processes = processes;
    const cJSON *item;
    cJSON_ArrayForEach(item, array) processes[finding->process_count++] =
        parse_process(parser, item);
}

static void parse_heat(struct parser *parser, const cJSON *object, struct finding_heat *heat)
{
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(object, "counts");
    const cJSON *item;
    size_t i = 0;
    if (!object)
        return;
    heat->size = parse_number(parser, object, "size", 0, UINT64_MAX);
    if (!cJSON_IsArray(counts) || cJSON_GetArraySize(counts) > FINDING_HEAT_PARTS) {
        parse_fail(parser, "counts", "an array of at most 64 numbers");
        return;
    }
    cJSON_ArrayForEach(item, counts)
    {
        if (cJSON_IsNumber(item) && item->valuedouble >= 0 &&
            item->valuedouble <= (double)number_max)
            heat->parts[i++] = (uint64_t)item->valuedouble;
        else
            parse_fail(parser, "counts", "an array of at most 64 numbers");
    }
}

static void parse_rule(struct parser *parser, const cJSON *object, struct finding *finding)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(object, "rule");
    if (!cJSON_IsString(id)) {
        parse_fail(parser, "rule", "the id of a rule");
        return;
    }
    finding->rule = rule_find(id->valuestring);
    if (finding->rule == RULE_COUNT)
        parser->status =
            error_set(parser->error, STATUS_UNSUPPORTED,
                      "finding: this version of clerk has no rule '%.100s'", id->valuestring);
}

static void parse_finding(struct parser *parser, const cJSON *object, struct finding *finding)
{
    if (!cJSON_IsObject(object)) {
        parser->status = error_set(parser->error, STATUS_MALFORMED, "finding: not a JSON object");
        return;
    }
    parse_number(parser, object, "finding", FINDING_JSON_VERSION, FINDING_JSON_VERSION);
    parse_rule(parser, object, finding);
    if (parser->status != STATUS_OK)
        return;
    finding->message = parse_string(parser, object, "message");
    if (!finding->message)
        parse_fail(parser, "message", "a string");
    finding->reason = parse_string(parser, object, "reason");
    finding->advice = parse_string(parser, object, "advice");
    if (finding->advice && strcmp(finding->advice, rule_get(finding->rule)->advice) == 0)
        finding->advice = NULL;
    finding->subject = parse_string(parser, object, "subject");
    finding->context = parse_string(parser, object, "context");
    finding->kernel = parse_string(parser, object, "kernel");
    finding->seen_on = parse_string(parser, object, "seen_on");
    finding->schedule = parse_string(parser, object, "schedule");
    finding->repeat = parse_string(parser, object, "repeat");
    finding->call_id = parse_number(parser, object, "call", 0, UINT64_MAX);
    finding->count = parse_number(parser, object, "count", 1, UINT64_MAX);
    if (finding->count == 0)
        parse_fail(parser, "count", "at least 1");
    parse_heat(parser, cJSON_GetObjectItemCaseSensitive(object, "heat"), &finding->heat);
    parse_places(parser, cJSON_GetObjectItemCaseSensitive(object, "places"), finding);
    parse_processes(parser, cJSON_GetObjectItemCaseSensitive(object, "processes"), finding);
    finding->is_known = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "known"));
}

enum status finding_parse_json(const char *json, struct arena *arena, struct finding *finding,
                               struct error *error)
{
    struct parser parser = {.arena = arena, .error = error};
    struct finding result = {0};
    cJSON *object = cJSON_ParseWithOpts(json, NULL, 1);
    if (!object)
        return error_set(error, STATUS_MALFORMED, "finding: not one JSON value, or out of memory");
    parse_finding(&parser, object, &result);
    cJSON_Delete(object);
    if (parser.status == STATUS_OK)
        *finding = result;
    return parser.status;
}

const char finding_no_driver[] =
    "there is no OpenCL driver: the loader finds no platform, so nothing was checked; "
    "--device reference runs the program on clerk's own device, and clerk doctor tells what is "
    "missing";

/* ---- lines that are not findings ---- */

void finding_print_unchecked(const struct finding_unchecked *unchecked, struct text *text)
{
    text_append_char(text, '{');
    json_string(text, "unchecked", unchecked->why);
    json_string(text, "severity", severity_name(unchecked->severity));
    if (unchecked->process.command)
        print_processes(&unchecked->process, 1, text);
    text_append_char(text, '}');
}

static enum severity severity_of(const cJSON *object)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "severity");
    for (int severity = SEVERITY_NOTE; cJSON_IsString(name) && severity < SEVERITY_ERROR;
         ++severity)
        if (strcmp(name->valuestring, severity_name((enum severity)severity)) == 0)
            return (enum severity)severity;
    return SEVERITY_ERROR;
}

/* The one process of such a line; without a command if it has none. */
static struct finding_process parse_only_process(const cJSON *object, struct arena *arena)
{
    struct parser parser = {.arena = arena};
    struct finding told = {0};
    parse_processes(&parser, cJSON_GetObjectItemCaseSensitive(object, "processes"), &told);
    return told.process_count && parser.status == STATUS_OK ? told.processes[0]
                                                            : (struct finding_process){0};
}

bool finding_parse_unchecked(const char *json, struct arena *arena,
                             struct finding_unchecked *unchecked)
{
    cJSON *object = cJSON_ParseWithOpts(json, NULL, 1);
    const cJSON *why = cJSON_GetObjectItemCaseSensitive(object, "unchecked");
    *unchecked = (struct finding_unchecked){
        .why = cJSON_IsString(why) ? arena_string(arena, why->valuestring) : NULL,
        .severity = severity_of(object),
        .process = parse_only_process(object, arena),
    };
    cJSON_Delete(object);
    return unchecked->why != NULL;
}

void process_note_print(const struct finding_process *process, bool began, struct text *text)
{
    text_format(text, "{\"began\":%s", began ? "true" : "false");
    print_processes(process, 1, text);
    text_append_char(text, '}');
}

bool process_note_parse(const char *line, struct arena *arena, struct finding_process *process,
                        bool *began)
{
    cJSON *object = cJSON_ParseWithOpts(line, NULL, 1);
    *began = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "began"));
    *process = parse_only_process(object, arena);
    cJSON_Delete(object);
    return process->command != NULL;
}

bool finding_parse_not_shown(const char *json, enum rule_index *rule, uint64_t *count)
{
    struct parser parser = {.arena = NULL};
    struct finding finding = {0};
    cJSON *object = cJSON_ParseWithOpts(json, NULL, 1);
    *count = parse_number(&parser, object, "not_shown", 0, UINT64_MAX);
    if (*count)
        parse_rule(&parser, object, &finding);
    *rule = finding.rule;
    cJSON_Delete(object);
    return *count != 0 && parser.status == STATUS_OK;
}

void finding_print_shard(uint32_t index, uint32_t count, struct text *text)
{
    text_format(text, "{\"shard\":%" PRIu32 ",\"shard_count\":%" PRIu32 "}\n", index, count);
}

bool finding_parse_shard(const char *json, uint32_t *index, uint32_t *count)
{
    struct parser parser = {.arena = NULL};
    cJSON *object = cJSON_ParseWithOpts(json, NULL, 1);
    *index = (uint32_t)parse_number(&parser, object, "shard", 0, UINT32_MAX);
    *count = (uint32_t)parse_number(&parser, object, "shard_count", 0, UINT32_MAX);
    cJSON_Delete(object);
    return *index != 0 && *count != 0 && parser.status == STATUS_OK;
}
