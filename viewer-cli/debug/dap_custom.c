/* Requests of our own, which a client may have panels and commands for. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"
#include "viewer-cli/debug/origin.h"

#include <inttypes.h>
#include <string.h>

/* The client goes to positions of this launch alone: it is told who wrote the bytes before that. */
static void put_earlier(struct dap *dap, const struct origin *origin)
{
    const struct cJSON *const writer = json_object_item(origin->answer, "writer");
    struct text text = TEXT_INIT;
    uint64_t line = 0;
    text_format(&text, "not written in this launch before; earlier: %s", origin->text.bytes);
    if (writer) {
        const struct cJSON *const place = json_object_item(writer, "place");
        json_object_number(place, "line", &line);
        text_format(&text, "written in launch %" PRIu64 " by %s, line %" PRIu64 ": %s, was %s",
                    origin->launch, json_object_text(place, "function"), line,
                    json_object_text(writer, "after"), json_object_text(writer, "before"));
        json_key(&dap->out, "earlier");
        text_append_char(&dap->out, '{');
        dap_copy_members(writer, &dap->out);
        dap_close(&dap->out);
    }
    json_string(&dap->out, "text", text.bytes);
    text_release(&text);
}

/* Of a recorded run the answer to `who` goes on before the launch. False: that is not known. */
static bool respond_earlier(struct dap *dap, const struct cJSON *request,
                            const struct cJSON *answer)
{
    const struct origin_search search = {.path = dap->trace,
                                         .personality = dap->personality,
                                         .memory = json_object_item(answer, "memory")};
    struct origin origin = {.text = TEXT_INIT};
    struct error error;
    const bool found =
        search.path && search.memory && origin_find(&search, &origin, &error) == STATUS_OK;
    if (found) {
        dap_respond(dap, request);
        put_earlier(dap, &origin);
        dap_end(dap);
    }
    origin_release(&origin);
    return found;
}

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
    if (found != DEBUG_REQUEST_WHO || !respond_earlier(dap, request, answer)) {
        dap_respond(dap, request);
        dap_copy_members(answer, &dap->out);
        dap_end(dap);
    }
    if (json_object_item(answer, "stop") && found != DEBUG_REQUEST_POSITION)
        dap_tell_moved(dap, json_object_item(answer, "stop"));
    json_object_release(answer);
}
