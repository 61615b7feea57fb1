#include "viewer-cli/replay/cmd_replay.h"

#include "viewer-cli/replay/replay_differences.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>

static void print_amount(uint64_t count, const char *one, const char *many, struct text *text)
{
    print_count(count, text);
    text_format(text, " %s", count == 1 ? one : many);
}

static void print_uncompared_shared(const struct replay_result *result, struct text *text)
{
    if (result->host_bytes) {
        text_append(text, "  not compared: ");
        print_size(result->host_bytes, text);
        text_append(text, " of shared memory that no command wrote here: the program may have done "
                          "so, while one was under way\n");
    }
    if (result->unsure_results) {
        text_append(text, "  not compared: ");
        print_amount(result->unsure_results, "result", "results", text);
        text_append(text, " of commands that may have found there what the program wrote\n");
    }
    if (result->unkept_bytes) {
        text_append(text, "  not compared: ");
        print_size(result->unkept_bytes, text);
        text_append(text, " of shared memory that the outputs do not have\n");
    }
    if (result->unread_objects) {
        text_append(text, "  not kept: ");
        print_amount(result->unread_objects, "memory object", "memory objects", text);
        text_append(text, " that launches reach and that cannot be read\n");
    }
}

/* Where --ulp and --relative were asked for: what differs to the bit, and may not by the values. */
static void print_untyped(const struct replay_result *result, struct text *text)
{
    if (result->untyped_reads) {
        text_append(text, "  compared bit by bit, not by value as was asked: ");
        print_amount(result->untyped_reads, "read-back", "read-backs", text);
        text_append(text, " of elements whose type is not known, or structures of several types\n");
    }
    if (result->untyped_objects) {
        text_append(text, "  compared bit by bit, not by value as was asked: ");
        print_amount(result->untyped_objects, "memory object", "memory objects", text);
        text_append(text, " that launches left, of such elements or of which only digests are "
                          "recorded\n");
    }
}

static void print_shortfall(void *user, const char *sentence, enum severity severity)
{
    (void)severity;
    text_format(user, "  the recording: %s\n", sentence);
}

static void print_left_out(const struct replay_summary *summary, struct text *text)
{
    const struct replay_result *result = summary->result;
    const struct {
        uint64_t count;
        const char *one, *many;
    } left_out[] = {
        {result->extension_calls, "call of an extension that replay does not perform",
         "calls of extensions that replay does not perform"},
        {result->callbacks, "callback", "callbacks"},
        {result->blocked, "call that did not reach the driver in the recording",
         "calls that did not reach the driver in the recording"},
        {result->not_repeated, "call that names what does not exist any more",
         "calls that name what does not exist any more"},
        {summary->without_contents, "launch whose contents the trace has not",
         "launches whose contents the trace has not"},
        {result->unfinished, "call that never returned in the recording",
         "calls that never returned in the recording"},
    };
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; ++i) {
        if (!left_out[i].count)
            continue;
        text_append(text, "  not performed: ");
        print_amount(left_out[i].count, left_out[i].one, left_out[i].many, text);
        text_append_char(text, '\n');
    }
    if (result->uncompared_reads) {
        text_append(text, "  not compared: ");
        print_amount(result->uncompared_reads, "read-back", "read-backs", text);
        text_append(text, " without recorded bytes\n");
    }
    print_uncompared_shared(result, text);
    print_untyped(result, text);
}

static void print_reads(const struct replay_result *result, struct text *text)
{
    text_append(text, "  compared ");
    print_amount(result->compared_reads, "read-back", "read-backs", text);
    text_append(text, " (");
    print_size(result->compared_bytes, text);
    text_append(text, "): ");
    if (result->differing_reads) {
        print_count(result->differing_reads, text);
        text_append(text, result->differing_reads == 1 ? " differs, " : " differ, ");
        print_amount(result->differing_bytes, "byte", "bytes", text);
    } else {
        text_append(text, result->close_reads      ? "equal"
                          : result->compared_reads ? "all equal"
                                                   : "nothing to compare");
    }
    if (result->close_reads) {
        text_append(text, " but for ");
        print_count(result->close_reads, text);
        text_append(text, result->close_reads == 1 ? " that is close" : " that are close");
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
        print_count(result->differing_launches, text);
        text_format(text,
                    result->differing_launches == 1 ? " differs, call %" PRIu64
                                                    : " differ, first call %" PRIu64,
                    result->first_differing_launch);
    } else {
        text_append(text, result->close_launches ? "equal" : "all equal");
    }
    if (result->close_launches) {
        text_append(text, " but for ");
        print_count(result->close_launches, text);
        text_append(text, result->close_launches == 1 ? " that is close" : " that are close");
    }
    text_append_char(text, '\n');
}

void replay_summary_print(const struct replay_summary *summary, struct text *text)
{
    const struct replay_result *result = summary->result;
    if (summary->not_shown) {
        text_append(text, "... and ");
        print_count(summary->not_shown, text);
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
    text_format(text, " on '%s'\n", summary->target->device_name);
    if (summary->traits[0] != '\0')
        text_format(text, "  a device like the recorded one: %s\n", summary->traits);
    if (summary->free_threads) {
        text_append(text, "  by ");
        print_amount(result->threads, "thread", "threads", text);
        text_append(text, " that ran freely: results that depend on their order may differ\n");
    }
    shortfall_tell(summary->trace, print_shortfall, text);
    print_left_out(summary, text);
    if (summary->golden_path)
        text_format(text,
                    summary->golden_is_read ? "  compared with the outputs in %s:\n"
                                            : "  outputs written to %s\n",
                    summary->golden_path);
    if (result->compared_launches)
        print_launches(result, text);
    if (!summary->runs_alone)
        print_reads(result, text);
    if (result->close_reads || result->close_launches) {
        text_append(text, "  values are ");
        replay_apart_print(result->ulp, result->relative, text);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
}

void replay_summary_print_json(const struct replay_summary *summary, struct text *text)
{
    const struct replay_result *result = summary->result;
    text_format(text, "{\"kind\":\"summary\",\"shard\":%" PRIu32 ",\"shard_count\":%" PRIu32,
                summary->shard, summary->shard_count);
    text_format(text, ",\"calls\":%" PRIu64 ",\"platform\":", summary->call_count);
    text_append_json(text, summary->target->platform_name);
    text_append(text, ",\"device\":");
    text_append_json(text, summary->target->device_name);
    text_append(text, ",\"recorded_traits\":");
    text_append_json(text, summary->traits);
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"performed", result->performed},
        {"launches", result->launches},
        {"command_buffers", result->command_buffers},
        {"threads", result->threads},
        {"queries", result->queries},
        {"callbacks", result->callbacks},
        {"blocked", result->blocked},
        {"unfinished", result->unfinished},
        {"failed_both", result->failed_both},
        {"not_repeated", result->not_repeated},
        {"extension_calls", result->extension_calls},
        {"compared_reads", result->compared_reads},
        {"compared_bytes", result->compared_bytes},
        {"close_reads", result->close_reads},
        {"differing_reads", result->differing_reads},
        {"differing_bytes", result->differing_bytes},
        {"untyped_reads", result->untyped_reads},
        {"untyped_objects", result->untyped_objects},
        {"uncompared_reads", result->uncompared_reads},
        {"host_bytes", result->host_bytes},
        {"unsure_results", result->unsure_results},
        {"unkept_bytes", result->unkept_bytes},
        {"unread_objects", result->unread_objects},
        {"status_differences", result->status_differences},
        {"left_out", result->left_out},
        {"without_contents", summary->without_contents},
        {"compared_launches", result->compared_launches},
        {"compared_launch_bytes", result->compared_launch_bytes},
        {"differing_launches", result->differing_launches},
        {"close_launches", result->close_launches},
        {"first_differing_launch", result->first_differing_launch},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        text_format(text, ",\"%s\":%" PRIu64, numbers[i].name, numbers[i].value);
    const char *state = trace_fact(summary->trace, "state");
    text_append(text, ",\"state\":");
    text_append_json(text, state ? state : "");
    replay_apart_print_json(result->ulp, result->relative, text);
    text_append(text, "}\n");
}
