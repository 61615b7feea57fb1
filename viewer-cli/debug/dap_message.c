#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"

#include <cjson/cJSON.h>

#include <stdarg.h>
#include <string.h>

void dap_put_flag(struct text *text, const char *key, bool value)
{
    json_key(text, key);
    text_append(text, value ? "true" : "false");
}

void dap_open(struct text *text)
{
    json_item(text);
    text_append_char(text, '{');
}

void dap_close(struct text *text)
{
    text_append_char(text, '}');
}

void dap_copy_members(const struct cJSON *object, struct text *text)
{
    for (const struct cJSON *at = json_array_first(object); at; at = json_array_next(at)) {
        const char *key = json_item_key(at);
        char *value = cJSON_PrintUnformatted(at);
        if (value && key && strcmp(key, "ok") != 0 && strcmp(key, "request") != 0) {
            json_key(text, key);
            text_append(text, value);
        }
        cJSON_free(value);
    }
}

static void begin(struct dap *dap, const char *type)
{
    text_clear(&dap->out);
    text_append_char(&dap->out, '{');
    json_number(&dap->out, "seq", ++dap->seq);
    json_string(&dap->out, "type", type);
}

static void begin_response(struct dap *dap, const struct cJSON *request, bool success)
{
    const char *const command = json_object_text(request, "command");
    uint64_t seq = 0;
    json_object_number(request, "seq", &seq);
    begin(dap, "response");
    json_number(&dap->out, "request_seq", seq);
    dap_put_flag(&dap->out, "success", success);
    json_string(&dap->out, "command", command ? command : "");
}

static void open_body(struct dap *dap)
{
    json_key(&dap->out, "body");
    text_append_char(&dap->out, '{');
}

void dap_respond(struct dap *dap, const struct cJSON *request)
{
    begin_response(dap, request, true);
    open_body(dap);
}

void dap_event(struct dap *dap, const char *event)
{
    begin(dap, "event");
    json_string(&dap->out, "event", event);
    open_body(dap);
}

/* A client that is gone is noticed where it is read. */
static void write_out(struct dap *dap)
{
    text_append_char(&dap->out, '}');
    if (dap_wire_write(&dap->wire, &dap->out, NULL))
        dap->ends = true;
}

void dap_end(struct dap *dap)
{
    text_append_char(&dap->out, '}');
    write_out(dap);
}

void dap_done(struct dap *dap, const struct cJSON *request)
{
    begin_response(dap, request, true);
    write_out(dap);
}

void dap_refuse(struct dap *dap, const struct cJSON *request, const char *format, ...)
{
    struct error error;
    va_list list;
    va_start(list, format);
    error_set_v(&error, STATUS_INVALID, format, list);
    va_end(list);
    begin_response(dap, request, false);
    json_string(&dap->out, "message", error.text);
    open_body(dap);
    json_key(&dap->out, "error");
    /* Braces in a format stand for variables. */
    text_append(&dap->out, "{\"id\":1,\"format\":\"{sentence}\"");
    dap_put_flag(&dap->out, "showUser", !dap->is_quiet);
    json_key(&dap->out, "variables");
    text_append_char(&dap->out, '{');
    json_string(&dap->out, "sentence", error.text);
    text_append(&dap->out, "}}");
    dap_end(dap);
}

void dap_output(struct dap *dap, const char *category, const char *text, size_t size)
{
    dap_event(dap, "output");
    json_string(&dap->out, "category", category);
    json_key(&dap->out, "output");
    text_append_json_n(&dap->out, text, size);
    dap_end(dap);
}
