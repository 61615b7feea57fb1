/* The usual device writes reference outputs, with what each launch leaves in memory
 * (--golden, --each-launch); each personality is compared with them. What clerk replay prints there
 * as JSON is read back here: the first difference of each kernel, and the notes of the group
 * "portability", which name what in the kernel depends on the device. */
#include "viewer-cli/replay/cmd_replay.h"

#include "checkers/finding.h"
#include "trace/api/personality.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"
#include "trace/base/process.h"
#include "trace/base/scratch.h"
#include "viewer-cli/shard.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 64 << 20, CAUSES_SHOWN = 5 };

static const char usual[] = "usual";

struct session {
    const struct options *options;
    const char *trace;
    char *self;
    char *golden; /* path */
    bool json, different;
    struct shard shard;
    uint64_t listed, performed; /* personalities up to now, and those of them of the shard */
    struct text out;
    struct outcome *of_usual; /* what differs from the recording on the usual device already */
};

/* What one personality gave. */
struct outcome {
    const char *personality;
    const struct outcome *of_usual; /* NULL = it is that one */
    struct process_result process;
    cJSON **differences; /* the first one of each kernel */
    size_t difference_count, difference_capacity;
    struct arena arena;
    const struct finding **notes; /* of the group "portability" */
    size_t note_count, note_capacity;
};

/* ---- one run ---- */

static enum status run(const struct session *session, const char *personality,
                       struct process_result *result, struct error *error)
{
    const bool writes = strcmp(personality, usual) == 0;
    const char *const arguments[] = {session->self,
                                     "replay",
                                     session->trace,
                                     "--json",
                                     "--golden",
                                     session->golden,
                                     "--fail-on",
                                     "never",
                                     "--max-per-rule",
                                     "0",
                                     writes ? "--each-launch" : NULL,
                                     NULL};
    const struct process_request request = {.arguments = arguments, .output_max = OUTPUT_MAX};
    if (setenv(setting_get(SETTING_PERSONALITY)->variable, writes ? "" : personality, 1) != 0 ||
        setenv(setting_get(SETTING_CHECKS)->variable, "portability", 1) != 0)
        return error_set_errno(error, "cannot set the environment");
    return process_run(&request, result, error);
}

/* Is there one of the same kernel? */
static bool is_known(const struct outcome *outcome, const cJSON *difference)
{
    for (size_t i = 0; i < outcome->difference_count; ++i) {
        if (strcmp(replay_string_of(outcome->differences[i], "kernel"),
                   replay_string_of(difference, "kernel")) == 0)
            return true;
    }
    return false;
}

/* Is it one of the usual device as well? */
static bool is_usual(const struct outcome *outcome, const cJSON *difference)
{
    const struct outcome *known = outcome->of_usual;
    for (size_t i = 0; known != NULL && i < known->difference_count; ++i) {
        if (cJSON_Compare(known->differences[i], difference, true))
            return true;
    }
    return false;
}

static bool take_difference(struct outcome *outcome, cJSON *difference)
{
    cJSON **grown = alloc_grow(outcome->differences, outcome->difference_count,
                               &outcome->difference_capacity, sizeof *grown);
    if (grown == NULL) {
        cJSON_Delete(difference);
        return false;
    }
    outcome->differences = grown;
    grown[outcome->difference_count++] = difference;
    return true;
}

static bool take_note(struct outcome *outcome, const struct finding *finding)
{
    const struct finding **grown =
        alloc_grow(outcome->notes, outcome->note_count, &outcome->note_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    outcome->notes = grown;
    grown[outcome->note_count++] = finding;
    return true;
}

/* False when memory is out. */
static bool take_line(struct outcome *outcome, const char *text)
{
    cJSON *line = cJSON_Parse(text);
    const char *kind = replay_string_of(line, "kind");
    const bool differs = strcmp(kind, "launch-difference") == 0 ||
                         strcmp(kind, "difference") == 0 || strcmp(kind, "status") == 0;
    struct finding *finding = arena_alloc(&outcome->arena, 1, sizeof *finding);
    bool taken = finding != NULL;
    const bool wanted =
        outcome->of_usual == NULL || (!is_usual(outcome, line) && !is_known(outcome, line));
    if (differs && taken && wanted)
        return take_difference(outcome, line);
    if (taken && !differs && finding_parse_json(text, &outcome->arena, finding, NULL) == STATUS_OK)
        taken = take_note(outcome, finding);
    cJSON_Delete(line);
    return taken;
}

static enum status take_output(struct outcome *outcome, struct error *error)
{
    char *rest = outcome->process.standard_output.bytes;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0' && !take_line(outcome, line))
            return error_no_memory(error, strlen(line));
    return STATUS_OK;
}

/* ---- what it came to ---- */

static bool is_complete(const struct outcome *outcome)
{
    return outcome->process.exit_status == VERB_OK || outcome->process.exit_status == VERB_FOUND;
}

/* The sentence with which it ended; after a colon the line that follows, which a compiler said.
 * Where nothing could be performed the first line of what it lacks, which stands before. */
static const char *failure(const struct outcome *outcome)
{
    static const char prefix[] = "clerk replay: ";
    static const char nothing[] = "nothing was performed";
    static const char list[] = ":\n  ";
    char *lacks = strstr(outcome->process.standard_error.bytes, list);
    char *sentence = strstr(outcome->process.standard_error.bytes, prefix);
    if (sentence == NULL)
        return "clerk replay ended without a word";
    sentence += sizeof prefix - 1;
    if (lacks != NULL && lacks < sentence && strncmp(sentence, nothing, sizeof nothing - 1) == 0)
        sentence = lacks + sizeof list - 1;
    char *end = strchrnul(sentence, '\n');
    if (end > sentence && end[-1] == ':' && *end == '\n') {
        *end = ' ';
        end = strchrnul(end, '\n');
    }
    *end = '\0';
    return sentence;
}

static const char *verdict(const struct outcome *outcome)
{
    return outcome->difference_count > 0 ? "different" : is_complete(outcome) ? "same" : "refused";
}

/* Can a device of the personality show what the rule tells of? */
static bool is_shown_by(const char *personality, enum rule_index rule)
{
    struct personality is = {0};
    personality_parse(personality, &is, NULL);
    switch (rule) {
    case RULE_PORTABILITY_CAST:
    case RULE_PORTABILITY_SWIZZLE:
    case RULE_PORTABILITY_PUN:
        return is.big_endian != 0;
    case RULE_PORTABILITY_SUB_GROUP:
        return is.sub_group_size != 0 || is.work_group_size != 0;
    case RULE_PORTABILITY_DENORMAL:
        return is.ftz != 0 || is.minimum != 0;
    default:
        return false;
    }
}

/* The kernel that a difference is of: of what is read that which left the object different before,
 * "" = it is not known. */
static const char *kernel_behind(const struct outcome *outcome, const cJSON *difference)
{
    const char *object = replay_string_of(difference, "object");
    const char *kernel = replay_string_of(difference, "kernel");
    for (size_t i = 0; i < outcome->difference_count && kernel[0] == '\0'; ++i) {
        const cJSON *earlier = outcome->differences[i];
        if (earlier == difference)
            break;
        if (object[0] != '\0' && strcmp(replay_string_of(earlier, "object"), object) == 0)
            kernel = replay_string_of(earlier, "kernel");
    }
    return kernel;
}

/* ... and is the difference not known to be another kernel's? */
static bool is_cause(const struct outcome *outcome, const cJSON *difference,
                     const struct finding *note)
{
    const char *kernel = kernel_behind(outcome, difference);
    return is_shown_by(outcome->personality, note->rule) &&
           (kernel[0] == '\0' || note->kernel == NULL || strcmp(note->kernel, kernel) == 0);
}

static void print_difference_json(const struct outcome *outcome, const cJSON *difference,
                                  struct text *out)
{
    char *printed = cJSON_PrintUnformatted(difference);
    bool first = true;
    text_append(out, "{\"kind\":\"personality-difference\",\"personality\":");
    text_append_json(out, outcome->personality);
    text_format(out, ",\"difference\":%s,\"causes\":[", printed != NULL ? printed : "null");
    for (size_t i = 0; i < outcome->note_count; ++i) {
        if (!is_cause(outcome, difference, outcome->notes[i]))
            continue;
        text_append(out, first ? "" : ",");
        finding_print_json(outcome->notes[i], out);
        first = false;
    }
    text_append(out, "]}\n");
    cJSON_free(printed);
}

static void print_json(const struct outcome *outcome, const char *why, struct text *out)
{
    for (size_t i = 0; i < outcome->difference_count; ++i)
        print_difference_json(outcome, outcome->differences[i], out);
    text_append(out, "{\"kind\":\"personality\",\"personality\":");
    text_append_json(out, outcome->personality);
    text_format(out, ",\"verdict\":\"%s\"", verdict(outcome));
    if (!is_complete(outcome)) {
        json_string(out, "reason", why);
    }
    text_append(out, "}\n");
}

static void print_place(const cJSON *difference, struct text *out)
{
    const char *kernel = replay_string_of(difference, "kernel");
    text_format(out, "  different: call %" PRIu64 ", %s", replay_number_of(difference, "call"),
                replay_string_of(difference, "function"));
    if (kernel[0] != '\0')
        text_format(out, " of '%s'", kernel);
    if (strcmp(replay_string_of(difference, "kind"), "status") == 0) {
        text_format(out, ", gave %s and now gives %s\n", replay_string_of(difference, "recorded"),
                    replay_string_of(difference, "replayed"));
        return;
    }
    text_format(out, ", %s other bytes\n    first in %s at byte %" PRIu64,
                strcmp(replay_string_of(difference, "kind"), "difference") == 0 ? "reads"
                                                                                : "leaves",
                replay_string_of(difference, "object"), replay_number_of(difference, "offset"));
    if (replay_number_of(difference, "element_size") > 1) {
        const char *type = replay_string_of(difference, "type");
        text_append(out, ", ");
        replay_print_element(type, replay_number_of(difference, "offset"), out);
        text_format(out, " as '%s'", type);
    }
    text_format(out, ": %s on the usual device, %s on this one\n",
                replay_string_of(difference, "recorded"), replay_string_of(difference, "replayed"));
}

static void print_causes(const struct outcome *outcome, const cJSON *difference, struct text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < outcome->note_count; ++i) {
        const struct finding *note = outcome->notes[i];
        const struct finding_place *place = note->place_count > 0 ? &note->places[0] : NULL;
        if (!is_cause(outcome, difference, note) || shown++ >= CAUSES_SHOWN)
            continue;
        text_append(out, "    known: ");
        if (place != NULL && place->file != NULL && place->line != 0)
            text_format(out, "%s:%" PRIu32 ":%" PRIu32 ": ", place->file, place->line,
                        place->column);
        text_format(out, "%s (%s)\n", note->message, rule_get(note->rule)->id);
    }
    if (shown > CAUSES_SHOWN)
        text_format(out, "    and %zu more\n", shown - CAUSES_SHOWN);
    if (shown == 0)
        text_append(out, difference == outcome->differences[0]
                             ? "    no cause is known\n"
                             : "    no cause is known; it may follow from an earlier difference\n");
}

static void print_text(const struct outcome *outcome, const char *why, struct text *out)
{
    text_format(out, "%s: ", outcome->personality);
    if (!is_complete(outcome))
        text_format(out, "cannot be performed: %s\n", why);
    else
        text_append(out, outcome->difference_count > 0 ? "different\n" : "the same\n");
    for (size_t i = 0; i < outcome->difference_count; ++i) {
        print_place(outcome->differences[i], out);
        print_causes(outcome, outcome->differences[i], out);
    }
}

static void release(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->difference_count; ++i)
        cJSON_Delete(outcome->differences[i]);
    alloc_free(outcome->differences);
    alloc_free(outcome->notes);
    arena_release(&outcome->arena);
    process_result_release(&outcome->process);
}

static enum status read_run(struct session *session, struct outcome *outcome, struct error *error)
{
    const enum status status = run(session, outcome->personality, &outcome->process, error);
    return status == STATUS_OK ? take_output(outcome, error) : status;
}

/* What the usual device does otherwise than the recorded one is not a matter of personalities. */
static enum status perform_usual(struct session *session, struct error *error)
{
    const enum status status = read_run(session, session->of_usual, error);
    /* Not even the usual device: there is nothing to compare with. */
    return status == STATUS_OK && !is_complete(session->of_usual)
               ? error_set(error, STATUS_UNSUPPORTED, "%s", failure(session->of_usual))
               : status;
}

/* The shards of a list have the usual device each, and of the others every so many. */
static enum status perform(struct session *session, const char *personality, struct error *error)
{
    struct outcome outcome = {.personality = personality, .of_usual = session->of_usual};
    const uint64_t number = session->listed++;
    if (!shard_has(&session->shard, number))
        return STATUS_OK;
    ++session->performed;
    const enum status status = read_run(session, &outcome, error);
    if (status == STATUS_OK) {
        const char *why = is_complete(&outcome) ? "" : failure(&outcome);
        session->different |= outcome.difference_count > 0;
        (session->json ? print_json : print_text)(&outcome, why, &session->out);
        verb_print(&session->out);
        text_clear(&session->out);
    }
    release(&outcome);
    return status;
}

/* ---- all of them ---- */

/* LIST: "all", or personalities with "+" between their traits: "ftz", "ftz,big-endian+sub-group=8"
 */
static enum status perform_listed(struct session *session, const char *list, struct error *error)
{
    enum status status = STATUS_OK;
    char *copy = alloc_string(list);
    if (copy == NULL)
        return error_no_memory(error, strlen(list));
    char *rest = NULL;
    for (char *one = strtok_r(copy, ",", &rest); one != NULL && status == STATUS_OK;
         one = strtok_r(NULL, ",", &rest)) {
        for (char *plus = strchr(one, '+'); plus != NULL; plus = strchr(plus, '+'))
            *plus = ',';
        struct personality parsed;
        status = personality_parse(one, &parsed, error);
        if (status == STATUS_OK)
            status = perform(session, one, error);
    }
    alloc_free(copy);
    return status;
}

static enum status perform_all(struct session *session, const char *list, struct error *error)
{
    enum status status = perform_usual(session, error);
    if (strcmp(list, "all") != 0)
        return status == STATUS_OK ? perform_listed(session, list, error) : status;
    for (size_t i = 0; status == STATUS_OK && personality_get(i) != NULL; ++i)
        status = perform(session, personality_get(i), error);
    return status;
}

/* By which --merge knows that the shard is complete. */
static void print_end(struct session *session)
{
    text_format(&session->out,
                "{\"kind\":\"summary\",\"shard\":%" PRIu32 ",\"shard_count\":%" PRIu32
                ",\"personalities\":%" PRIu64 "}\n",
                session->shard.index, session->shard.count, session->performed);
    verb_print(&session->out);
}

int replay_personalities(const struct verb *verb, const struct options *options)
{
    struct outcome of_usual = {.personality = usual};
    struct session session = {.options = options,
                              .of_usual = &of_usual,
                              .trace = options_operand(options, 0),
                              .self = verb_own_path("bin/clerk"),
                              .json = options_has(options, "json"),
                              .out = TEXT_INIT};
    struct error error;
    struct scratch directory = {0};
    enum status status =
        shard_parse(verb->name, options_text(options, "shard"), &session.shard, &error);
    if (status == STATUS_OK)
        status = scratch_make_directory(&directory, &error);
    if (status == STATUS_OK)
        session.golden = path_join(directory.path, "usual.db");
    if (status == STATUS_OK && (session.self == NULL || session.golden == NULL))
        status = error_no_memory(&error, 0);
    if (status == STATUS_OK)
        status = perform_all(&session, options_text(options, "personalities"), &error);
    if (status == STATUS_OK && session.json && session.shard.count)
        print_end(&session);
    scratch_release(&directory);
    release(&of_usual);
    alloc_free(session.golden);
    alloc_free(session.self);
    text_release(&session.out);
    if (status != STATUS_OK)
        return verb_fail(verb, &error);
    return verb_finish(verb, session.different ? VERB_FOUND : VERB_OK);
}

/* ---- shards put together ---- */

static bool is_noted(const struct outcome *outcome, const struct finding *finding)
{
    for (size_t i = 0; i < outcome->note_count; ++i)
        if (finding_key(outcome->notes[i]) == finding_key(finding))
            return true;
    return false;
}

/* False when memory is out. */
static bool take_cause(struct outcome *outcome, const cJSON *cause)
{
    char *printed = cJSON_PrintUnformatted(cause);
    struct finding *finding = arena_alloc(&outcome->arena, 1, sizeof *finding);
    bool taken = printed != NULL && finding != NULL;
    if (taken && finding_parse_json(printed, &outcome->arena, finding, NULL) == STATUS_OK &&
        !is_noted(outcome, finding))
        taken = take_note(outcome, finding);
    cJSON_free(printed);
    return taken;
}

/* A difference as print_difference_json tells it. */
static bool take_told(struct outcome *outcome, cJSON *line)
{
    cJSON *difference = cJSON_DetachItemFromObjectCaseSensitive(line, "difference");
    const cJSON *cause;
    bool taken = difference == NULL || take_difference(outcome, difference);
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(line, "causes")) taken =
        taken && take_cause(outcome, cause);
    return taken;
}

/* Prints the next personality of a shard's lines, as people read it; *lines moves on. */
static enum status print_next(char **lines, bool *different, struct text *out, struct error *error)
{
    struct outcome outcome = {.personality = ""};
    enum status status = STATUS_OK;
    for (bool is_last = false; !is_last && *lines != NULL && status == STATUS_OK;) {
        const char *text = strsep(lines, "\n");
        cJSON *line = cJSON_Parse(text);
        is_last = strcmp(replay_string_of(line, "kind"), "personality") == 0;
        if (!take_told(&outcome, line))
            status = error_no_memory(error, strlen(text));
        if (is_last && status == STATUS_OK) {
            const bool refused = strcmp(replay_string_of(line, "verdict"), "refused") == 0;
            outcome.personality = replay_string_of(line, "personality");
            outcome.process.exit_status = refused ? VERB_FAILED : VERB_OK;
            *different |= outcome.difference_count > 0;
            print_text(&outcome, replay_string_of(line, "reason"), out);
        }
        cJSON_Delete(line);
    }
    release(&outcome);
    return status;
}

/* The same, as it stands. */
static void copy_next(char **lines, bool *different, struct text *out)
{
    for (bool is_last = false; !is_last && *lines != NULL;) {
        const char *text = strsep(lines, "\n");
        cJSON *line = cJSON_Parse(text);
        is_last = strcmp(replay_string_of(line, "kind"), "personality") == 0;
        *different |= strcmp(replay_string_of(line, "verdict"), "different") == 0;
        text_format(out, "%s\n", text);
        cJSON_Delete(line);
    }
}

enum status replay_personalities_merge(char **shards, size_t shard_count, uint64_t count, bool json,
                                       bool *different, struct text *out, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < count && status == STATUS_OK; ++i) {
        char **lines = &shards[i % shard_count];
        if (*lines == NULL)
            return error_set(error, STATUS_MALFORMED,
                             "a shard has fewer personalities than its last line says");
        if (json)
            copy_next(lines, different, out);
        else
            status = print_next(lines, different, out, error);
    }
    return status;
}
