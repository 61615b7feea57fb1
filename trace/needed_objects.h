/* The objects that are alive at a place of a recording, and the calls that each needs: the graph
 * from which needed.c collects. Calls are kept with the objects that they name, which stay as long,
 * also when they are released: their handles are no longer their own then.
 *
 * When memory is out, `failed` is set, and what was to be done is not. Private to trace/. */
#ifndef TRACE_NEEDED_OBJECTS_H
#define TRACE_NEEDED_OBJECTS_H

#include "trace/api/entry.h"
#include "trace/needed.h"

#include "trace/base/hash.h"

/* Kinds of what is not an OpenCL object, and has to be there all the same: by their addresses. */
enum { OBJECT_ALLOCATION = API_OBJECT_KIND_COUNT, OBJECT_MAP };

struct needed_key {
    uint64_t handle;
    uint64_t kind;
};

/* A call that makes an object what it is. */
struct needed_kept {
    uint64_t slot; /* what it says of the object: a later call that says the same replaces it */
    uint64_t id;
    enum needed_form form;
    struct needed_object **names; /* the other objects that it names */
    size_t name_count;
};

/* One that is alive, or that a kept call of another one names. */
struct needed_object {
    struct needed_object *prev, *next; /* of all of them */
    struct needed_key key;
    uint64_t size; /* bytes, of an allocation */
    uint64_t references;
    uint64_t uses; /* kept calls of others that name it */
    bool is_found; /* nobody counts its references */
    bool is_dead;  /* released: its handle is no longer its own */
    struct needed_kept *kept;
    size_t kept_count, kept_capacity;
    UT_hash_handle hh;
};

/* Objects that the call at hand names, each once. */
struct needed_names {
    struct needed_object **items;
    size_t count, capacity;
};

struct needing {
    struct needed_object *alive; /* by key */
    struct needed_object *all;
    uint64_t allocation_count;
    struct needed_names names;
    bool failed; /* memory is out */
};

/* The object alive that the handle names; NULL when there is none. */
struct needed_object *needed_find(const struct needing *needing, uint64_t kind, uint64_t handle);
/* The allocation of shared memory that the address lies in. */
struct needed_object *needed_find_allocation(const struct needing *needing, uint64_t address);

/* A new object, which ends the one that had the handle before. */
struct needed_object *needed_begin(struct needing *needing, uint64_t kind, uint64_t handle);
/* Its handle may be another object's from now on. */
void needed_end(struct needing *needing, struct needed_object *object);

/* The call at hand names it; NULL, and the object that the call is about, add nothing. */
void needed_name(struct needing *needing, struct needed_object *named,
                 const struct needed_object *of);
void needed_keep(struct needing *needing, struct needed_object *object,
                 const struct needed_kept *call, struct needed_object *const *names,
                 size_t name_count);
/* With what it names, in the place of the call that said the same before. */
void needed_keep_last(struct needing *needing, struct needed_object *object,
                      const struct needed_kept *call);
/* The call of that index, and what only it needed. */
void needed_forget(struct needing *needing, struct needed_object *object, size_t index);

/* All calls that are kept, by their ids, each once; in the arena. NULL when memory is out. */
struct needed_call *needed_collect(const struct needing *needing, struct arena *arena,
                                   size_t *count);
void needed_release(struct needing *needing);

#endif
