/* Which of the host's memory a command reaches: behind the memory objects that it names, as shared
 * virtual memory, or as the destination of a transfer. */
#ifndef CHECKERS_HOST_MEMORY_REACHABLE_MEMORY_H
#define CHECKERS_HOST_MEMORY_REACHABLE_MEMORY_H

#include "checkers/host/commands/commands.h"
#include "checkers/host/objects/svm.h"
#include "checkers/host/objects/traits.h"

/* Where things are looked up, and what kernels may reach besides their arguments. */
struct reach_world {
    struct object_table *objects;
    struct svm_table *svm;
    bool indirect; /* shared virtual memory that is no argument of theirs */
    bool system;   /* any memory of the host */
    bool atomics;  /* a flag by which they tell the host how far they are */
};

struct reach {
    struct {
        struct use_bytes bytes;
        bool writes; /* or may */
    } items[TRAITS_ARGUMENTS_MAX + CALL_USES_MAX];
    size_t count;
    bool svm; /* perhaps all shared virtual memory */
    bool all; /* nobody knows what */
};

static inline struct use_bytes reach_linear(uint64_t first, uint64_t size)
{
    return (struct use_bytes){.first = first, .size = size};
}

/* The memory that an enqueuing call's command reaches, unless it unmaps. */
void reach_find(const struct reach_world *world, const struct api_call *call, struct reach *reach);
/* The memory that a call unmaps: false if it unmaps none. */
bool reach_find_unmapped(const struct reach_world *world, const struct api_call *call,
                         struct reach *reach);

/* Where the bytes of a memory object are in the memory of the host, if they are: those of `root`,
 * the object that it lies in. */
bool reach_storage(const struct reach_world *world, uint64_t handle, struct use_bytes *bytes,
                   struct mem_traits *root);

#endif
