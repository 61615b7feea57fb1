/* Areas: memory that the program shares with OpenCL for as long as an object lives, which is behind
 * CL_MEM_USE_HOST_PTR, or coarse-grained shared virtual memory. An area is *settled* while nobody
 * but the program can change its bytes, which may not: from its creation, or from an unmapping, to
 * the first command that may write it.
 *
 * A part of memory.c, under its mutex. */
#ifndef CHECKERS_HOST_MEMORY_SHARED_AREAS_H
#define CHECKERS_HOST_MEMORY_SHARED_AREAS_H

#include "checkers/host/memory/watched.h"

struct area;
struct areas {
    struct watched *watched;
    struct area *list;
};

void areas_release(struct areas *areas);

/* A memory object was made: is it an area now, and where? */
bool areas_add_object(struct areas *areas, const struct api_call *call, struct use_bytes *bytes);
void areas_add_allocation(struct areas *areas, const struct api_call *call);
/* The allocation at this address ends; those objects end that have. */
void areas_end_allocation(struct areas *areas, uint64_t address);
void areas_end_objects(struct areas *areas);

/* A command is about to be enqueued that reaches memory, or that unmaps it. */
void areas_reach(struct areas *areas, const struct api_call *call, const struct reach *reach);
void areas_unmap(struct areas *areas, const struct reach *reach);
/* It was enqueued. */
enum area_step { AREA_USED, AREA_MAPPED, AREA_UNMAPPED };
void areas_enqueued(struct areas *areas, const struct reach *reach, enum area_step step,
                    struct ordered_command *command);
/* The program asked for the event of this command, which has ended. */
void areas_asked(struct areas *areas, const struct ordered_command *event);
/* Kernels may change everything. */
void areas_give_up(struct areas *areas);
/* Does an object lie there? */
bool areas_have(const struct areas *areas, const struct use_bytes *bytes);
/* The program frees the bytes. */
void areas_freed(struct areas *areas, const struct use_bytes *bytes, const struct use_origin *now);

#endif
