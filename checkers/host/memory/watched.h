/* What the parts of memory.c share: where to look, digests, and what is said about memory that the
 * program gave to OpenCL with one call, and about what it did with that memory later. */
#ifndef CHECKERS_HOST_MEMORY_WATCHED_H
#define CHECKERS_HOST_MEMORY_WATCHED_H

#include "checkers/host/memory/lent.h"
#include "checkers/host/memory/reachable_memory.h"
#include "checkers/rule.h"
#include "trace/base/arena.h"

struct host_checker;

struct watched {
    struct host_checker *checker;
    struct commands *commands;
    struct reach_world world;
    struct lent lent; /* what is not to be freed; nothing unless frees are seen */
};

/* Is any of these parts of memory watched: HOST_WATCH_...? */
bool watched_has(const struct watched *watched, unsigned parts);
/* False when the bytes cannot be read. */
bool watched_digest(const struct watched *watched, const struct use_bytes *bytes, uint64_t *digest);

/* The bytes are not to be freed any more; they may be again. */
void watched_lend(struct watched *watched, const struct use_bytes *bytes);
void watched_return(struct watched *watched, const struct use_bytes *bytes);

/* Do they have a byte in common? */
bool watched_meet(const struct use_bytes *a, const struct use_bytes *b);
/* "64 bytes" */
const char *watched_count(const struct use_bytes *bytes, struct arena *arena);

struct claim {
    enum rule_index rule;
    const struct use_origin *given; /* the call that gave the memory */
    const char *role;               /* what it did: "reads it" */
    const struct use_origin *now;   /* what the program does; NULL = it is in a callback */
    const char *event;              /* what that does, or tells */
    const char *message;            /* NULL: memory was out */
    const char *reason;
};
/* One finding for two places of the program, if its rule is on. */
void watched_tell(const struct watched *watched, const struct claim *claim);

/* A call, with the running stack. */
struct use_origin watched_origin(const struct watched *watched, const struct api_call *call);

#endif
