#include "viewer-cli/replay/cmd_replay.h"

#include "trace/api/entry.h"
#include "trace/debug/requests.h"
#include "viewer-cli/rows.h"

bool replay_debug_comes_to(struct trace *trace, uint64_t call)
{
    struct arena arena = {0};
    struct api_call found;
    const bool is_buffer = trace_call(trace, call, &arena, &found, NULL) == STATUS_OK &&
                           found.entry == API_ENTRY_clEnqueueCommandBufferKHR;
    arena_release(&arena);
    return is_buffer;
}

/* What was found there may depend on more than the bytes that the launch found in memory: on who
 * wrote them, and on those that nobody wrote. */
static bool has_findings(struct trace *trace, uint64_t launch)
{
    struct rows *rows = NULL;
    enum status status = rows_open(trace, "SELECT 1 FROM finding WHERE call = ?1", &rows, NULL);
    if (!status)
        rows_bind_number(rows, 1, (int64_t)launch);
    const bool has = !status && rows_next(rows, &status, NULL);
    rows_close(rows);
    return has;
}

/* From the launch on that is wanted each alone, as it found its memory, if the trace has that;
 * otherwise everything from the run's beginning on. */
enum status replay_debug_choose(struct replay_session *session, struct replay_options *options,
                                struct error *error)
{
    const uint64_t first = session->debugging.launch;
    struct replay_selection selection = {.first = first, .last = first};
    uint64_t without_contents = 0;
    if (!first)
        return STATUS_OK;
    enum status status =
        replay_select(session->trace, &selection, &session->arena, &options->launches,
                      &options->launch_count, &without_contents, error);
    if (status == STATUS_NOT_FOUND &&
        (without_contents || replay_debug_comes_to(session->trace, first)))
        return STATUS_OK;
    if (!status && has_findings(session->trace, first)) {
        options->launches = NULL;
        options->launch_count = 0;
        return STATUS_OK;
    }
    selection.last = 0;
    if (!status)
        status = replay_select(session->trace, &selection, &session->arena, &options->launches,
                               &options->launch_count, &without_contents, error);
    session->runs_alone = status == STATUS_OK;
    session->selection = selection;
    return status;
}

enum status replay_debug_connect(struct replay_session *session, struct error *error)
{
    struct replay_debugging *debugging = &session->debugging;
    debugging->set =
        (debug_set_function *)replay_target_extension(session->target, DEBUG_SET_FUNCTION);
    return debugging->set && debugging->set(DEBUG_VERSION, -1) == CL_SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_UNSUPPORTED,
                           "the reference device is of another build than this clerk");
}

void replay_debug_note_command(struct replay_session *session, const struct api_call *call)
{
    struct replay_debugging *debugging = &session->debugging;
    if (!debugging->set || debugging->is_on || call->id < debugging->launch)
        return;
    debugging->is_on = true;
    debugging->set(DEBUG_VERSION, debugging->socket);
}
