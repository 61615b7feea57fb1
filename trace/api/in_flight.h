/* The calls that threads of a run are in, in a file that outlives them: the layer writes it
 * (layer/in_flight.c), and `clerk run` reads it when a program did not end by itself. Between the
 * two alone. */
#ifndef TRACE_API_IN_FLIGHT_H
#define TRACE_API_IN_FLIGHT_H

#include <stdatomic.h>
#include <stdint.h>

/* The environment variable that names the file; without it nothing is written. */
#define IN_FLIGHT_FILE "CLERK_CALLS_IN_FLIGHT"

enum { IN_FLIGHT_THREADS = 512, IN_FLIGHT_FRAMES_SIZE = 992 };

/* Of one thread of one process, in a file of IN_FLIGHT_THREADS of them. */
struct in_flight {
    _Atomic uint32_t process;   /* 0 = nobody's */
    uint32_t thread;            /* as traces count them */
    _Atomic uint32_t entry;     /* of the innermost call; API_ENTRY_UNKNOWN = none is under way */
    _Atomic uint32_t unchecked; /* not 0: it has launched a kernel that nothing watches */
    uint64_t call;
    uint64_t stack;                     /* the layer's own number; 0 = not known */
    char frames[IN_FLIGHT_FRAMES_SIZE]; /* of that, a line each, innermost first; ends with a NUL */
};
_Static_assert(sizeof(struct in_flight) == 1024, "sizes are those of the file");

#endif
