#include "viewer-cli/debug/dap_wire.h"

#include "trace/base/file.h"
#include "trace/base/options.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum status read_headers(const char *bytes, const char *end, size_t *length,
                                struct error *error)
{
    static const char name[] = "Content-Length:";
    const size_t name_size = sizeof name - 1;
    bool found = false;
    for (const char *line = bytes; line < end;) {
        const char *line_end = memmem(line, (size_t)(end - line) + 2, "\r\n", 2);
        if ((size_t)(line_end - line) >= name_size && strncasecmp(line, name, name_size) == 0) {
            char digits[24] = "";
            const char *at = digits;
            uint64_t number;
            line += name_size;
            line += *line == ' ';
            if ((size_t)(line_end - line) < sizeof digits)
                memcpy(digits, line, (size_t)(line_end - line));
            if (found || !number_take(&at, &number) || *at || number > DAP_MESSAGE_MAX)
                return error_set(error, STATUS_MALFORMED, "Content-Length is no size of a message");
            *length = (size_t)number;
            found = true;
        }
        line = line_end + 2;
    }
    return found ? STATUS_OK
                 : error_set(error, STATUS_MALFORMED, "a message has no Content-Length");
}

enum status dap_wire_find(const char *bytes, size_t size, size_t *begin, size_t *length,
                          struct error *error)
{
    static const char headers_end[] = "\r\n\r\n";
    const size_t searched = size < DAP_HEADERS_MAX ? size : DAP_HEADERS_MAX;
    const char *const end = memmem(bytes, searched, headers_end, sizeof headers_end - 1);
    size_t found = 0;
    if (!end)
        return searched < DAP_HEADERS_MAX
                   ? error_set(error, STATUS_NOT_FOUND, "a message is not whole")
                   : error_set(error, STATUS_MALFORMED, "the headers of a message have no end");
    const enum status status = read_headers(bytes, end, &found, error);
    if (status)
        return status;
    const size_t from = (size_t)(end - bytes) + sizeof headers_end - 1;
    if (size - from < found)
        return error_set(error, STATUS_NOT_FOUND, "a message is not whole");
    *begin = from;
    *length = found;
    return STATUS_OK;
}

void dap_wire_release(struct dap_wire *wire)
{
    text_release(&wire->read);
}

void dap_wire_read(struct dap_wire *wire)
{
    char bytes[16384];
    /* What was taken is no longer needed. */
    memmove(wire->read.bytes, wire->read.bytes + wire->at, wire->read.size - wire->at);
    wire->read.size -= wire->at;
    wire->at = 0;
    const ssize_t count = read(wire->input, bytes, sizeof bytes);
    if (count > 0)
        text_append_n(&wire->read, bytes, (size_t)count);
    else if (count == 0 || errno != EINTR)
        wire->ended = true;
    wire->ended = wire->ended || wire->read.failed;
}

enum status dap_wire_take(struct dap_wire *wire, const char **json, size_t *size,
                          struct error *error)
{
    size_t begin;
    size_t length;
    const char *const bytes = wire->read.bytes + wire->at;
    const enum status status =
        dap_wire_find(bytes, wire->read.size - wire->at, &begin, &length, error);
    if (status)
        return status;
    *json = bytes + begin;
    *size = length;
    wire->at += begin + length;
    return STATUS_OK;
}

enum status dap_wire_write(struct dap_wire *wire, const struct text *json, struct error *error)
{
    struct text message = TEXT_INIT;
    text_format(&message, "Content-Length: %zu\r\n\r\n", json->size);
    text_append_n(&message, json->bytes, json->size);
    const enum status status =
        message.failed || json->failed
            ? error_no_memory(error, json->size)
            : descriptor_write(wire->output, message.bytes, message.size, "the editor", error);
    text_release(&message);
    return status;
}
