/* Requests of our own, which a client may have panels and commands for. */
#include "viewer-cli/debug/dap.h"

#include <string.h>

static void respond(struct dap *dap, const struct cJSON *request, const struct cJSON *answer)
{
    dap_respond(dap, request);
    dap_copy_members(answer, &dap->out);
    dap_end(dap);
}

/* Where it stands elsewhere now, that is told too. */
static void respond_moved(struct dap *dap, const struct cJSON *request, const struct cJSON *answer)
{
    respond(dap, request, answer);
    if (json_object_item(answer, "stop"))
        dap_tell_moved(dap, json_object_item(answer, "stop"));
}

static const struct {
    enum debug_request request;
    dap_finish *finish; /* of one that may take long; NULL = it does not */
} offered[] = {
    {DEBUG_REQUEST_LANES, NULL},          {DEBUG_REQUEST_DIFFER, NULL},
    {DEBUG_REQUEST_WHO, respond},         {DEBUG_REQUEST_FOCUS, respond_moved},
    {DEBUG_REQUEST_FINDINGS, NULL},       {DEBUG_REQUEST_LAUNCHES, NULL},
    {DEBUG_REQUEST_POSITION, NULL},       {DEBUG_REQUEST_GOTO, respond_moved},
    {DEBUG_REQUEST_OTHER, respond_moved},
};
enum { OFFERED_COUNT = sizeof offered / sizeof *offered };

/* "clerk/lanes" and others: a request of the debugger, whose members are the arguments, and whose
 * answer is the body. */
void dap_custom(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const command = json_object_text(request, "command");
    const enum debug_request found = debug_request_find(strchr(command, '/') + 1);
    size_t at = 0;
    while (at < OFFERED_COUNT && offered[at].request != found)
        ++at;
    if (at == OFFERED_COUNT) {
        dap_refuse(dap, request, "there is no request '%s'", command);
        return;
    }
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, found);
    dap_copy_members(arguments, &asked);
    if (offered[at].finish) {
        dap_ask_later(dap, request, &asked, offered[at].finish);
    } else {
        struct cJSON *answer = dap_ask(dap, request, &asked);
        if (answer)
            respond(dap, request, answer);
        json_object_release(answer);
    }
    text_release(&asked);
}
