/* Faults of access (SIGSEGV), for whoever takes pages away for a time to see who uses them. Each
 * library has one taker; what it does not take goes on to whoever had the signal before. */
#ifndef TRACE_BASE_FAULT_H
#define TRACE_BASE_FAULT_H

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_FRAMES = 32 };

enum fault_access { FAULT_USE, FAULT_READ, FAULT_WRITE }; /* FAULT_USE: one of both */

/* Called on the faulting thread, of an address that is mapped but not accessible so; `context` as a
 * signal handler has it. True: it is accessible now. */
typedef bool fault_taker(const char *address, const void *context);
/* Asks the taker first from now on. The program may have set a handler of its own since the last
 * time: that is asked next. One thread at a time, always with the same taker. */
void fault_stand_first(fault_taker *taker);

enum fault_access fault_access_of(const void *context);
/* Of the walked frames of a taker those from the faulting instruction on, at most FAULT_FRAMES: how
 * many. */
size_t fault_trim(const void *context, void *const *walked, size_t count,
                  void *frames[FAULT_FRAMES]);

#endif
