/* Messages of the Debug Adapter Protocol on two descriptors: headers, an empty line, and as many
 * bytes of JSON as `Content-Length` says.
 *
 *     Content-Length: 119\r\n
 *     \r\n
 *     {"seq":1,"type":"request","command":"initialize"...
 *
 * One thread at a time per wire. */
#ifndef VIEWER_CLI_DEBUG_DAP_WIRE_H
#define VIEWER_CLI_DEBUG_DAP_WIRE_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { DAP_MESSAGE_MAX = 1 << 26, DAP_HEADERS_MAX = 4096 };

/* Finds the message at the beginning of the bytes: where its JSON begins, and its size.
 * STATUS_NOT_FOUND: more bytes are needed; STATUS_MALFORMED: it is none, and nothing that follows
 * can be told from it. */
enum status dap_wire_find(const char *bytes, size_t size, size_t *begin, size_t *length,
                          struct error *error);

/* Zero-initialise but for the descriptors and `read`, and end with dap_wire_release. */
struct dap_wire {
    int input, output;
    struct text read; /* TEXT_INIT; what came and was not taken begins at `at` */
    size_t at;
    bool ended; /* no more comes */
};
void dap_wire_release(struct dap_wire *wire);

/* Reads once, which waits where nothing has come. */
void dap_wire_read(struct dap_wire *wire);
/* The next message that came whole: *json, of *size bytes, stays until dap_wire_read. Fails as
 * dap_wire_find does. */
enum status dap_wire_take(struct dap_wire *wire, const char **json, size_t *size,
                          struct error *error);
enum status dap_wire_write(struct dap_wire *wire, const struct text *json, struct error *error);

#endif
