#include "viewer-cli/replay/cmd_replay.h"

#include "trace/base/json.h"

#include "viewer-cli/shortfall.h"
#include "viewer-cli/tolerance.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>

static void print_amount(uint64_t count, const char *one, const char *many, struct text *text)
{
    print_count(count, text);
    text_format(text, " %s", count == 1 ? one : many);
}

static void print_shortfall(void *user, const char *sentence, enum severity severity)
{
    (void)severity;
    text_format(user, "  the recording: %s\n", sentence);
}

static void print_left_out(const struct replay_result *result, struct text *text)
{
    static const char not_performed[] = "not performed";
    static const char not_compared[] = "not compared";
    static const char by_bits[] = "compared bit by bit, not by value as was asked";
    const struct {
        const char *what;
        uint64_t count;
        const char *one; /* NULL: it counts bytes */
        const char *many;
    } rows[] = {
        {not_performed, result->extension_calls,
         "call of an extension that replay does not perform",
         "calls of extensions that replay does not perform"},
        {not_performed, result->callbacks, "callback", "callbacks"},
        {not_performed, result->blocked, "call that did not reach the driver in the recording",
         "calls that did not reach the driver in the recording"},
        {not_performed, result->not_repeated, "call that names what does not exist any more",
         "calls that name what does not exist any more"},
        {not_performed, result->without_contents, "launch whose contents the trace has not",
         "launches whose contents the trace has not"},
        {not_performed, result->unfinished, "call that never returned in the recording",
         "calls that never returned in the recording"},
        {not_compared, result->uncompared_reads, "read-back without recorded bytes",
         "read-backs without recorded bytes"},
        {not_compared, result->host_bytes, NULL,
         "of shared memory that no command wrote here: the program may have done so, while one was "
         "under way"},
        {not_compared, result->unsure_results,
         "result of commands that may have found there what the program wrote",
         "results of commands that may have found there what the program wrote"},
        {not_compared, result->unkept_bytes, NULL, "of shared memory that the outputs do not have"},
        {"not kept", result->unread_objects,
         "memory object that launches reach and that cannot be read",
         "memory objects that launches reach and that cannot be read"},
        {by_bits, result->untyped_reads,
         "read-back of elements whose type is not known, or structures of several types",
         "read-backs of elements whose type is not known, or structures of several types"},
        {by_bits, result->untyped_objects,
         "memory object that launches left, of such elements or of which only digests are recorded",
         "memory objects that launches left, of such elements or of which only digests are "
         "recorded"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (!rows[i].count)
            continue;
        text_format(text, "  %s: ", rows[i].what);
        if (rows[i].one) {
            print_amount(rows[i].count, rows[i].one, rows[i].many, text);
        } else {
            print_size(rows[i].count, text);
            text_format(text, " %s", rows[i].many);
        }
        text_append_char(text, '\n');
    }
}

static void print_reads(const struct replay_result *result, struct text *text)
{
    text_append(text, "  compared ");
    print_amount(result->compared_reads, "read-back", "read-backs", text);
    text_append(text, " (");
    print_size(result->compared_bytes, text);
    text_append(text, "): ");
    if (result->differing_reads) {
        print_amount(result->differing_reads, "differs, ", "differ, ", text);
        print_amount(result->differing_bytes, "byte", "bytes", text);
    } else {
        text_append(text, result->close_reads      ? "equal"
                          : result->compared_reads ? "all equal"
                                                   : "nothing to compare");
    }
    if (result->close_reads) {
        text_append(text, " but for ");
        print_amount(result->close_reads, "that is close", "that are close", text);
    }
    text_append_char(text, '\n');
}

static void print_launches(const struct replay_result *result, struct text *text)
{
    text_append(text, "  compared what ");
    print_amount(result->compared_launches, "launch", "launches", text);
    text_append(text, " left in memory (");
    print_size(result->compared_launch_bytes, text);
    text_append(text, "): ");
    if (result->differing_launches) {
        print_amount(result->differing_launches, "differs, call", "differ, first call", text);
        text_format(text, " %" PRIu64, result->first_differing_launch);
    } else {
        text_append(text, result->close_launches ? "equal" : "all equal");
    }
    if (result->close_launches) {
        text_append(text, " but for ");
        print_amount(result->close_launches, "that is close", "that are close", text);
    }
    text_append_char(text, '\n');
}

void replay_summary_print(const struct replay_session *session, struct text *text)
{
    const struct replay_result *result = &session->result;
    if (session->difference_count > REPLAY_DIFFERENCES_SHOWN) {
        text_append(text, "... and ");
        print_count(session->difference_count - REPLAY_DIFFERENCES_SHOWN, text);
        text_append(text, " more differences not shown\n\n");
    }
    text_append(text, "replayed ");
    print_amount(result->performed, "call", "calls", text);
    text_append(text, " with ");
    print_amount(result->launches, "kernel launch", "kernel launches", text);
    if (result->command_buffers) {
        text_append(text, " and ");
        print_amount(result->command_buffers, "command-buffer", "command-buffers", text);
    }
    text_format(text, " on '%s'\n", session->target->device_name);
    if (session->traits.size)
        text_format(text, "  a device like the recorded one: %s\n", session->traits.bytes);
    if (session->free_threads) {
        text_append(text, "  by ");
        print_amount(result->threads, "thread", "threads", text);
        text_append(text, " that ran freely: results that depend on their order may differ\n");
    }
    shortfall_tell(session->trace, print_shortfall, text);
    print_left_out(result, text);
    if (session->golden.path)
        text_format(text,
                    session->golden.trace ? "  compared with the outputs in %s:\n"
                                          : "  outputs written to %s\n",
                    session->golden.path);
    if (result->compared_launches)
        print_launches(result, text);
    if (!session->runs_alone)
        print_reads(result, text);
    if (result->close_reads || result->close_launches) {
        text_append(text, "  values are ");
        tolerance_print_apart(result->ulp, result->relative, text);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
}

/* Which recording a shard is of, whatever the file is called: when its process began, and its
 * number. Whole replays of recordings that are alike say the same. */
static void print_recording_json(struct trace *trace, struct text *text)
{
    static const char *const facts[] = {"start_time", "process"};
    struct text words = TEXT_INIT;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
        const char *fact = trace_fact(trace, facts[i]);
        text_format(&words, "%s%s", i ? " " : "", fact ? fact : "?");
    }
    json_string(text, "recording", words.bytes);
    text_release(&words);
}

void replay_summary_print_json(const struct replay_session *session, struct text *text)
{
    const struct replay_result *result = &session->result;
    text_format(text, "{\"kind\":\"summary\",\"shard\":%" PRIu32 ",\"shard_count\":%" PRIu32,
                session->selection.shard, session->selection.shard_count);
    text_format(text, ",\"calls\":%" PRIu64 ",\"platform\":", session->call_count);
    text_append_json(text, session->target->platform_name);
    json_string(text, "device", session->target->device_name);
    if (session->selection.shard)
        print_recording_json(session->trace, text);
    json_string(text, "recorded_traits", session->traits.bytes);
#define COUNT(name) json_number(text, #name, result->name);
#include "replay/result.def"
#undef COUNT
    const char *state = trace_fact(session->trace, "state");
    json_string(text, "state", state ? state : "");
    tolerance_print_apart_json(result->ulp, result->relative, text);
    text_append(text, "}\n");
}
