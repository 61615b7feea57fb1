/* The allocations of shared virtual memory that there are at a launch, as words of 64 bits: what a
 * checked copy is told of where pointers may lead that are none of the kernel's arguments. The
 * layer writes it, checks_pointers.cl reads it. */
#ifndef CHECKERS_PROBE_SHARED_TABLE_H
#define CHECKERS_PROBE_SHARED_TABLE_H

enum {
    SHARED_ALIVE,     /* how many there are, */
    SHARED_FREED,     /* and how many were freed, and nothing is there now */
    SHARED_IS_CLOSED, /* 1 = the launch has no memory of the host, and no memory objects but
                         arguments, into which a pointer might lead */
    /* The first address and the first one behind, of each: those alive in ascending order, then the
       others. */
    SHARED_RANGES,
};

#endif
