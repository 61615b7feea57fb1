/* What a client is shown of a process that is stopped. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "viewer-cli/debug/examine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t read_number(const struct cJSON *arguments, const char *key, uint64_t otherwise)
{
    json_object_number(arguments, key, &otherwise);
    return otherwise;
}

/* Begins "KEY":[ of the response. */
static void begin_list(struct dap *dap, const struct cJSON *request, const char *key)
{
    dap_respond(dap, request);
    json_key(&dap->out, key);
    text_append_char(&dap->out, '[');
}

/* ---- threads ---- */

static void put_thread(struct dap *dap, const struct cJSON *thread)
{
    const char *const name = json_object_text(thread, "name");
    const char *const items = json_object_text(thread, "items");
    const struct cJSON *const place = json_object_item(thread, "place");
    const char *const function = json_object_text(place, "function");
    struct text made = TEXT_INIT;
    uint64_t line;
    text_append(&made, function ? function : "");
    if (json_object_number(place, "line", &line))
        text_format(&made, ":%" PRIu64, line);
    text_format(&made, " items %s", items ? items : "?");
    dap_open(&dap->out);
    json_number(&dap->out, "id", read_number(thread, "id", 0));
    json_string(&dap->out, "name", name ? name : made.bytes);
    dap_close(&dap->out);
    text_release(&made);
}

/* One stands for all while the process runs. */
static void put_running_thread(struct dap *dap)
{
    dap_open(&dap->out);
    json_number(&dap->out, "id", dap->thread ? dap->thread : 1);
    json_string(&dap->out, "name", "running");
    dap_close(&dap->out);
}

void dap_threads(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    struct cJSON *answer = NULL;
    if (dap->phase == DAP_STOPPED) {
        struct text asked = TEXT_INIT;
        debug_request_begin(&asked, DEBUG_REQUEST_THREADS);
        json_string(&asked, "by", dap->threads_by);
        answer = dap_ask(dap, request, &asked);
        text_release(&asked);
        if (!answer)
            return;
    }
    begin_list(dap, request, "threads");
    const struct cJSON *at = json_array_first(json_object_item(answer, "threads"));
    for (; at; at = json_array_next(at))
        put_thread(dap, at);
    if (dap->phase == DAP_RUNNING)
        put_running_thread(dap);
    text_append_char(&dap->out, ']');
    dap_end(dap);
    json_object_release(answer);
}

/* ---- the stack ---- */

/* The site of the focus; UINT64_MAX where it is not known. */
static uint64_t focus_site(struct dap *dap)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_DISASSEMBLE);
    json_number(&asked, "count", 1);
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    const uint64_t site = read_number(answer, "focus", UINT64_MAX);
    json_object_release(answer);
    text_release(&asked);
    return site;
}

static void put_frame(struct dap *dap, const struct cJSON *frame, uint64_t thread, uint64_t site)
{
    const struct cJSON *const place = json_object_item(frame, "place");
    const char *const function = json_object_text(place, "function");
    const char *const file = json_object_text(place, "file");
    const uint64_t number = read_number(frame, "frame", 0);
    const uint64_t line = read_number(place, "line", 0);
    dap_open(&dap->out);
    json_number(&dap->out, "id", dap_frame_id(thread, number));
    json_string(&dap->out, "name", function ? function : "?");
    if (file && line)
        dap_put_source(dap, "source", file);
    json_number(&dap->out, "line", line ? dap_line_to_client(dap, line) : 0);
    json_number(&dap->out, "column", line ? read_number(place, "column", 1) : 0);
    if (number == 0 && site != UINT64_MAX) {
        json_key(&dap->out, "instructionPointerReference");
        text_format(&dap->out, "\"0x%" PRIx64 "\"", site);
    }
    dap_close(&dap->out);
}

/* NULL where the focus has no place. */
static struct cJSON *ask_position(struct dap *dap)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_POSITION);
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    text_release(&asked);
    const struct cJSON *focus = json_object_item(json_object_item(answer, "stop"), "focus");
    if (json_object_item(focus, "place"))
        return answer;
    json_object_release(answer);
    return NULL;
}

void dap_stack_trace(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const uint64_t thread = read_number(arguments, "threadId", 0);
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_STACK);
    json_number(&asked, "thread", thread);
    json_number(&asked, "start", read_number(arguments, "startFrame", 0));
    json_known_number(&asked, "count", read_number(arguments, "levels", 0));
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    const uint64_t site = thread == dap->thread ? focus_site(dap) : UINT64_MAX;
    const struct cJSON *at = json_array_first(json_object_item(answer, "frames"));
    /* An item that has not begun has no frames, but a place where it will. */
    struct cJSON *position = at || thread != dap->thread ? NULL : ask_position(dap);
    uint64_t count = 0;
    begin_list(dap, request, "stackFrames");
    for (; at; at = json_array_next(at), ++count)
        put_frame(dap, at, thread, site);
    if (position) {
        put_frame(dap, json_object_item(json_object_item(position, "stop"), "focus"), thread, site);
        ++count;
    }
    text_append_char(&dap->out, ']');
    json_number(&dap->out, "totalFrames", position ? count : read_number(answer, "total", count));
    dap_end(dap);
    json_object_release(position);
    json_object_release(answer);
}

/* ---- scopes and variables ---- */

static void keep_reference(struct dap *dap, uint64_t reference, const char *expression)
{
    struct dap_reference *made = arena_alloc(&dap->stop_arena, 1, sizeof *made);
    if (!made || !reference)
        return;
    *made = (struct dap_reference){
        .next = dap->references,
        .reference = reference,
        .expression = expression ? arena_string(&dap->stop_arena, expression) : NULL,
    };
    dap->references = made;
}

static const char *find_reference(const struct dap *dap, uint64_t reference)
{
    for (const struct dap_reference *at = dap->references; at; at = at->next)
        if (at->reference == reference)
            return at->expression;
    return NULL;
}

const char *dap_child_expression(struct dap *dap, uint64_t reference, const char *name)
{
    const char *const parent = find_reference(dap, reference);
    if (!parent || !name)
        return NULL;
    if (*name == '*') /* what a pointer leads to */
        return arena_format(&dap->stop_arena, "(*%s)", parent);
    const char *const between = !*parent || *name == '[' ? "" : ".";
    return arena_format(&dap->stop_arena, "%s%s%s", parent, between, name);
}

bool dap_scope_has_names(const char *scope)
{
    return !scope || strncmp(scope, "Work-item", 9) != 0;
}

static const char *presentation_hint(const char *scope)
{
    if (scope && strcmp(scope, "Locals") == 0)
        return "locals";
    return scope && strcmp(scope, "Arguments") == 0 ? "arguments" : NULL;
}

void dap_scopes(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    uint64_t thread;
    uint64_t frame;
    dap_split_frame_id(read_number(arguments, "frameId", 0), &thread, &frame);
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_SCOPES);
    json_number(&asked, "thread", thread);
    json_number(&asked, "frame", frame);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    begin_list(dap, request, "scopes");
    const struct cJSON *at = json_array_first(json_object_item(answer, "scopes"));
    for (; at; at = json_array_next(at)) {
        const char *const name = json_object_text(at, "name");
        const uint64_t reference = read_number(at, "reference", 0);
        keep_reference(dap, reference, dap_scope_has_names(name) ? "" : NULL);
        dap_open(&dap->out);
        json_string(&dap->out, "name", name ? name : "?");
        json_string(&dap->out, "presentationHint", presentation_hint(name));
        json_number(&dap->out, "variablesReference", reference);
        json_known_number(&dap->out, "namedVariables", read_number(at, "children", 0));
        dap_put_flag(&dap->out, "expensive", json_object_flag(at, "expensive"));
        dap_close(&dap->out);
    }
    text_append_char(&dap->out, ']');
    dap_end(dap);
    json_object_release(answer);
}

/* An address, by which memory can be read after the focus has gone elsewhere: of what the
 * expression's value leads to, or else lies in. */
static void put_memory_reference(struct dap *dap, const struct cJSON *value, const char *expression)
{
    const char *const type = json_object_text(value, "type");
    if (!expression || !(json_object_text(value, "address") || (type && strchr(type, '*'))))
        return;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_MEMORY);
    json_string(&asked, "expression", expression);
    json_number(&asked, "count", 1);
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    json_string(&dap->out, "memoryReference", json_object_text(answer, "address"));
    json_object_release(answer);
    text_release(&asked);
}

/* The members that Variable and the responses with one value share; `key` is what its text is
 * called. */
static void put_value(struct dap *dap, const struct cJSON *value, const char *key,
                      const char *expression)
{
    const char *const shown = json_object_text(value, "value");
    const uint64_t children = read_number(value, "children", 0);
    const uint64_t reference = children ? read_number(value, "reference", 0) : 0;
    json_string(&dap->out, key, shown ? shown : "?");
    json_string(&dap->out, "type", json_object_text(value, "type"));
    json_number(&dap->out, "variablesReference", reference);
    if (reference)
        json_number(&dap->out, "namedVariables", children);
    put_memory_reference(dap, value, expression);
}

static void put_variable(struct dap *dap, const struct cJSON *value, uint64_t parent)
{
    const char *const name = json_object_text(value, "name");
    const char *const expression = dap_child_expression(dap, parent, name);
    keep_reference(dap, read_number(value, "reference", 0), expression);
    dap_open(&dap->out);
    json_string(&dap->out, "name", name ? name : "?");
    json_string(&dap->out, "evaluateName", expression);
    /* What is held as values cannot be changed. */
    const char *const watch = json_object_text(value, "watch");
    if (watch && strcmp(watch, "write") == 0) {
        json_key(&dap->out, "presentationHint");
        text_append(&dap->out, "{\"attributes\":[\"readOnly\"]}");
    }
    put_value(dap, value, "value", expression);
    dap_close(&dap->out);
}

void dap_variables(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const uint64_t reference = read_number(arguments, "variablesReference", 0);
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_VARIABLES);
    json_number(&asked, "reference", reference);
    json_known_number(&asked, "start", read_number(arguments, "start", 0));
    json_known_number(&asked, "count", read_number(arguments, "count", 0));
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    begin_list(dap, request, "variables");
    const struct cJSON *at = json_array_first(json_object_item(answer, "values"));
    for (; at; at = json_array_next(at))
        put_variable(dap, at, reference);
    text_append_char(&dap->out, ']');
    dap_end(dap);
    json_object_release(answer);
}

/* ---- expressions ---- */

bool dap_focus_on_frame(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    uint64_t thread;
    uint64_t frame;
    if (!json_object_number(arguments, "frameId", &frame))
        return true;
    dap_split_frame_id(frame, &thread, &frame);
    return dap_focus(dap, request, thread, frame);
}

void dap_answer_value(struct dap *dap, const struct cJSON *request, enum debug_request asked_for,
                      const char *expression, const char *name, const char *format, const char *key)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, asked_for);
    json_string(&asked, "expression", expression);
    json_string(&asked, "format", format);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    const struct cJSON *const value = json_object_item(answer, "value");
    keep_reference(dap, read_number(value, "reference", 0), name);
    dap_respond(dap, request);
    put_value(dap, value, key, asked_for == DEBUG_REQUEST_EVALUATE ? name : NULL);
    dap_end(dap);
    json_object_release(answer);
}

static void assign(struct dap *dap, const struct cJSON *request, const char *target,
                   const char *value)
{
    struct text expression = TEXT_INIT;
    text_format(&expression, "%s = %s", target, value ? value : "");
    dap_answer_value(dap, request, DEBUG_REQUEST_SET, expression.bytes, target, NULL, "value");
    text_release(&expression);
}

void dap_set_variable(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const target = dap_child_expression(
        dap, read_number(arguments, "variablesReference", 0), json_object_text(arguments, "name"));
    if (!target)
        dap_refuse(dap, request, "this cannot be changed");
    else
        assign(dap, request, target, json_object_text(arguments, "value"));
}

void dap_set_expression(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const target = json_object_text(arguments, "expression");
    if (dap_focus_on_frame(dap, request, arguments))
        assign(dap, request, target ? target : "", json_object_text(arguments, "value"));
}

/* ---- memory and code ---- */

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void append_base64(struct text *text, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += 3) {
        const size_t left = size - at;
        const uint32_t three = (uint32_t)bytes[at] << 16 |
                               (uint32_t)(left > 1 ? bytes[at + 1] : 0) << 8 |
                               (left > 2 ? bytes[at + 2] : 0);
        text_append_char(text, base64[three >> 18]);
        text_append_char(text, base64[three >> 12 & 63]);
        text_append_char(text, left > 1 ? base64[three >> 6 & 63] : '=');
        text_append_char(text, left > 2 ? base64[three & 63] : '=');
    }
}

/* A reference of the client, and its offset from there. */
static void put_address(struct text *asked, const char *address, const struct cJSON *arguments)
{
    int64_t offset = 0;
    json_object_integer(arguments, "offset", &offset);
    json_string(asked, "address", address ? address : "");
    json_key(asked, "offset");
    text_format(asked, "%" PRId64, offset);
}

void dap_read_memory(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const address = json_object_text(arguments, "memoryReference");
    uint64_t count = read_number(arguments, "count", 0);
    struct text asked = TEXT_INIT;
    count = count < EXAMINE_SIZE_MAX ? count : EXAMINE_SIZE_MAX;
    debug_request_begin(&asked, DEBUG_REQUEST_MEMORY);
    put_address(&asked, address, arguments);
    json_number(&asked, "count", count);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    uint8_t *bytes = alloc_zero(count, 1);
    const char *const first = json_object_text(answer, "address");
    const size_t size =
        bytes ? examine_bytes(json_object_text(answer, "bytes"), bytes, (size_t)count) : 0;
    dap_respond(dap, request);
    json_string(&dap->out, "address", first ? first : "");
    if (size < count)
        json_number(&dap->out, "unreadableBytes", count - size);
    json_key(&dap->out, "data");
    text_append_char(&dap->out, '"');
    append_base64(&dap->out, bytes, size);
    text_append_char(&dap->out, '"');
    dap_end(dap);
    alloc_free(bytes);
    json_object_release(answer);
}

static bool read_base64(const char *data, struct text *bytes)
{
    uint32_t bits = 0;
    unsigned count = 0;
    for (; *data && *data != '='; ++data) {
        const char *const digit = strchr(base64, *data);
        if (!digit)
            return false;
        bits = bits << 6 | (uint32_t)(digit - base64);
        count += 6;
        if (count >= 8) {
            count -= 8;
            text_append_char(bytes, (char)(bits >> count));
        }
    }
    return true;
}

/* Values of variables may be others then. */
static void tell_invalidation(struct dap *dap)
{
    if (!dap->takes_invalidation)
        return;
    dap_event(dap, "invalidated");
    json_key(&dap->out, "areas");
    text_append(&dap->out, "[\"variables\"]");
    dap_end(dap);
}

void dap_write_memory(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const address = json_object_text(arguments, "memoryReference");
    const char *const data = json_object_text(arguments, "data");
    struct text bytes = TEXT_INIT;
    struct text asked = TEXT_INIT;
    if (!read_base64(data ? data : "", &bytes)) {
        text_release(&bytes);
        dap_refuse(dap, request, "these bytes are not in base64");
        return;
    }
    debug_request_begin(&asked, DEBUG_REQUEST_SET);
    put_address(&asked, address, arguments);
    json_key(&asked, "bytes");
    text_append_char(&asked, '"');
    for (size_t i = 0; i < bytes.size; ++i)
        text_format(&asked, "%02x", (unsigned char)bytes.bytes[i]);
    text_append_char(&asked, '"');
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    text_release(&bytes);
    if (!answer)
        return;
    dap_respond(dap, request);
    json_number(&dap->out, "bytesWritten", read_number(answer, "written", 0));
    dap_end(dap);
    json_object_release(answer);
    tell_invalidation(dap);
}

static void put_no_instruction(struct dap *dap, int64_t site)
{
    dap_open(&dap->out);
    json_key(&dap->out, "address");
    text_format(&dap->out, "\"%s0x%" PRIx64 "\"", site < 0 ? "-" : "",
                (uint64_t)(site < 0 ? -site : site));
    json_string(&dap->out, "instruction", "");
    json_string(&dap->out, "presentationHint", "invalid");
    dap_close(&dap->out);
}

static void put_instruction(struct dap *dap, const struct cJSON *instruction)
{
    const struct cJSON *const place = json_object_item(instruction, "place");
    const char *const text = json_object_text(instruction, "text");
    const char *const file = json_object_text(place, "file");
    const uint64_t line = read_number(place, "line", 0);
    dap_open(&dap->out);
    json_key(&dap->out, "address");
    text_format(&dap->out, "\"0x%" PRIx64 "\"", read_number(instruction, "site", 0));
    json_string(&dap->out, "instruction", text ? text : "");
    if (file && line) {
        dap_put_source(dap, "location", file);
        json_number(&dap->out, "line", dap_line_to_client(dap, line));
    }
    dap_close(&dap->out);
}

enum { INSTRUCTIONS_MAX = 4096 };

/* Sites are the addresses. As many instructions are answered as are asked for. */
void dap_disassemble(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    const char *const reference = json_object_text(arguments, "memoryReference");
    int64_t offset = 0;
    int64_t bytes = 0;
    uint64_t count = read_number(arguments, "instructionCount", 0);
    json_object_integer(arguments, "instructionOffset", &offset);
    json_object_integer(arguments, "offset", &bytes);
    count = count < INSTRUCTIONS_MAX ? count : INSTRUCTIONS_MAX;
    const int64_t first = (int64_t)strtoul(reference ? reference : "", NULL, 0) + bytes + offset;
    const uint64_t before = first >= 0 ? 0 : (uint64_t)-first < count ? (uint64_t)-first : count;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_DISASSEMBLE);
    json_number(&asked, "start", first < 0 ? 0 : (uint64_t)first);
    json_number(&asked, "count", count - before);
    struct cJSON *answer = dap_ask(dap, request, &asked);
    text_release(&asked);
    if (!answer)
        return;
    begin_list(dap, request, "instructions");
    uint64_t put = 0;
    for (; put < before; ++put)
        put_no_instruction(dap, first + (int64_t)put);
    const struct cJSON *at = json_array_first(json_object_item(answer, "instructions"));
    for (; at && put < count; at = json_array_next(at), ++put)
        put_instruction(dap, at);
    for (; put < count; ++put)
        put_no_instruction(dap, first + (int64_t)put);
    text_append_char(&dap->out, ']');
    dap_end(dap);
    json_object_release(answer);
}

/* ---- findings, and what the protocol has no request for ---- */

void dap_exception_info(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    if (!*dap->rule.bytes) {
        dap_refuse(dap, request, "no finding was made here");
        return;
    }
    dap_respond(dap, request);
    json_string(&dap->out, "exceptionId", dap->rule.bytes);
    json_string(&dap->out, "description", dap->report.bytes);
    json_string(&dap->out, "breakMode", "always");
    dap_end(dap);
}
