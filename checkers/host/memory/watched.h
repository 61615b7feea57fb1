/* What the parts of memory.c share: where to look, digests, and what is said about memory that the
 * program gave to OpenCL with one call, and about what it did with that memory later. */
#ifndef CHECKERS_HOST_MEMORY_WATCHED_H
#define CHECKERS_HOST_MEMORY_WATCHED_H

#include "checkers/host/commands/commands.h"
#include "checkers/host/memory/stretches.h"
#include "checkers/host/objects/svm.h"
#include "checkers/host/objects/traits.h"
#include "checkers/rule.h"
#include "trace/base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- lent.c ---- */

/* Stretches of the program's memory that it must not free now. Whoever frees memory asks here
 * first, and mostly hears no, so that is cheap, and takes no lock but the list's own. Any thread;
 * also out of the functions that free memory, while this list itself frees some. */

struct lent {
    pthread_mutex_t mutex; /* guards stretches */
    struct stretches stretches;
    /* All that was lent since the list was empty lies between these. */
    atomic_uint_fast64_t first, last;
};

void lent_init(struct lent *lent);
void lent_release(struct lent *lent);

/* From the first to the last byte. Without memory for it, it is forgotten. */
void lent_add(struct lent *lent, uint64_t first, uint64_t last);
/* One of those that were added just so. */
void lent_remove(struct lent *lent, uint64_t first, uint64_t last);
/* Is any of these bytes lent? */
bool lent_has(struct lent *lent, uint64_t first, uint64_t last);

/* ---- reachable_memory.c ---- */

/* Which of the host's memory a command reaches: in the memory objects that it names, as shared
 * virtual memory, or as the destination of a transfer. */

/* Where things are looked up, and what kernels may reach besides their arguments. */
struct reach_world {
    struct object_table *objects;
    struct svm_table *svm;
    bool indirect; /* shared virtual memory that is not an argument of theirs */
    bool system;   /* any memory of the host */
    bool atomics;  /* a flag by which they tell the host how far they are */
};

struct reach {
    struct {
        struct use_bytes bytes;
        uint64_t object;    /* that the others lie in; 0 = they are in none */
        bool reads, writes; /* or may */
    } items[TRAITS_ARGUMENTS_MAX + CALL_USES_MAX];
    size_t count;
    bool svm; /* perhaps all shared virtual memory */
    bool all; /* nobody knows what */
};

/* Nothing; what the items hold does not matter. */
static inline void reach_clear(struct reach *reach)
{
    reach->count = 0;
    reach->svm = reach->all = false;
}

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

struct host_checker;
struct host_options;

struct watched {
    struct host_checker *checker;
    unsigned parts; /* of memory that are watched: HOST_WATCH_... */
    struct commands *commands;
    struct reach_world world;
    struct lent lent; /* what is not to be freed; nothing unless frees are seen */
};

/* What is to be watched for the rules that are on. */
unsigned watched_parts(const struct host_options *options);
/* Is any of these parts of memory watched: HOST_WATCH_...? */
bool watched_has(const struct watched *watched, unsigned parts);
/* Of bytes of this part of memory. False when they cannot be read. */
bool watched_digest(const struct watched *watched, unsigned part, const struct use_bytes *bytes,
                    uint64_t *digest);

/* The bytes are not to be freed any more; they may be again. */
void watched_lend(struct watched *watched, const struct use_bytes *bytes);
void watched_return(struct watched *watched, const struct use_bytes *bytes);

/* The address of the last byte; there is one. */
uint64_t watched_last(const struct use_bytes *bytes);
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

/* ---- shared_areas.c ---- */

/* Areas: memory that the program shares with OpenCL for as long as an object lives, which is after
 * CL_MEM_USE_HOST_PTR, or coarse-grained shared virtual memory. An area is *settled* while nobody
 * but the program can change its bytes, which may not: from its creation, or from an unmapping, to
 * the first command that may write it. Then a driver may bring the bytes back when it likes; but
 * where the device has them in place, it is settled again once the program knows that the last
 * command on it has ended.
 *
 * A part of memory.c, under its mutex. */

struct area;
struct areas {
    struct watched *watched;
    struct area *list;
    struct stretches stretches; /* of all of them */
    /* Areas are settled since one of these; a higher number unsettles all at once. */
    uint64_t object_era, svm_era;
    bool may_end; /* objects of some have ended, perhaps */
    /* A command reached memory that it does not name, or its end is not known: no area settles
     * again at the end of its last command. */
    bool objects_unsure, svm_unsure;
    bool any_in_place; /* there was a command for a device that has areas in place */
};

void areas_release(struct areas *areas);

/* A memory object was made: is it an area now, and where? */
bool areas_add_object(struct areas *areas, const struct api_call *call, struct use_bytes *bytes);
void areas_add_allocation(struct areas *areas, const struct api_call *call);
/* The allocation at this address ends; a memory object was released; those objects end that have.
 */
void areas_end_allocation(struct areas *areas, uint64_t address);
void areas_released(struct areas *areas);
void areas_end_objects(struct areas *areas);

/* A command is about to be enqueued that reaches memory, or that unmaps it. */
void areas_reach(struct areas *areas, const struct api_call *call, const struct reach *reach);
void areas_unmap(struct areas *areas, const struct api_call *call, const struct reach *reach);
/* It was enqueued; `in_place`: for a device that has the bytes of areas there alone. */
enum area_step { AREA_USED, AREA_MAPPED, AREA_UNMAPPED };
void areas_enqueued(struct areas *areas, const struct reach *reach, enum area_step step,
                    struct ordered_command *command, bool in_place);
/* The program has learned that commands have ended. */
void areas_learned(struct areas *areas);
/* By a launch, of this call, that writes the bytes of a memory object. */
void areas_written(struct areas *areas, const struct use_bytes *bytes,
                   const struct use_origin *launch);
/* The program has ended. */
void areas_finish(const struct areas *areas);
/* The program asked for the event of this command, which has ended. */
void areas_asked(struct areas *areas, const struct ordered_command *event);
/* Kernels may change everything. */
void areas_give_up(struct areas *areas);
/* Does an object lie there? */
bool areas_have(const struct areas *areas, const struct use_bytes *bytes);
/* The program frees the bytes. */
void areas_freed(struct areas *areas, const struct use_bytes *bytes, const struct use_origin *now);

/* ---- transfers.c ---- */

/* Transfers in flight, and what the program does to their memory of the host. A source has a digest
 * as long as nothing but the program can change it.
 *
 * A part of memory.c, under its mutex. */

enum { TRANSFERS_MAX = 128 }; /* of each kind; further ones are not watched */
struct transfer;
struct transfers {
    struct watched *watched;
    struct transfer *sources, *destinations;
    size_t source_count, destination_count;
    bool missed; /* a destination, which may be anywhere */
};

void transfers_release(struct transfers *transfers);
bool transfers_any(const struct transfers *transfers);

/* A command was enqueued that goes on when its call is over; `changeable`: others than the program
 * may change the bytes. */
void transfers_add(struct transfers *transfers, const struct api_call *call,
                   struct ordered_command *command, const struct use *use, bool changeable);
/* Those of which the host knows that they have ended; or those that end no later than `asked`. The
 * call under way, which tells it, is NULL in a callback. */
void transfers_end(struct transfers *transfers, const struct api_call *call,
                   const struct ordered_command *asked);
/* From now on others than the program may change these sources: NULL = all of them. */
void transfers_give_up(struct transfers *transfers, const struct use_bytes *bytes);
/* The program is about to unmap these bytes: from then on they are the driver's. */
void transfers_unmap(struct transfers *transfers, const struct api_call *call,
                     const struct use_bytes *bytes);
/* May it be the destination of one? */
bool transfers_write(const struct transfers *transfers, const struct use_bytes *bytes);
/* The program has ended, and waits for none any more. */
void transfers_finish(const struct transfers *transfers);
/* The program frees the bytes. */
void transfers_freed(const struct transfers *transfers, const struct use_bytes *bytes,
                     const struct use_origin *now);

/* ---- user_data.c ---- */

/* The user data of callbacks that are still to come: what of it the program has freed by then.
 * A part of memory.c, under its mutex. */

struct user_data;

/* Does it take a callback and user data? */
bool user_data_concerns(uint32_t entry);
/* Such a call is about to be made; or it failed, so that there will be no callback. */
void user_data_given(struct user_data **list, struct watched *watched, const struct api_call *call);
void user_data_forget(struct user_data **list, struct watched *watched, uint64_t call_id);
void user_data_release(struct user_data **list, struct watched *watched);

/* The program frees this memory. */
void user_data_freed(struct user_data *list, const struct use_bytes *bytes,
                     const struct use_origin *now);
/* The callback that the call gave is about to be called. */
void user_data_called(struct user_data **list, struct watched *watched, uint64_t call_id);

/* ---- shared_uses.c ---- */

/* Which commands use shared virtual memory, unified too, until the host knows that they have ended:
 * freeing it "does not wait for previously enqueued commands that may be using svm_pointer to
 * finish" (OpenCL API 3.0, 5.6.1). A command uses an allocation that it names, by a pointer, an
 * argument, or a buffer over it; it speaks for those that it waits for. Of an allocation 64 count
 * that no other one speaks for.
 *
 * A part of commands.c, under commands_lock, unless it is said otherwise. */

struct shared_use;
struct shared_uses {
    struct watched watched; /* its checker, commands and world alone */
    struct shared_use *list;
    atomic_bool begun; /* there was an allocation */
    atomic_bool any;   /* the list is not empty */
};

void shared_uses_init(struct shared_uses *uses, struct host_checker *checker,
                      struct commands *commands);
void shared_uses_release(struct shared_uses *uses);

/* Is a call of it, which need not be a command, to be told of at its end? No lock. */
bool shared_uses_concern_end(uint32_t entry);
/* A call that frees memory (ends_svm) is about to be made: also one that frees it by a command,
 * since the program's function that then does so may be called before the call returns. */
void shared_uses_begin(struct shared_uses *uses, const struct api_call *call);
/* It was made, and has succeeded; or it has enqueued this command. */
struct shared_command {
    struct ordered_command *command; /* NULL = none */
    bool judged; /* a launch on a device that finds what it touches, once it runs */
};
void shared_uses_end(struct shared_uses *uses, const struct api_call *call,
                     const struct shared_command *command);
/* The program asked for the event of this command, which has ended. */
void shared_uses_asked(struct shared_uses *uses, const struct ordered_command *event);

#endif
