/* The object table: every OpenCL object that the stream of calls has shown, by its handle.
 *
 * A handle has one record for ever. Drivers give the handle of a dead object to a new one; the
 * record then starts a new *life* with a new serial number. What the hot path asks, "is this a live
 * queue?", is one atomic word of the record, found without a lock; everything else is guarded by
 * the record's own lock, so that threads with objects of their own never wait, nor write to the
 * same line of memory. No function holds two of these locks; that of the shard in which a record
 * lies, which is for making records and for what they keep in the shard's arena, is the inner one.
 *
 * References: the application's own (created, retained, released) are counted. An object is also
 * kept by the objects made from it (a context by its queues, a program by its kernels, a buffer by
 * its sub-buffers): its dependents. It is dead when both are gone. */
#ifndef CHECKERS_HOST_OBJECTS_OBJECT_H
#define CHECKERS_HOST_OBJECTS_OBJECT_H

#include "checkers/host/host.h"
#include "checkers/host/objects/traits.h"
#include "trace/api/entry.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object_table;

/* What an application may do with a handle, and what it is. */
enum object_standing {
    OBJECT_UNKNOWN,  /* never seen */
    OBJECT_USABLE,   /* alive: the application holds a reference, or nobody counted them */
    OBJECT_BORROWED, /* the application released it, other objects still keep it */
    OBJECT_DEAD,     /* all references are gone */
};
struct object_state { /* small enough to be returned in registers */
    enum object_standing standing : 8;
    enum api_object_kind kind : 8;
    cl_mem_object_type mem_type : 15; /* of a memory object of which it is known; else 0 */
    unsigned is_part : 1;             /* a memory object that starts within another one */
    uint64_t context;                 /* serial of its context; its own of a context; 0 = unknown */
};

static inline bool object_is_usable(struct object_state state, enum api_object_kind kind)
{
    return state.standing == OBJECT_USABLE && state.kind == kind;
}

/* A call in the life of an object. */
struct object_moment {
    uint64_t call_id;
    uint32_t entry; /* enum api_entry */
    uint64_t stack; /* as host_capture_stack gave it */
};

enum {
    OBJECT_DETAIL_SIZE = 24,
    OBJECT_FIRST_USE_SIZE = 72,
};

/* How an object comes into being. */
struct object_birth {
    enum api_object_kind kind;
    const char *label; /* a literal, always the same one: ordinals are counted per label */
    char detail[OBJECT_DETAIL_SIZE]; /* "4096 bytes", "'sum'"; "" = none */
    uint32_t ordinal;                /* from object_take_ordinals; 0 = the next one */
    uint64_t parent;                 /* handle of the object that it keeps alive; 0 = none */
    struct object_moment created;
};

/* A copy of a record, for messages. */
struct object_facts {
    uint64_t handle;
    enum api_object_kind kind;
    const char *label;
    uint32_t ordinal; /* from 1, in the order of creation */
    char detail[OBJECT_DETAIL_SIZE];
    char
        first_use[OBJECT_FIRST_USE_SIZE]; /* "'out' of kernel 'scale'": what it was first used as */
    bool counted;        /* references are known: the object was seen to be created */
    bool shared;         /* the driver returned the handle again while it was alive */
    uint32_t references; /* the application's own */
    uint32_t dependents;
    struct object_moment created;
    struct object_moment released; /* call_id 0: not released */
};

struct object_table *object_table_create(void);
void object_table_destroy(struct object_table *table);

/* A number that changes whenever the standing or the traits of an object change, but those of
 * events, the references to it, and the arguments of kernels. Lock-free. */
uint64_t object_version(const struct object_table *table);

/* Lock-free. */
struct object_state object_state(struct object_table *table, uint64_t handle);
/* False when the handle was never seen. */
bool object_describe(struct object_table *table, uint64_t handle, struct object_facts *facts);
/* The handle of the object that it keeps alive, or kept; 0 = none is known. */
uint64_t object_parent(struct object_table *table, uint64_t handle);
/* "kernel#2"; NULL when the handle was never seen. Lives as long as the table. */
const char *object_name(struct object_table *table, uint64_t handle);

/* Copies what is known of an object of this kind to *traits, of the struct that belongs to the
 * kind; false, *traits zero, when nothing is. */
bool object_get_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                       void *traits);
/* What is known of an object of this kind, to be changed: zero before the first time, and under the
 * object's lock until object_unlock_traits. What it keeps is in locked->arena, which lives as long
 * as the table. NULL, nothing locked: there is no object of this kind, or no memory. Meanwhile no
 * other function of this header may be called. */
struct locked_traits {
    struct object_table *table;
    struct object *object; /* NULL = nothing is locked */
    struct shard *shard;   /* whose lock is held too; NULL = none */
    struct arena *arena;
};
void *object_lock_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                         struct locked_traits *locked);
/* After a change. Nothing locked is allowed. */
void object_unlock_traits(const struct locked_traits *locked);
/* They become these, of the struct that belongs to the kind: of an object that no other thread has
 * yet, or as a whole. */
bool object_set_traits(struct object_table *table, uint64_t handle, enum api_object_kind kind,
                       const void *traits);
/* A device's, which live as long as the table: without a lock. NULL when nothing is known. */
const struct device_traits *object_device_traits(struct object_table *table, uint64_t handle);
/* The same of a kernel. Only its arguments' values may be changed without the lock. */
struct kernel_traits *object_kernel_traits(struct object_table *table, uint64_t handle);
/* The same if the program may use the kernel, else NULL. */
const struct kernel_traits *object_usable_kernel(struct object_table *table, uint64_t handle);
/* The name of a kernel in quotes, cut if it is long; of a kernel that has none, it is added. */
void object_name_detail(char detail[OBJECT_DETAIL_SIZE], const char *name, size_t size);
void object_add_detail(struct object_table *table, uint64_t handle,
                       const char detail[OBJECT_DETAIL_SIZE]);
/* What a memory object is first used as, for messages: has it none yet? Lock-free. */
bool object_lacks_first_use(struct object_table *table, uint64_t handle);
/* The first one stays. */
void object_give_first_use(struct object_table *table, uint64_t handle, const char *first_use);
/* The number of this life of the record: no two objects have the same. 0 = never seen. */
uint64_t object_serial(struct object_table *table, uint64_t handle);

/* What the order of commands has for a handle (order_notes.c), whatever object it names: of two
 * kinds, neither of which the table looks at. Lock-free. object_swap_note puts another one in its
 * place and gives back the old one; false when there is no record. */
enum object_note { OBJECT_NOTE_QUEUE, OBJECT_NOTE_COMMAND, OBJECT_NOTE_COUNT };
void *object_note(struct object_table *table, uint64_t handle, enum object_note kind);
bool object_swap_note(struct object_table *table, uint64_t handle, enum object_note kind,
                      void **note);

/* Takes the next `count` ordinals of a label for objects to come, and returns the first. */
uint32_t object_take_ordinals(struct object_table *table, const char *label, uint32_t count);
/* A new object with one reference. A live object of that kind and handle is shared: one more
 * reference. Running out of memory loses the object: it is then unknown. */
void object_create(struct object_table *table, uint64_t handle, const struct object_birth *birth);
/* A handle that a query returned: it is usable, whatever its references; unknown ones are added
 * uncounted. */
void object_learn(struct object_table *table, uint64_t handle, const struct object_birth *birth);

/* One more reference, one less. What was never counted stays uncounted. */
void object_retain(struct object_table *table, uint64_t handle);
enum object_released {
    OBJECT_RELEASED,        /* one less */
    OBJECT_RELEASED_LAST,   /* that was the application's last; `moment` is remembered */
    OBJECT_RELEASED_EXCESS, /* the application held none: nothing changed */
};
/* Stacks cost, so one is captured for the last release alone, with the object locked: the function
 * (NULL = none is) uses no object. */
enum object_released object_release(struct object_table *table, uint64_t handle,
                                    const struct object_moment *moment,
                                    host_capture_stack *capture_stack, void *user);
/* Adds the stack to the creation by that call, unless the handle has a new life already. */
void object_set_stack(struct object_table *table, uint64_t handle, uint64_t call_id,
                      uint64_t stack);
/* The driver refused that very call. */
void object_retain_undo(struct object_table *table, uint64_t handle);
void object_release_undo(struct object_table *table, uint64_t handle, uint64_t call_id);

/* The objects to which the application still holds references that it got by creating them, in the
 * order of their creation. *count of them in a block that the caller frees with alloc_free; NULL
 * when there are none or memory is out. */
struct object_facts *object_list_held(struct object_table *table, size_t *count);

#endif
