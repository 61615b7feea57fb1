/* Requests of our own, which a client may have panels and commands for. */
#include "viewer-cli/debug/dap.h"

#include <string.h>

/* "clerk/lanes" and others: a request of the debugger, whose members are the arguments, and whose
 * answer is the body. */
void dap_custom(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    static const enum debug_request offered[] = {
        DEBUG_REQUEST_LANES,    DEBUG_REQUEST_DIFFER,   DEBUG_REQUEST_WHO,
        DEBUG_REQUEST_FOCUS,    DEBUG_REQUEST_FINDINGS, DEBUG_REQUEST_LAUNCHES,
        DEBUG_REQUEST_POSITION, DEBUG_REQUEST_GOTO,     DEBUG_REQUEST_OTHER};
    const char *const command = json_object_text(request, "command");
    const enum debug_request found = debug_request_find(strchr(command, '/') + 1);
    bool is_offered = false;
    for (size_t i = 0; i < sizeof offered / sizeof *offered; ++i)
        is_offered = is_offered || offered[i] == found;
    if (!is_offered) {
        dap_refuse(dap, request, "there is no request '%s'", command);
        return;
    }
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, found);
    dap_copy_members(arguments, &asked);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    dap_respond(dap, request);
    dap_copy_members(answer, &dap->out);
    dap_end(dap);
    if (json_object_item(answer, "stop") && found != DEBUG_REQUEST_POSITION)
        dap_tell_moved(dap, json_object_item(answer, "stop"));
    json_object_release(answer);
}
