/* What the program does with memory of its own that OpenCL uses: the source of a transfer that it
 * changes too early, memory behind CL_MEM_USE_HOST_PTR and coarse-grained shared virtual memory
 * that it changes without mapping; and what of all that, or of the user data of callbacks, it
 * frees.
 *
 * Changes are found by digests: bytes that are others than they were, in a time in which no command
 * was to write them, were changed by the program. Where a command may have written them, or its end
 * is not known, nothing is said. What the program only reads is not seen.
 *
 * A part of commands.c, under its mutex, unless it is said otherwise. */
#ifndef CHECKERS_HOST_MEMORY_MEMORY_H
#define CHECKERS_HOST_MEMORY_MEMORY_H

#include "checkers/order/commands.h"
#include "trace/api/call.h"

struct host_checker;
struct host_memory;
struct host_options;

/* Is there anything to be watched? */
bool host_memory_wanted(const struct host_options *options);
/* NULL when memory is out. `commands` is borrowed. */
struct host_memory *host_memory_create(struct host_checker *checker, struct commands *commands);
void host_memory_destroy(struct host_memory *memory);

/* Is a call of it, which need not be a command, to be told of? */
bool host_memory_concerns(uint32_t entry);
/* Is memory watched now, so that what the host learns matters? Without the mutex, as the next two.
 */
bool host_memory_is_busy(const struct host_memory *memory);
/* Does the beginning of this call matter now, which is told of, or its end? */
bool host_memory_begins(const struct host_memory *memory, uint32_t entry);
bool host_memory_ends(const struct host_memory *memory, uint32_t entry);
/* A call is about to be made; then it has failed, or succeeded: `command` is NULL if it is none,
 * and `in_place` says that it is for a device that works on the host's memory itself. */
void host_memory_begin(struct host_memory *memory, const struct api_call *call);
void host_memory_failed(struct host_memory *memory, const struct api_call *call);
void host_memory_end(struct host_memory *memory, const struct api_call *call,
                     struct ordered_command *command, bool in_place);
/* The host may have learned that commands have ended: from a call, or, if it is NULL, in a
 * callback; or it asked for the event of this command, which has ended. */
void host_memory_learned(struct host_memory *memory, const struct api_call *call);
void host_memory_asked(struct host_memory *memory, const struct api_call *call,
                       const struct ordered_command *event);
/* The callback that this call gave is about to be called. */
void host_memory_called_back(struct host_memory *memory, uint64_t call_id);

/* The program has ended. */
void host_memory_finish(struct host_memory *memory);

/* May it be that these bytes must not be freed? Without the mutex. */
bool host_memory_is_lent(struct host_memory *memory, uint64_t address, uint64_t size);
/* A function of the program frees them. */
void host_memory_freed(struct host_memory *memory, uint64_t address, uint64_t size,
                       const char *function);

#endif
