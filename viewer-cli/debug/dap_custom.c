/* Requests of our own, which a client may have panels and commands for. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"
#include "viewer-cli/debug/origin.h"

#include <inttypes.h>
#include <string.h>

/* ---- who wrote before the launch ---- */

bool dap_find_origin(struct dap *dap, const struct cJSON *answer, struct origin *origin)
{
    const struct origin_search search = {.path = dap->trace,
                                         .personality = dap->personality,
                                         .memory = json_object_item(answer, "memory")};
    struct error error;
    return search.path && search.memory && origin_find(&search, origin, &error) == STATUS_OK;
}

/* The client goes to positions of this launch alone: it is told. */
void dap_append_origin(const struct origin *origin, struct text *text)
{
    const struct cJSON *const writer = json_object_item(origin->answer, "writer");
    const struct cJSON *const place = json_object_item(writer, "place");
    uint64_t line = 0;
    json_object_number(place, "line", &line);
    text_format(text, "not written in this launch before; earlier: %s", origin->text.bytes);
    if (writer)
        text_format(text, "written in launch %" PRIu64 " by %s, line %" PRIu64 ": %s, was %s",
                    origin->launch, json_object_text(place, "function"), line,
                    json_object_text(writer, "after"), json_object_text(writer, "before"));
}

static void respond_origin(struct dap *dap, const struct cJSON *request,
                           const struct origin *origin)
{
    const struct cJSON *const writer = json_object_item(origin->answer, "writer");
    struct text text = TEXT_INIT;
    dap_append_origin(origin, &text);
    dap_respond(dap, request);
    json_string(&dap->out, "text", text.bytes);
    if (writer) {
        json_key(&dap->out, "earlier");
        text_append_char(&dap->out, '{');
        dap_copy_members(writer, &dap->out);
        dap_close(&dap->out);
    }
    dap_end(dap);
    text_release(&text);
}

/* ---- responses ---- */

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

static void respond_who(struct dap *dap, const struct cJSON *request, const struct cJSON *answer)
{
    struct origin origin = {.text = TEXT_INIT};
    if (dap_find_origin(dap, answer, &origin))
        respond_origin(dap, request, &origin);
    else
        respond(dap, request, answer);
    origin_release(&origin);
}

static const struct {
    enum debug_request request;
    dap_finish *finish; /* of one that may take long; NULL = it does not */
} offered[] = {
    {DEBUG_REQUEST_LANES, NULL},          {DEBUG_REQUEST_DIFFER, NULL},
    {DEBUG_REQUEST_WHO, respond_who},     {DEBUG_REQUEST_FOCUS, respond_moved},
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
