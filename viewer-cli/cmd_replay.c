/* clerk replay: performs a recorded run again, compares what it reads back, and tells what the
 * reference device finds on the way. */
#include "checkers/finding.h"
#include "checkers/sink.h"
#include "replay/replay.h"
#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/replay_golden.h"
#include "viewer-cli/replay_launches.h"
#include "viewer-cli/replay_merge.h"
#include "viewer-cli/replay_personalities.h"
#include "viewer-cli/reporting.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIFFERENCES_SHOWN = 10 };

static const struct option_row option_rows[] = {
    {"device", 0, OPTION_WORD, false, "reference|system",
     "the reference device (default), or what the system's OpenCL has"},
    {"platform", 0, OPTION_NUMBER, false, "N", "of the system's platforms the N-th, from 0"},
    {"ulp", 0, OPTION_NUMBER, false, "N",
     "floating-point values up to N units in the last place apart count as equal"},
    {"relative", 0, OPTION_TEXT, false, "R",
     "so do those whose difference is at most R times the recorded value, as in 1e-5"},
    {"threads", 0, OPTION_WORD, false, "recorded|free",
     "calls in the recorded order (default), or each thread by one that runs freely"},
    {"launch", 0, OPTION_NUMBER, false, "N",
     "only the launch of call N, from what it found in memory: recorded with --contents all"},
    {"launches", 0, OPTION_TEXT, false, "A-B", "only the launches of calls A to B, each alone"},
    {"kernel", 0, OPTION_TEXT, false, "NAME", "only the launches of this kernel, each alone"},
    {"shard", 0, OPTION_TEXT, false, "I/N",
     "every N-th of the launches, from the I-th on, each alone: for N machines at once"},
    {"merge", 0, OPTION_FLAG, false, NULL,
     "put together what the shards gave: their outputs with --json, instead of a trace"},
    {"golden", 0, OPTION_TEXT, false, "FILE",
     "compare with the outputs in FILE instead of the recording's; write them if there is no FILE"},
    {"personalities", 0, OPTION_TEXT, false, "all|LIST",
     "compare devices unlike the usual reference device with it: all, or some, as in "
     "ftz,big-endian+sub-group=8"},
    {"each-launch", 0, OPTION_FLAG, false, NULL,
     "into --golden FILE also write what each launch leaves in memory"},
    REPORTING_OPTIONS,
};

/* What the callbacks of replay and of the device share. The device reports on a thread of its own.
 */
struct session {
    struct trace *trace;
    struct reporting reporting;
    bool json;
    bool free_threads;
    bool runs_alone; /* launches only: */
    struct replay_selection selection;
    uint64_t call_count;          /* of the recording */
    bool has_sink;                /* the target is the reference device: it tells what it finds */
    sink_call_function *set_call; /* and takes the call that a thread enqueues a command with */
    uint64_t difference_count;    /* of both kinds */
    struct replay_launches *launches;
    struct replay_golden golden;
    struct arena arena;        /* of the run */
    uint64_t without_contents; /* launches that were selected, and are not performed therefore */
    struct text out;           /* printed by the main thread, as it goes */
    pthread_mutex_t lock;      /* of the launch: */
    uint64_t launch_id;        /* the call that enqueued what runs now; 0 = unknown */
    const char *launch_name;
    struct arena launch_arena;
    const char **frames; /* the host stack of that call */
    size_t frame_count;
};

/* ---- findings of the device, and the call that each belongs to ---- */

static size_t read_frames(struct session *session, uint64_t call_id)
{
    enum { FRAME_MAX = 32 };
    sqlite3_stmt *statement = NULL;
    size_t count = 0;
    session->frames = arena_alloc(&session->launch_arena, FRAME_MAX, sizeof *session->frames);
    if (!session->frames ||
        sqlite3_prepare_v2(trace_database(session->trace),
                           "SELECT frame FROM stack WHERE call = ? ORDER BY depth", -1, &statement,
                           NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)call_id);
    while (count < FRAME_MAX && sqlite3_step(statement) == SQLITE_ROW) {
        const unsigned char *frame = sqlite3_column_text(statement, 0);
        session->frames[count] =
            frame ? arena_string(&session->launch_arena, (const char *)frame) : NULL;
        if (!session->frames[count])
            break;
        ++count;
    }
    sqlite3_finalize(statement);
    return count;
}

static void note_launch(void *user, const struct api_call *call)
{
    struct session *session = user;
    pthread_mutex_lock(&session->lock);
    arena_release(&session->launch_arena);
    session->launch_id = call ? call->id : 0;
    session->launch_name = call ? api_entry_get(call->entry)->name : NULL;
    session->frame_count = call ? read_frames(session, call->id) : 0;
    pthread_mutex_unlock(&session->lock);
}

/* With threads that run freely the device keeps the call: nobody else knows what runs. */
static void note_free_launch(void *user, const struct api_call *call)
{
    struct session *session = user;
    if (session->set_call && call)
        session->set_call(call->id);
}

/* Adds the place in the recording to what the device found. */
static void take_finding(void *user, const struct finding *found)
{
    struct session *session = user;
    struct arena arena = {0};
    struct finding finding = *found;
    pthread_mutex_lock(&session->lock);
    const struct finding_launch launch = {
        .call_id = session->free_threads ? found->call_id : session->launch_id,
        .function = session->free_threads ? "clEnqueueNDRangeKernel" : session->launch_name,
        .frames = (const char *const *)session->frames,
        .frame_count = session->frame_count};
    if (launch.call_id)
        finding_add_launch(&finding, &launch, &arena);
    report_add(session->reporting.report, &finding);
    pthread_mutex_unlock(&session->lock);
    arena_release(&arena);
}

/* ---- differences ---- */

static void print_hexadecimal(const unsigned char *bytes, uint32_t size, struct text *text)
{
    for (uint32_t i = 0; i < size; ++i)
        text_format(text, "%02x", bytes[i]);
}

/* "up to 3 ULP apart, 2.4e-07 of the value" */
static void print_apart(uint64_t ulp, double relative, struct text *text)
{
    if (ulp == UINT64_MAX) {
        text_append(text, "some are NaN on one side only");
        return;
    }
    text_append(text, "up to ");
    print_count(ulp, text);
    text_format(text, " ULP apart, %.2g of the value", relative);
}

/* JSON has no infinity: what is not comparable has no number. */
static void print_apart_json(uint64_t ulp, double relative, struct text *text)
{
    if (ulp && ulp != UINT64_MAX)
        text_format(text, ",\"ulp\":%" PRIu64, ulp);
    if (relative > 0 && isfinite(relative))
        text_format(text, ",\"relative\":%.3g", relative);
}

static void print_difference_json(const struct session *session,
                                  const struct replay_difference *difference, struct text *text)
{
    const struct replay_bytes_difference *bytes = &difference->bytes;
    struct text recorded = TEXT_INIT;
    struct text replayed = TEXT_INIT;
    replay_print_value(difference->type, bytes->recorded, bytes->value_size, &recorded);
    replay_print_value(difference->type, bytes->replayed, bytes->value_size, &replayed);
    text_format(text, "{\"kind\":\"%s\",\"call\":%" PRIu64 ",\"function\":",
                difference->is_launch ? "launch-difference" : "difference", difference->call->id);
    text_append_json(text, api_entry_get(difference->call->entry)->name);
    text_append(text, ",\"object\":");
    text_append_json(text, difference->object);
    if (difference->is_launch) {
        text_append(text, ",\"kernel\":");
        text_append_json(text, replay_launches_kernel(session->launches, difference->call->id));
    }
    text_format(text, ",\"%s\":%" PRIu64 ",\"type\":",
                difference->offset_is_in_object ? "offset" : "host_offset", difference->offset);
    text_append_json(text, difference->type);
    text_format(text, ",\"element_size\":%" PRIu32, replay_type_scalar_size(difference->type));
    if (bytes->value_size) {
        text_append(text, ",\"recorded\":");
        text_append_json(text, recorded.bytes);
        text_append(text, ",\"replayed\":");
        text_append_json(text, replayed.bytes);
        text_append(text, ",\"recorded_bytes\":\"");
        print_hexadecimal(bytes->recorded, bytes->value_size, text);
        text_append(text, "\",\"replayed_bytes\":\"");
        print_hexadecimal(bytes->replayed, bytes->value_size, text);
        text_append_char(text, '"');
    }
    if (difference->is_as_before)
        text_append(text, ",\"as_before\":true");
    text_format(text, ",\"size\":%" PRIu64 ",\"differing_bytes\":%" PRIu64, difference->size,
                bytes->byte_count);
    if (bytes->element_count)
        text_format(text, ",\"differing_elements\":%" PRIu64, bytes->element_count);
    print_apart_json(bytes->ulp, bytes->relative, text);
    text_append(text, "}\n");
    text_release(&recorded);
    text_release(&replayed);
}

/* A line "    recorded  63            3f 00 00 00"; without a known type the bytes alone. */
static void print_value(const char *what, const char *type, const unsigned char *bytes,
                        uint32_t size, struct text *text)
{
    struct text value = TEXT_INIT;
    replay_print_value(type, bytes, size, &value);
    text_format(text, "    %s  ", what);
    if (replay_type_scalar_size(type) > 1) {
        text_format(text, "%-24s", value.bytes);
        for (uint32_t i = 0; i < size; ++i)
            text_format(text, i ? " %02x" : "%02x", bytes[i]);
    } else {
        text_append(text, value.bytes);
    }
    text_append_char(text, '\n');
    text_release(&value);
}

static void print_difference(const struct session *session,
                             const struct replay_difference *difference, struct text *text)
{
    const struct replay_bytes_difference *bytes = &difference->bytes;
    const uint32_t scalar_size = replay_type_scalar_size(difference->type);
    text_format(text, "different: call %" PRIu64 ", %s", difference->call->id,
                api_entry_get(difference->call->entry)->name);
    if (difference->is_launch)
        text_format(text, " of '%s', leaves other bytes in %s\n",
                    replay_launches_kernel(session->launches, difference->call->id),
                    difference->object);
    else
        text_format(text, ", reads other bytes from %s\n", difference->object);
    if (!bytes->value_size) {
        text_format(text,
                    "  first in the piece at byte %" PRIu64 "; %" PRIu64 " of %" PRIu64
                    " bytes are in pieces that differ, of which digests were recorded\n\n",
                    difference->offset, bytes->byte_count, difference->size);
        return;
    }
    text_format(text, "  first at byte %" PRIu64 " of %s", difference->offset,
                difference->offset_is_in_object ? "the object" : "the memory that it reads into");
    if (scalar_size > 1 && difference->offset_is_in_object)
        text_format(text, ", element %" PRIu64 " as '%s'", difference->offset / scalar_size,
                    difference->type);
    text_append_char(text, '\n');
    print_value(session->golden.trace ? "golden  " : "recorded", difference->type, bytes->recorded,
                bytes->value_size, text);
    print_value("replayed", difference->type, bytes->replayed, bytes->value_size, text);
    text_format(text, "  %" PRIu64 " of %" PRIu64 " bytes differ", bytes->byte_count,
                difference->size);
    if (bytes->element_count) {
        text_format(text, ", in %" PRIu64 " of %" PRIu64 " values: ", bytes->element_count,
                    difference->size / scalar_size);
        print_apart(bytes->ulp, bytes->relative, text);
    }
    text_append_char(text, '\n');
    if (difference->is_as_before)
        text_append(text, "  nothing wrote them here: the program may have done so itself, while a "
                          "command was under way\n");
    text_append_char(text, '\n');
}

/* Beside a document that other programs read stands nothing: people then read it elsewhere. */
static void flush(struct session *session)
{
    if (reporting_is_for_programs(&session->reporting) && !session->json)
        fputs(session->out.bytes, stderr);
    else
        verb_print(&session->out);
    text_clear(&session->out);
}

static void take_difference(void *user, const struct replay_difference *difference)
{
    struct session *session = user;
    if (session->json)
        print_difference_json(session, difference, &session->out);
    else if (session->difference_count < DIFFERENCES_SHOWN)
        print_difference(session, difference, &session->out);
    ++session->difference_count;
    flush(session);
}

static void take_launch(void *user, const struct replay_launch *launch)
{
    struct session *session = user;
    if (session->json)
        replay_launches_print_json(session->launches, launch, &session->out);
    else
        replay_launches_add(session->launches, launch->call->id,
                            replay_launches_kernel(session->launches, launch->call->id), launch);
    flush(session);
}

static void print_status(int32_t status, struct text *text)
{
    const char *name = api_error_name(status);
    if (name)
        text_append(text, name);
    else
        text_format(text, "%" PRId32, status);
}

static void take_status_difference(void *user, const struct replay_status_difference *difference)
{
    struct session *session = user;
    struct text *text = &session->out;
    const char *name = api_entry_get(difference->call->entry)->name;
    if (session->json) {
        text_format(text,
                    "{\"kind\":\"status\",\"call\":%" PRIu64 ",\"function\":\"%s\",\"recorded\":\"",
                    difference->call->id, name);
        print_status(difference->recorded, text);
        text_append(text, "\",\"replayed\":\"");
        print_status(difference->replayed, text);
        text_append(text, "\"}\n");
    } else if (session->difference_count < DIFFERENCES_SHOWN) {
        text_format(text, "different: call %" PRIu64 ", %s, gave ", difference->call->id, name);
        print_status(difference->recorded, text);
        text_append(text, " in the recording and now gives ");
        print_status(difference->replayed, text);
        text_append(text, "\n\n");
    }
    ++session->difference_count;
    flush(session);
}

/* ---- the summary ---- */

static void print_amount(uint64_t count, const char *one, const char *many, struct text *text)
{
    print_count(count, text);
    text_format(text, " %s", count == 1 ? one : many);
}

static void print_left_out(const struct session *session, const struct replay_result *result,
                           struct text *text)
{
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
        {session->without_contents, "launch whose contents the trace has not",
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

static void print_summary(const struct session *session, const struct replay_target *target,
                          const struct replay_result *result, struct text *text)
{
    if (session->difference_count > DIFFERENCES_SHOWN) {
        text_append(text, "... and ");
        print_count(session->difference_count - DIFFERENCES_SHOWN, text);
        text_append(text, " more differences not shown\n\n");
    }
    text_append(text, "replayed ");
    print_amount(result->performed, "call", "calls", text);
    text_append(text, " with ");
    print_amount(result->launches, "kernel launch", "kernel launches", text);
    text_format(text, " on '%s'\n", target->device_name);
    if (session->free_threads) {
        text_append(text, "  by ");
        print_amount(result->threads, "thread", "threads", text);
        text_append(text, " that ran freely: results that depend on their order may differ\n");
    }
    print_left_out(session, result, text);
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
        text_append(text, "  floating-point values are ");
        print_apart(result->ulp, result->relative, text);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
}
static void print_summary_json(const struct session *session, const struct replay_target *target,
                               const struct replay_result *result, struct text *text)
{
    text_format(text, "{\"kind\":\"summary\",\"shard\":%" PRIu32 ",\"shard_count\":%" PRIu32,
                session->selection.shard, session->selection.shard_count);
    text_format(text, ",\"calls\":%" PRIu64 ",\"platform\":", session->call_count);
    text_append_json(text, target->platform_name);
    text_append(text, ",\"device\":");
    text_append_json(text, target->device_name);
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"performed", result->performed},
        {"launches", result->launches},
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
        {"uncompared_reads", result->uncompared_reads},
        {"status_differences", result->status_differences},
        {"left_out", result->left_out},
        {"without_contents", session->without_contents},
        {"compared_launches", result->compared_launches},
        {"compared_launch_bytes", result->compared_launch_bytes},
        {"differing_launches", result->differing_launches},
        {"close_launches", result->close_launches},
        {"first_differing_launch", result->first_differing_launch},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        text_format(text, ",\"%s\":%" PRIu64, numbers[i].name, numbers[i].value);
    print_apart_json(result->ulp, result->relative, text);
    text_append(text, "}\n");
}

/* ---- the verb ---- */

/* Makes the loader find the right drivers, before it is loaded, and no layer that records or checks
 * anew. */
static enum status prepare_environment(bool reference, struct error *error)
{
    unsetenv("OPENCL_LAYERS");
    unsetenv("CLERK_TRACE");
    if (!reference)
        return STATUS_OK;
    enum status status = STATUS_OK;
    char *vendors = verb_own_path("share/clerk/vendors");
    char *driver = verb_own_path("lib/clerk/libclerk_device.so");
    if (!vendors || !driver)
        status = error_no_memory(error, 256);
    else if (!file_exists(driver))
        status = error_set(error, STATUS_NOT_FOUND, "the reference device is missing: no file '%s'",
                           driver);
    else if (setenv("OCL_ICD_VENDORS", vendors, 1) != 0)
        status = error_set_errno(error, "cannot set OCL_ICD_VENDORS");
    alloc_free(driver);
    alloc_free(vendors);
    return status;
}

static enum status connect_sink(const struct replay_target *target, struct session *session,
                                struct error *error)
{
    sink_set_function *set =
        (sink_set_function *)replay_target_extension(target, SINK_SET_FUNCTION);
    if (!set)
        return STATUS_OK;
    if (set(SINK_VERSION, take_finding, session) != CL_SUCCESS)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the reference device is of another build than this clerk");
    session->has_sink = true;
    session->set_call = (sink_call_function *)replay_target_extension(target, SINK_CALL_FUNCTION);
    return STATUS_OK;
}

static void disconnect_sink(const struct replay_target *target)
{
    sink_set_function *set =
        target ? (sink_set_function *)replay_target_extension(target, SINK_SET_FUNCTION) : NULL;
    if (set)
        set(SINK_VERSION, NULL, NULL);
}

static enum status check_missing(struct session *session, const struct replay_target *target,
                                 const char *path, struct error *error)
{
    struct text missing = TEXT_INIT;
    enum status status = replay_missing(session->trace, target, &missing, error);
    if (status == STATUS_OK && missing.size) {
        fprintf(stderr, "%s needs what cannot be replayed on '%s':\n", path, target->device_name);
        for (const char *line = missing.bytes; *line;) {
            const size_t length = strcspn(line, "\n");
            fprintf(stderr, "  %.*s\n", (int)length, line);
            line += length + (line[length] == '\n');
        }
        status = error_set(error, STATUS_UNSUPPORTED, "nothing was performed");
    }
    text_release(&missing);
    return status;
}

/* `complete`: the recording was replayed to its end. Otherwise only what was found up to there is
 * of use. */
static void print_results(struct session *session, const struct replay_target *target,
                          const struct replay_result *result, bool complete)
{
    const struct reporting *reporting = &session->reporting;
    const bool tells = session->has_sink && (complete || !report_is_empty(reporting->report));
    if (session->json) {
        reporting_print(reporting, STDOUT_FILENO, &session->out);
        if (complete)
            print_summary_json(session, target, result, &session->out);
        flush(session);
        return;
    }
    if (complete) {
        replay_launches_print(session->launches, &session->out);
        print_summary(session, target, result, &session->out);
    }
    if (!reporting_is_for_programs(reporting)) {
        if (tells)
            reporting_print(reporting, STDOUT_FILENO, &session->out);
        flush(session);
        return;
    }
    flush(session);
    reporting_print(reporting, STDOUT_FILENO, &session->out);
    verb_print(&session->out);
    text_clear(&session->out);
}

static int run_replay(const struct options *options);

const struct verb verb_replay = {
    .name = "replay",
    .synopsis = "TRACE [options]",
    .summary = "perform a recorded run again, on any device, and compare",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof *option_rows,
    .help =
        "Performs every call of the recorded run again and compares, byte by byte, what it reads "
        "back\n"
        "with what the recording read back. On the reference device it also reports what is wrong\n"
        "with the kernels, with the recorded call that enqueued each.\n\n"
        "Calls are performed in the order in which they were recorded. With --threads free each\n"
        "thread is one again, and waits for what it needs: objects that others made, the end of\n"
        "waits by which the program may have learned something, calls on the same queue, program "
        "or "
        "kernel.\n\n"
        "Two correct devices may round floating-point values differently. --ulp and --relative "
        "say how\n"
        "far apart values may be whose type is known from the kernels that used the buffer.\n\n"
        "Of a run that was recorded with --contents all, what every launch leaves in memory is\n"
        "compared too, and launches can be performed alone, without what came before them:\n\n"
        "  clerk replay app.db --launch 117     one, as clerk show launches numbers them\n"
        "  clerk replay app.db --kernel sum     each launch of a kernel\n"
        "  clerk replay app.db --shard 2/8 --json >2.json   an eighth of them all\n"
        "  clerk replay --merge *.json                      all eighths together\n\n"
        "Where two devices part is found with reference outputs, written on one of them:\n\n"
        "  clerk replay app.db --golden ref.db --each-launch      on the reference device\n"
        "  clerk replay app.db --golden ref.db --device system    the first launch that differs\n\n"
        "Whether results depend on the device is found on devices unlike the usual one, which\n"
        "clerk run --personality names: launch by launch, with what in the kernel is known to:\n\n"
        "  clerk replay app.db --personalities all\n\n"
        "Exit status: 0 equal and no errors found, 1 differences or errors (--fail-on), 2 could "
        "not\n"
        "replay.\n",
    .run = run_replay,
};

static enum status parse_tolerance(const struct options *options,
                                   struct replay_tolerance *tolerance, struct error *error)
{
    const char *relative = options_text(options, "relative");
    char *end = NULL;
    tolerance->allowed = relative || options_has(options, "ulp");
    tolerance->ulp = options_number(options, "ulp", 0);
    tolerance->relative = relative ? strtod(relative, &end) : 0;
    if (relative && (end == relative || *end || !(tolerance->relative >= 0)))
        return error_set(error, STATUS_INVALID, "--relative %s: a number like 1e-5 is wanted",
                         relative);
    return STATUS_OK;
}

/* "2/8" */
static bool parse_shard(const char *text, struct replay_selection *selection)
{
    uint64_t parts[2];
    uint64_t none;
    const char *slash = strchr(text, '/');
    char first[24] = "";
    if (!slash || (size_t)(slash - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(slash - text));
    if (strchr(text, '-') || !range_parse(first, &parts[0], &none) ||
        !range_parse(slash + 1, &parts[1], &none) || parts[0] < 1 || parts[0] > parts[1] ||
        parts[1] > UINT32_MAX)
        return false;
    selection->shard = (uint32_t)parts[0];
    selection->shard_count = (uint32_t)parts[1];
    return true;
}

/* Which launches run alone; all of them run as they did when none is asked for. */
static enum status choose_launches(const struct options *options, struct session *session,
                                   struct replay_options *replay_options, struct error *error)
{
    const char *range = options_text(options, "launches");
    const char *shard = options_text(options, "shard");
    struct replay_selection selection = {.kernel = options_text(options, "kernel")};
    if (options_has(options, "launch"))
        selection.first = selection.last = options_number(options, "launch", 0);
    if (options_has(options, "launch") && !selection.first)
        return error_set(error, STATUS_INVALID, "--launch 0: calls are numbered from 1");
    if (range && !range_parse(range, &selection.first, &selection.last))
        return error_set(error, STATUS_INVALID, "--launches %s: two numbers of calls, as in 12-40",
                         range);
    if (shard && !parse_shard(shard, &selection))
        return error_set(error, STATUS_INVALID, "--shard %s: which of how many, as in 1/8", shard);
    session->runs_alone =
        options_has(options, "launch") || range || shard || selection.kernel != NULL;
    session->selection = selection;
    if (!session->runs_alone)
        return STATUS_OK;
    return replay_select(session->trace, &selection, &session->arena, &replay_options->launches,
                         &replay_options->launch_count, &session->without_contents, error);
}

static enum status open_golden(const struct options *options, struct session *session,
                               struct replay_options *replay_options, struct error *error)
{
    const char *path = options_text(options, "golden");
    replay_options->keep_launches = options_has(options, "each-launch");
    if (replay_options->keep_launches && !path)
        return error_set(error, STATUS_INVALID, "--each-launch needs --golden FILE to write to");
    const enum status status = replay_golden_open(path, session->trace, &session->golden, error);
    replay_options->golden = session->golden.trace;
    replay_options->keep = session->golden.store;
    return status;
}

static enum status replay_trace(const struct options *options, struct session *session,
                                const char *path, struct replay_target **target, bool *different,
                                struct error *error)
{
    const char *device = options_text(options, "device");
    const bool reference = !device || strcmp(device, "reference") == 0;
    struct replay_options replay_options = {.user = session,
                                            .difference = take_difference,
                                            .status_difference = take_status_difference,
                                            .launch_compared = take_launch,
                                            .launch = note_launch};
    struct replay_result result = {0};
    enum status status = parse_tolerance(options, &replay_options.tolerance, error);
    if (status == STATUS_OK)
        status = trace_open(path, &session->trace, error);
    if (status == STATUS_OK && !(session->launches = replay_launches_create(session->trace)))
        status = error_no_memory(error, 0);
    if (status == STATUS_OK)
        status = trace_count_calls(session->trace, NULL, &session->call_count, error);
    if (status == STATUS_OK)
        status = choose_launches(options, session, &replay_options, error);
    if (status == STATUS_OK && session->runs_alone && session->free_threads)
        status = error_set(error, STATUS_INVALID,
                           "--threads free: launches that run alone have no threads");
    if (status == STATUS_OK)
        status = open_golden(options, session, &replay_options, error);
    if (status == STATUS_OK)
        status = prepare_environment(reference, error);
    if (status == STATUS_OK)
        status =
            replay_target_open((uint32_t)options_number(options, "platform", 0), target, error);
    if (status == STATUS_OK)
        status = check_missing(session, *target, path, error);
    if (status == STATUS_OK)
        status = connect_sink(*target, session, error);
    if (status != STATUS_OK)
        return status;
    replay_options.settle_launches = session->has_sink;
    replay_options.free_threads = session->free_threads;
    if (session->free_threads)
        replay_options.launch = note_free_launch;
    const bool has_work = !session->runs_alone || replay_options.launch_count;
    if (has_work) /* a shard may be empty */
        status = replay_run(session->trace, *target, &replay_options, &result, error);
    if (status == STATUS_OK)
        status = replay_golden_finish(&session->golden, error);
    print_results(session, *target, &result, status == STATUS_OK);
    if (status == STATUS_OK)
        status = reporting_write(&session->reporting, error);
    *different = result.differing_reads || result.differing_launches || result.status_differences;
    return status;
}

static int run_replay(const struct options *options)
{
    struct error error;
    if (options_has(options, "merge"))
        return replay_merge(&verb_replay, options);
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_replay,
                          options_operand_count(options) ? "one trace at a time" : "which trace?");
    if (options_has(options, "personalities"))
        return replay_personalities(&verb_replay, options);
    if (options_number(options, "platform", 0) > UINT32_MAX)
        return verb_usage(&verb_replay, "there is no platform with such a number");
    struct session session = {.out = TEXT_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct replay_target *target = NULL;
    bool different = false;
    enum status status = reporting_open(options, &session.reporting, &error);
    session.json = session.reporting.style.format == REPORT_JSON;
    const char *threads = options_text(options, "threads");
    session.free_threads = threads && strcmp(threads, "free") == 0;
    if (status == STATUS_OK)
        status = replay_trace(options, &session, options_operand(options, 0), &target, &different,
                              &error);
    disconnect_sink(target);
    int result = VERB_OK;
    if (status == STATUS_OK && (different || reporting_fails(&session.reporting)))
        result = VERB_FOUND;
    if (status != STATUS_OK)
        result = verb_fail(&verb_replay, &error);
    replay_target_close(target);
    replay_launches_destroy(session.launches);
    replay_golden_close(&session.golden);
    if (session.trace)
        trace_close(session.trace);
    arena_release(&session.arena);
    reporting_close(&session.reporting);
    arena_release(&session.launch_arena);
    text_release(&session.out);
    return verb_finish(&verb_replay, result);
}
