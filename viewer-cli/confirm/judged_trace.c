#include "viewer-cli/confirm/judged_trace.h"

#include "trace/base/alloc.h"
#include "trace/reader.h"
#include "trace/store.h"

struct judged_trace {
    struct store *store;
    enum status status; /* of what was added */
    struct error error;
};

/* A trace that was cut short is completed as it is opened for reading. */
static enum status complete(const char *path, bool *live, struct error *error)
{
    struct trace *trace;
    const enum status status = trace_open(path, &trace, error);
    if (status != STATUS_OK)
        return status;
    *live = trace_is_live(trace);
    trace_close(trace);
    return STATUS_OK;
}

enum status judged_trace_open(const char *path, struct judged_trace **judged, struct error *error)
{
    bool live = false;
    *judged = NULL;
    enum status status = complete(path, &live, error);
    if (status != STATUS_OK || live)
        return status;
    struct judged_trace *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    status = store_open(path, &made->store, error);
    if (!status)
        status = store_begin(made->store, error);
    if (!status)
        status = store_execute(made->store, "DELETE FROM finding", error);
    if (status) {
        store_close(made->store);
        alloc_free(made);
        return status;
    }
    *judged = made;
    return STATUS_OK;
}

void judged_trace_add(struct judged_trace *judged, const struct finding *finding)
{
    if (!judged || judged->status)
        return;
    const struct rule *rule = rule_get(finding->rule);
    struct text json = TEXT_INIT;
    struct finding told = *finding;
    told.process_count = 0; /* a trace is that of one */
    finding_print_json(&told, &json);
    const struct store_string strings[4] = {
        store_string(rule->id), store_string(severity_name(rule->severity)),
        store_string(finding->message), store_string(json.failed ? "" : json.bytes)};
    judged->status = json.failed
                         ? error_no_memory(&judged->error, 0)
                         : store_finding(judged->store, finding->call_id, strings, &judged->error);
    text_release(&json);
}

enum status judged_trace_close(struct judged_trace *judged, struct error *error)
{
    if (!judged)
        return STATUS_OK;
    enum status status = judged->status;
    if (status)
        *error = judged->error;
    else
        status = store_commit(judged->store, error);
    store_close(judged->store);
    alloc_free(judged);
    return status;
}
