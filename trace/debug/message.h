/* Messages of the debugger (requests.h) through a stream socket, each behind its length. */
#ifndef TRACE_DEBUG_MESSAGE_H
#define TRACE_DEBUG_MESSAGE_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Sends one; waits until it is written. No signal is raised where the other side has gone:
 * STATUS_IO. STATUS_INVALID: longer than DEBUG_MESSAGE_MAX. */
enum status message_send(int socket, const char *bytes, size_t size, struct error *error);
/* Waits for one, and appends it to `text`, which has no 0 byte within. STATUS_NOT_FOUND: the other
 * side has closed, between messages. STATUS_MALFORMED, STATUS_IO, STATUS_NO_MEMORY. */
enum status message_receive(int socket, struct text *text, struct error *error);
/* Is there one among those that wait, or the first of them, for which `wanted` is true? All of them
 * still wait. `closed`: the other side has. */
bool message_foresee(int socket, bool (*wanted)(const char *bytes, size_t size), bool *closed);
/* Does one wait, or has the other side closed? */
bool message_waits(int socket);

#endif
