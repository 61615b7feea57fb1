/* The calls from which a program did not come back (trace/api/in_flight.h): `clerk run` gives it a
 * file to note what it is in, and reads that when it has ended. */
#ifndef VIEWER_CLI_IN_FLIGHT_H
#define VIEWER_CLI_IN_FLIGHT_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct calls_in_flight;

enum status calls_in_flight_create(struct calls_in_flight **calls, struct error *error);
void calls_in_flight_destroy(struct calls_in_flight *calls); /* NULL is fine */
/* What the layer is told by IN_FLIGHT_FILE. */
const char *calls_in_flight_path(const struct calls_in_flight *calls);

/* Says which calls of processes that are no more did not return, each in a line, the first few, and
 * what may tell why;
 * `program` is the process that needs no number. How many there are. */
size_t calls_in_flight_tell(const struct calls_in_flight *calls, uint32_t program);

#endif
