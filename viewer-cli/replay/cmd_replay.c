/* clerk replay: performs a recorded run again, compares what it reads back, and tells what the
 * reference device finds on the way. */
#include "viewer-cli/replay/cmd_replay.h"
#include "checkers/finding.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"
#include "viewer-cli/drivers.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/shard.h"
#include "viewer-cli/tolerance.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row option_rows[] = {
    {"device", 0, OPTION_WORD, false, "reference|system",
     "the reference device (default), or what the system's OpenCL has"},
    {"platform", 0, OPTION_NUMBER, false, "N", "of the system's platforms the N-th, from 0"},
    TOLERANCE_OPTIONS("the recorded value"),
    {"threads", 0, OPTION_WORD, false, "recorded|free",
     "calls in the recorded order (default), or each thread by one that runs freely"},
    {"launch", 0, OPTION_NUMBER, false, "N",
     "only the launch of call N, from what it found in memory: recorded with --contents all"},
    {"launches", 0, OPTION_TEXT, false, "A-B", "only the launches of calls A to B, each alone"},
    {"kernel", 0, OPTION_TEXT, false, "NAME", "only the launches of this kernel, each alone"},
    {"kernels", 0, OPTION_TEXT, false, "REGEX",
     "check only kernels in whose names REGEX matches; the others are performed unchecked"},
    {"sample", 0, OPTION_TEXT, false, "1/N",
     "check only every N-th launch of a kernel, from its first"},
    {"time-limit", 0, OPTION_TEXT, false, "S",
     "check only launches that begin within S seconds of the first"},
    {"shard", 0, OPTION_TEXT, false, SHARD_VALUE,
     "every N-th of the launches, from the I-th on, each alone, or of the --personalities: for N "
     "machines at once" SHARD_AUTO},
    {"merge", 0, OPTION_FLAG, false, NULL,
     "put together what the shards gave: their outputs with --json, instead of a trace"},
    {"golden", 0, OPTION_TEXT, false, "FILE",
     "compare with the outputs in FILE instead of the recording's; write them if there is no FILE"},
    {"personality", 0, OPTION_TEXT, false, "TRAIT,...",
     "what the reference device is instead of the usual one, as clerk run --help has it"},
    {"personalities", 0, OPTION_TEXT, false, "all|LIST",
     "compare devices unlike the usual reference device with it: all, or some, as in "
     "ftz,big-endian+sub-group=8"},
    {"each-launch", 0, OPTION_FLAG, false, NULL,
     "into --golden FILE also write what each launch leaves in memory"},
    SEARCH_ROOTS_OPTION,
#include "viewer-cli/reporting_options.def"
};

/* ---- findings of the device, and the call that each belongs to ---- */

static void note_launch(void *user, const struct api_call *call)
{
    struct replay_session *session = user;
    pthread_mutex_lock(&session->lock);
    arena_release(&session->launch_arena);
    session->launch_id = call ? call->id : 0;
    session->launch_name = call ? api_entry_get(call->entry)->name : NULL;
    session->frame_count =
        call ? reading_stack(session->trace, call->id, &session->launch_arena, &session->frames)
             : 0;
    pthread_mutex_unlock(&session->lock);
}

/* The device keeps the call: of commands that race, and with threads that run freely, nobody else
 * knows which they are. */
static void note_command(void *user, const struct api_call *call)
{
    struct replay_session *session = user;
    if (session->set_call)
        session->set_call(call->id);
    replay_debug_note_command(session, call);
}

static void note_launch_beside_host(void *user, const struct api_call *call)
{
    struct replay_session *session = user;
    pthread_mutex_lock(&session->lock);
    replay_doubts_add(&session->doubts, call->id);
    pthread_mutex_unlock(&session->lock);
}

static enum status check_settled(void *user, const struct api_call *call, struct error *error)
{
    struct replay_session *session = user;
    (void)call;
    if (alloc_has_failed() || (session->lacks_memory && session->lacks_memory()))
        return error_set(error, STATUS_NO_MEMORY,
                         "memory ran out, so nothing is said of what was not told before");
    pthread_mutex_lock(&session->lock);
    const enum status status = replay_doubts_check(&session->doubts, error);
    pthread_mutex_unlock(&session->lock);
    return status;
}

/* The host stacks of the commands that a finding is about, where the recording has them; false when
 * it is about none. */
static bool add_stacks(const struct replay_session *session, struct finding *finding,
                       struct arena *arena)
{
    struct finding_place *places =
        arena_copy(arena, finding->places, finding->place_count * sizeof *places);
    bool any = false;
    for (size_t i = 0; places && i < finding->place_count; ++i) {
        if (places[i].kind != FINDING_PLACE_CALL)
            continue;
        any = true;
        places[i].frame_count =
            reading_stack(session->stacks, places[i].call_id, arena, &places[i].frames);
    }
    if (places)
        finding->places = places;
    return any;
}

/* Adds the place in the recording to what the device found in a kernel. */
static void add_launch(const struct replay_session *session, struct finding *finding,
                       struct arena *arena)
{
    struct finding_launch launch = {.call_id = session->launch_id,
                                    .function = session->launch_name,
                                    .frames = session->frames,
                                    .frame_count = session->frame_count};
    if (session->free_threads) {
        launch = (struct finding_launch){.call_id = finding->call_id,
                                         .function = "clEnqueueNDRangeKernel"};
        launch.frame_count = reading_stack(session->stacks, launch.call_id, arena, &launch.frames);
    }
    if (launch.call_id)
        finding_add_launch(finding, &launch, arena);
}

static void take_finding(void *user, const struct finding *found)
{
    struct replay_session *session = user;
    struct arena arena = {0};
    struct finding finding = *found;
    pthread_mutex_lock(&session->lock);
    if (!add_stacks(session, &finding, &arena))
        add_launch(session, &finding, &arena);
    source_lines_add(session->lines, &finding, &arena);
    if (!replay_doubts_keep(&session->doubts, &finding))
        report_add(session->reporting.report, &finding);
    pthread_mutex_unlock(&session->lock);
    arena_release(&arena);
}

/* ---- differences ---- */

/* Beside a document that other programs read stands nothing: people then read it elsewhere. */
static void flush(struct replay_session *session)
{
    if (reporting_is_for_programs(&session->reporting) && !session->json)
        visible_print(stderr, session->out.bytes, session->out.size);
    else
        verb_print(&session->out);
    text_clear(&session->out);
}

static void take_difference(void *user, const struct replay_difference *difference)
{
    struct replay_session *session = user;
    if (session->json)
        replay_difference_print_json(difference, session->launches, &session->out);
    else if (session->difference_count < REPLAY_DIFFERENCES_SHOWN)
        replay_difference_print(difference, session->launches, session->golden.trace,
                                &session->out);
    ++session->difference_count;
    flush(session);
}

static void take_launch(void *user, const struct replay_launch *launch)
{
    struct replay_session *session = user;
    const uint64_t id = launch->call->id;
    const char *kernel = replay_launches_kernel(session->launches, id);
    if (session->json)
        replay_launches_print_json(id, kernel, launch, &session->out);
    else
        replay_launches_add(session->launches, id, kernel, launch);
    flush(session);
}

static void take_status_difference(void *user, const struct replay_status_difference *difference)
{
    struct replay_session *session = user;
    if (session->json)
        replay_status_print_json(difference, &session->out);
    else if (session->difference_count < REPLAY_DIFFERENCES_SHOWN)
        replay_status_print(difference, &session->out);
    ++session->difference_count;
    flush(session);
}

/* ---- the verb ---- */

enum status replay_choose_personality(struct trace *trace, const char *asked, struct text *traits,
                                      struct error *error)
{
    struct text list = TEXT_INIT;
    const char *personality = asked ? asked : setting_value(SETTING_PERSONALITY);
    enum status status = replay_recorded_traits(trace, personality, traits, error);
    text_append(&list, personality);
    text_format(&list, list.size > 0 && traits->size > 0 ? ",%s" : "%s", traits->bytes);
    if (status == STATUS_OK && list.failed)
        status = error_no_memory(error, 256);
    if (status == STATUS_OK && list.size > 0)
        status = setting_put(SETTING_PERSONALITY, list.bytes, error);
    text_release(&list);
    return status;
}

/* What the device is to check. */
static enum status choose_checked(const struct options *options, struct error *error)
{
    static const enum setting settings[] = {SETTING_KERNELS, SETTING_SAMPLE, SETTING_TIME_LIMIT};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; ++i) {
        const char *value = options_text(options, setting_get(settings[i])->name);
        if (value)
            status = setting_put(settings[i], value, error);
    }
    return status;
}

/* Makes the loader find the right drivers, before it is loaded, and no layer that records or checks
 * anew. */
static enum status prepare_environment(const struct options *options,
                                       struct replay_session *session, struct error *error)
{
    const char *personality = options_text(options, "personality");
    const char *device = options_text(options, "device");
    enum status status = STATUS_OK;
    unsetenv("OPENCL_LAYERS");
    unsetenv("CLERK_TRACE");
    if (device && strcmp(device, "reference") != 0)
        return personality
                   ? error_set(error, STATUS_INVALID,
                               "--personality %s is of the reference device, not of the system's",
                               personality)
                   : STATUS_OK;
    status = choose_checked(options, error);
    if (!status)
        status = replay_choose_personality(session->trace, personality, &session->traits, error);
    return status ? status : drivers_choose_reference(drivers_set_own, NULL, error);
}

/* Kernels of a trace print what its author likes: not among what other programs read. */
static void take_output(void *user, const char *bytes, size_t size)
{
    struct replay_session *session = user;
    const bool apart = reporting_is_for_programs(&session->reporting);
    reporting_print_output(&session->reporting, apart ? stderr : stdout, bytes, size);
}

static enum status connect_sink(struct replay_session *session, struct error *error)
{
    const struct replay_target *target = session->target;
    sink_set_function *set =
        (sink_set_function *)replay_target_extension(target, SINK_SET_FUNCTION);
    if (!set)
        return STATUS_OK;
    if (set(SINK_VERSION, take_finding, session) != CL_SUCCESS)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the reference device is of another build than this clerk");
    sink_print_function *set_print =
        (sink_print_function *)replay_target_extension(target, SINK_PRINT_FUNCTION);
    if (set_print)
        set_print(take_output, session);
    session->has_sink = true;
    session->lacks_memory =
        (sink_memory_function *)replay_target_extension(target, SINK_MEMORY_FUNCTION);
    session->set_call = (sink_call_function *)replay_target_extension(target, SINK_CALL_FUNCTION);
    return STATUS_OK;
}

static void disconnect_sink(const struct replay_target *target)
{
    sink_set_function *set =
        target ? (sink_set_function *)replay_target_extension(target, SINK_SET_FUNCTION) : NULL;
    sink_print_function *set_print =
        target ? (sink_print_function *)replay_target_extension(target, SINK_PRINT_FUNCTION) : NULL;
    if (set)
        set(SINK_VERSION, NULL, NULL);
    if (set_print)
        set_print(NULL, NULL);
}

static enum status check_missing(const struct replay_session *session, const char *path,
                                 struct error *error)
{
    struct text missing = TEXT_INIT;
    enum status status = replay_missing(session->trace, session->target, &missing, error);
    if (status == STATUS_OK && missing.size) {
        visible_tell("%s needs what cannot be replayed on '%s':\n", path,
                     session->target->device_name);
        char *rest = missing.bytes;
        for (char *line; (line = strsep(&rest, "\n")) != NULL && rest;)
            visible_tell("  %s\n", line);
        status = error_set(error, STATUS_UNSUPPORTED, "nothing was performed");
    }
    text_release(&missing);
    return status;
}

static void add_left_out(void *user, const char *sentence)
{
    const struct replay_session *session = user;
    reporting_add_gap(&session->reporting, SEVERITY_NOTE, sentence);
}

/* What the device's report cannot answer for. */
static void add_gaps(struct replay_session *session)
{
    if (!session->has_sink)
        return;
    sink_left_out_function *left_out =
        (sink_left_out_function *)replay_target_extension(session->target, SINK_LEFT_OUT_FUNCTION);
    if (left_out)
        left_out(add_left_out, session);
    reporting_note_checks(&session->reporting, setting_value(SETTING_CHECKS), true);
    if (!session->result.launches && !session->result.command_buffers)
        reporting_add_gap(&session->reporting, SEVERITY_WARNING,
                          "no kernel was launched, so none was checked");
}

/* `complete`: the recording was replayed to its end. Otherwise only what was found up to there is
 * of use. */
static void print_results(struct replay_session *session, bool complete)
{
    const struct reporting *reporting = &session->reporting;
    if (complete)
        add_gaps(session);
    const bool tells = session->has_sink && (complete || !report_is_empty(reporting->report));
    if (session->json) {
        reporting_print(reporting, STDOUT_FILENO, &session->out);
        if (complete)
            replay_summary_print_json(session, &session->out);
        flush(session);
        return;
    }
    if (complete) {
        replay_launches_print(session->launches, &session->out);
        replay_summary_print(session, &session->out);
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

static const struct absent_option absent_options[] = {
    {"skip", "there is no --skip: --launches A-B performs the launches of calls A to B alone"},
    {"count", "there is no --count: --launches A-B performs the launches of calls A to B alone"},
    {NULL, NULL},
};

const struct verb verb_replay = {
    .name = "replay",
    .synopsis = "TRACE [options]",
    .summary = "perform a recorded run again, on any device, and compare",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof *option_rows,
    .absent = absent_options,
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
        "far apart values may be whose type is known from the kernels that used the buffer, or "
        "from\n"
        "the format of the image; of normalized channels the steps of the stored number count.\n"
        "--personality fma rounds a * b + c once, as devices do that have an instruction for "
        "it.\n"
        "The reference device is of the recorded device's version: of 3.1, or of 3.0 if that is "
        "older.\n"
        "It takes work-groups, local memory and memory objects as large as that did.\n\n"
        "Of a run that was recorded with --contents all, what every launch leaves in memory is\n"
        "compared too, and launches can be performed alone, without what came before them\n"
        "(--launch, --kernel, --shard). Where two devices part is found with reference outputs,\n"
        "written on one of them and compared on the other (--golden). Whether results depend on\n"
        "the device is found on devices unlike the usual one, which clerk run --personality\n"
        "names: launch by launch, with what in the kernel is known to (--personalities).\n\n"
        "Exit status: 0 equal and no errors found, 1 differences or errors (--fail-on), 2 could "
        "not\n"
        "replay.\n",
    .examples =
        "  clerk replay app.db                  on the reference device\n"
        "  clerk replay app.db --device system --ulp 4    on this machine's driver\n"
        "  clerk replay app.db --launch 117     one, as clerk show launches numbers them\n"
        "  clerk replay app.db --kernel sum     each launch of a kernel\n"
        "  clerk replay app.db --shard 2/8 --json >2.json   an eighth of them all\n"
        "  clerk replay app.db --shard auto/8 --json        the one that the scheduler says\n"
        "  clerk replay --merge *.json                      all eighths together\n"
        "  clerk replay app.db --golden ref.db --each-launch      on the reference device\n"
        "  clerk replay app.db --golden ref.db --device system    the first launch that differs\n"
        "  clerk replay app.db --personalities all\n",
    .run = run_replay,
};

/* Which launches run alone; all of them run as they did when none is asked for. */
static enum status choose_launches(const struct options *options, struct replay_session *session,
                                   struct replay_options *replay_options,
                                   uint64_t *without_contents, struct error *error)
{
    const char *range = options_text(options, "launches");
    struct shard shard;
    struct replay_selection selection = {.kernel = options_text(options, "kernel")};
    if (options_has(options, "launch"))
        selection.first = selection.last = options_number(options, "launch", 0);
    if (options_has(options, "launch") && !selection.first)
        return error_set(error, STATUS_INVALID, "--launch 0: calls are numbered from 1");
    if (range && !range_parse(range, &selection.first, &selection.last))
        return error_set(error, STATUS_INVALID, "--launches %s: two numbers of calls, as in 12-40",
                         range);
    const enum status status = shard_parse("replay", options_text(options, "shard"), &shard, error);
    if (status != STATUS_OK)
        return status;
    selection.shard = shard.index;
    selection.shard_count = shard.count;
    session->runs_alone =
        options_has(options, "launch") || range || shard.count || selection.kernel != NULL;
    session->selection = selection;
    if (!session->runs_alone)
        return STATUS_OK;
    return replay_select(session->trace, &selection, &session->arena, &replay_options->launches,
                         &replay_options->launch_count, without_contents, error);
}

static enum status open_golden(const struct options *options, struct replay_session *session,
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

static enum status replay_trace(const struct options *options, struct replay_session *session,
                                const char *path, struct error *error)
{
    struct replay_options replay_options = {.user = session,
                                            .compiler = session->compiler,
                                            .difference = take_difference,
                                            .status_difference = take_status_difference,
                                            .launch_compared = take_launch,
                                            .launch = note_launch,
                                            .command = note_command,
                                            .launch_beside_host = note_launch_beside_host,
                                            .launch_settled = check_settled};
    uint64_t without_contents = 0;
    enum status status = tolerance_parse(options, &replay_options.tolerance, error);
    if (status == STATUS_OK)
        status = trace_open(path, &session->trace, error);
    if (status == STATUS_OK) /* other threads will not read the trace */
        session->lines = source_lines_create_for(options, session->trace, true);
    if (status == STATUS_OK) /* but this, under the lock */
        status = trace_open(path, &session->stacks, error);
    if (status == STATUS_OK && !(session->launches = replay_launches_create(session->trace)))
        status = error_no_memory(error, 0);
    if (status == STATUS_OK)
        status = trace_count_calls(session->trace, NULL, &session->call_count, error);
    if (status == STATUS_OK)
        status = session->is_debugged
                     ? replay_debug_choose(session, &replay_options, error)
                     : choose_launches(options, session, &replay_options, &without_contents, error);
    if (status == STATUS_OK && session->runs_alone && session->free_threads)
        status = error_set(error, STATUS_INVALID,
                           "--threads free: launches that run alone have no threads");
    if (status == STATUS_OK)
        status = open_golden(options, session, &replay_options, error);
    if (status == STATUS_OK)
        status = prepare_environment(options, session, error);
    if (status == STATUS_OK)
        status = replay_target_open((uint32_t)options_number(options, "platform", 0),
                                    &session->target, error);
    if (status == STATUS_OK)
        status = check_missing(session, path, error);
    if (status == STATUS_OK)
        status = connect_sink(session, error);
    if (status == STATUS_OK && session->is_debugged)
        status = replay_debug_connect(session, error);
    if (status != STATUS_OK)
        return status;
    replay_options.settle_launches = session->has_sink;
    replay_options.free_threads = session->free_threads;
    if (session->free_threads)
        replay_options.launch = NULL;
    const bool has_work = !session->runs_alone || replay_options.launch_count;
    if (has_work) /* a shard may be empty */
        status =
            replay_run(session->trace, session->target, &replay_options, &session->result, error);
    session->result.without_contents = without_contents;
    if (status == STATUS_OK)
        status = check_settled(session, NULL, error);
    if (status == STATUS_OK)
        status = replay_golden_finish(&session->golden, error);
    replay_doubts_finish(&session->doubts, &session->result, &session->reporting);
    print_results(session, status == STATUS_OK);
    return status == STATUS_OK ? reporting_write(&session->reporting, error) : status;
}

static int perform_trace(const struct verb *verb, const struct options *options,
                         const struct replay_debugging *debugging)
{
    struct error error;
    struct replay_session session = {.is_debugged = debugging != NULL,
                                     .out = TEXT_INIT,
                                     .traits = TEXT_INIT,
                                     .lock = PTHREAD_MUTEX_INITIALIZER};
    if (debugging)
        session.debugging = *debugging;
    enum status status = search_roots_check(options, &error);
    if (status == STATUS_OK)
        status = reporting_open(options, &session.reporting, &error);
    session.json = session.reporting.style.format == REPORT_JSON;
    const char *threads = options_text(options, "threads");
    const char *device = options_text(options, "device");
    if (device && strcmp(device, "system") == 0)
        session.compiler = verb_own_path("lib/clerk/libclerk_device.so");
    session.free_threads = threads && strcmp(threads, "free") == 0;
    if (status == STATUS_OK)
        status = replay_trace(options, &session, options_operand(options, 0), &error);
    disconnect_sink(session.target);
    int result = VERB_FOUND;
    if (status != STATUS_OK)
        result = verb_fail(verb, &error);
    else if (!session.result.differing_reads && !session.result.differing_launches &&
             !session.result.status_differences)
        result = (int)reporting_verdict(&session.reporting);
    replay_target_close(session.target);
    replay_launches_destroy(session.launches);
    source_lines_destroy(session.lines);
    trace_close(session.stacks);
    replay_golden_close(&session.golden);
    trace_close(session.trace);
    arena_release(&session.arena);
    reporting_close(&session.reporting);
    arena_release(&session.launch_arena);
    replay_doubts_release(&session.doubts);
    text_release(&session.out);
    text_release(&session.traits);
    alloc_free(session.compiler);
    return verb_finish(verb, result);
}

static int run_replay(const struct options *options)
{
    if (options_has(options, "merge"))
        return replay_merge(&verb_replay, options);
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_replay,
                          options_operand_count(options) ? "one trace at a time" : "which trace?");
    if (options_has(options, "personalities"))
        return options_has(options, "personality")
                   ? verb_usage(&verb_replay,
                                "--personality is one device, --personalities are several")
                   : replay_personalities(&verb_replay, options);
    if (options_number(options, "platform", 0) > UINT32_MAX)
        return verb_usage(&verb_replay, "there is no platform with such a number");
    return perform_trace(&verb_replay, options, NULL);
}

int replay_debug(int word_count, char **words, int socket)
{
    struct verb named = verb_replay;
    struct options *options = NULL;
    struct error error;
    named.name = "debug";
    if (options_parse(named.options, named.option_count, 0, word_count, words, &options, &error) !=
        STATUS_OK)
        return verb_fail(&named, &error);
    const struct replay_debugging debugging = {.socket = socket,
                                               .launch = options_number(options, "launch", 0)};
    const int result = perform_trace(&named, options, &debugging);
    options_destroy(options);
    return result;
}
