/* The order of a program's commands, from its calls, and what they do to memory as far as their
 * arguments tell: feeds checkers/order/commands.h and uses.h, and reports clashes.
 *
 * Transfers, fills, copies and maps name their bytes, of memory objects and of the host's memory; a
 * kernel may touch any byte of its arguments, or none, so what it clashes with is only possible
 * (RULE_RACE_COMMANDS_UNCLEAR), but for the bytes that it is known to touch for certain
 * (certain_bytes.h). Commands on devices that judge their own memory, more exactly, are left to
 * them (host_checker_leave_device).
 *
 * Inside the host checker; any thread. */
#ifndef CHECKERS_HOST_COMMANDS_COMMANDS_H
#define CHECKERS_HOST_COMMANDS_COMMANDS_H

#include "checkers/order/uses.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"
#include "trace/effect/effect.h"

#include <stdbool.h>
#include <stdint.h>

struct argument_traits;
struct host_checker;
struct host_commands;
struct kernel_traits;
struct object_table;
struct svm_table;

/* NULL when memory is out. */
struct host_commands *host_commands_create(struct host_checker *checker);
void host_commands_destroy(struct host_commands *commands);

/* When a call is to be told of: at its beginning or end, always, or only while it may matter. */
enum {
    HOST_COMMANDS_BEGIN = 1,
    HOST_COMMANDS_BEGIN_HOST = 2, /* while transfers may write the host's memory */
    HOST_COMMANDS_END = 4,
    HOST_COMMANDS_END_KEPT = 8, /* while there are commands that later ones may clash with */
    HOST_COMMANDS_BEGINS = HOST_COMMANDS_BEGIN | HOST_COMMANDS_BEGIN_HOST,
    HOST_COMMANDS_ENDS = HOST_COMMANDS_END | HOST_COMMANDS_END_KEPT,
};
uint8_t host_commands_concern(const struct host_commands *commands, uint32_t entry);
/* Of those that only may matter, which do now. */
unsigned host_commands_now(const struct host_commands *commands);
void host_commands_begin(struct host_commands *commands, const struct api_call *call);
void host_commands_end(struct host_commands *commands, const struct api_call *call);

/* Is memory watched now, for which it matters what the host learns? May commands still write these
 * bytes of the host's (`commands` may be NULL)? */
bool host_commands_watch(const struct host_commands *commands);
bool host_commands_write_host(const struct host_commands *commands, uint64_t address,
                              uint64_t size);
/* The program has ended. */
void host_commands_finish(struct host_commands *commands);
/* The program was told that the command of this event is complete. */
void host_commands_completed(struct host_commands *commands, uint64_t event);

/* A call that waits: the handle of a queue that was not flushed, and has a command that must end
 * before; 0 = there is none, or another thread may still flush it. */
uint64_t host_commands_unflushed(struct host_commands *commands, const struct api_call *call);
/* A call that waits: does it wait for a user event that is not set? */
bool host_commands_unset(struct host_commands *commands, const struct api_call *call);
/* The program has ended: was the queue never flushed after its last command? Which one that is. */
struct last_command {
    uint64_t call_id;
    uint32_t entry;
};
bool host_commands_left(struct host_commands *commands, uint64_t queue, struct last_command *last);

/* The call that gave the shared object back to the other interface, if the host does not know that
 * its command has ended, and nobody was given an event or semaphore that could tell; 0 = none. */
uint64_t host_commands_given_back(struct host_commands *commands, uint64_t object);

/* ---- call_uses.c: what a call's command does to memory ----
 *
 * Of a call that records a transfer into a command-buffer: what that does when it is executed.
 * The object of a use is the handle of the memory object that owns the bytes. Texels of an image
 * are counted as if rows were 2^20, slices 2^40, and levels 2^58 texels long: that is longer than
 * any is. */
enum { CALL_ROW_SHIFT = 20, CALL_SLICE_SHIFT = 40, CALL_LEVEL_SHIFT = 58 };

/* The object of the host's memory, whose bytes are addresses. */
#define CALL_HOST_MEMORY UINT64_C(0)

enum { CALL_USES_MAX = 64 };
struct call_uses {
    struct use uses[CALL_USES_MAX]; /* what has no room is left out */
    size_t count;
    /* Of maps: `uses` has one, and `whole` of its object is mapped; `handle` is the address. */
    bool maps;
    struct use_bytes whole;
    uint64_t handle;
};
void call_uses_find(const struct api_call *call, struct object_table *objects,
                    struct svm_table *svm, struct call_uses *found);
/* The same as the call has it (trace/effect), with what is known of its images. */
void call_effects(const struct api_call *call, struct object_table *objects,
                  struct effects *effects);
/* The bytes of a rectangle in memory that starts at `first`. */
struct use_bytes call_bytes(uint64_t first, const struct rectangle *rectangle);
/* Does a kernel only read what this argument of its points to, as its declaration tells? */
bool call_only_reads(const struct argument_traits *argument);
/* What a kernel may do to what an argument is set to; false when that is not a memory object. */
bool call_use_of_argument(struct object_table *objects, uint64_t value, bool only_reads,
                          struct use *use);
/* How many arguments it may have; 0 when nothing is known of it, NULL. */
size_t call_argument_count(const struct kernel_traits *kernel);
/* Can a call of it be one that waits for commands? */
bool call_may_wait(uint32_t entry);
/* What the call itself reads of the host's memory. */
void call_uses_of_host(const struct api_call *call, struct call_uses *found);

/* ---- seen_launches.c ---- */

/* Launches that come again: with the same kernel, arguments, sizes and command-queue, and nothing
 * has changed since that their judgement rests on. What was right then is right now, so it need not
 * be judged again. A kernel remembers the digests of a few of its launches that were right. */

struct judged;

/* A launch, and what its judgement rests on; to be taken before it is judged. */
struct seen_launch {
    struct kernel_traits *kernel; /* NULL: it is to be judged in any case */
    uint64_t digest;
};
struct seen_launch seen_launch_find(const struct judged *judged);
/* Was such a launch right? */
bool seen_launch_is_right(const struct seen_launch *launch);
/* It was judged, and nothing was found. */
void seen_launch_note(const struct seen_launch *launch);

#endif
