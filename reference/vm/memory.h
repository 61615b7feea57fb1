/* Device memory with provenance: what pointers (pointer.h) lead to.
 *
 * Objects live in a table: global ones (buffers, program-scope variables) for the life of the
 * device, the last VM_MEMORY_FREED_MAX freed ones staying known by name. Local and private ones
 * live in a table of their launch, which begins with the object number VM_LAUNCH_OBJECT.
 *
 * Addresses of memory objects hold for one launch alone. To a kernel that may put one into memory
 * the object is *lent*: it is known by a number of that launch's own, so that whoever follows the
 * pointer in a later launch finds a number that is not good any more. */
#ifndef REFERENCE_VM_MEMORY_H
#define REFERENCE_VM_MEMORY_H

#include "checkers/kernel/observer.h"
#include "reference/vm/pointer.h"
#include "trace/base/arena.h"
#include "trace/base/heap.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VM_LAUNCH_OBJECT = 1 << 22, VM_LAUNCH_OBJECTS_END = VM_LAUNCH_OBJECT + (1 << 21) };
enum { VM_MEMORY_FREED_MAX = 1 << 16 };

/* Leads nowhere: what is accessed there is not, and nobody is told. For lanes of which something
 * has been told. */
#define VM_POINTER_NOWHERE                                                                         \
    (VM_POINTER_TAG | (UINT64_C(1) * VM_LAUNCH_OBJECTS_END - 2) << VM_POINTER_OFFSET_BITS)

/* In home rows (code.h): a pointer to a variable that is in no memory, vm_debug_variable.number. It
 * has fewer than 1 << VM_POINTER_VALUE_BITS bytes. */
enum { VM_POINTER_VALUE_BITS = 20 };
#define VM_POINTER_TO_VALUES                                                                       \
    (VM_POINTER_TAG | (UINT64_C(1) * VM_LAUNCH_OBJECTS_END - 3) << VM_POINTER_OFFSET_BITS)
#define VM_POINTER_TO_VALUE(number)                                                                \
    (VM_POINTER_TO_VALUES + ((uint64_t)(number) << VM_POINTER_VALUE_BITS))

struct vm_image;
struct vm_pipe;

/* What the gate needs to know of an object. */
struct vm_object {
    struct observer_object
        identity;                 /* id of the root, size and names of its own; the first member */
    const struct vm_object *root; /* of a sub-buffer the buffer it is a part of, else itself */
    uint8_t *bytes;     /* start of this object's bytes; lane i of a private object: + i * stride */
    uint8_t *host_copy; /* where the host has bytes of its own for these (vm_memory_separate); else
                           NULL */
    uint64_t size;      /* of this object: a sub-buffer's own */
    uint64_t root_offset;    /* of a sub-buffer in its root, of a private variable in its arena */
    uint64_t *undefined;     /* a bit per byte of the root, 1 = never written; NULL = all defined;
                                of a private object a word per byte of the arena, bit i lane i's */
    uint64_t private_stride; /* bytes between the arenas of two lanes; 0 = not private */
    bool read_only, write_only; /* for kernels, which may break it: that is told */
    bool sealed; /* kernels cannot write it: constant memory, or the application's own that is
                    read-only, whose pages may be protected; its parts are sealed too */
    bool is_host_memory;          /* of the root: the application gave it */
    bool freed;                   /* of a private object: for some lanes; then `ended` tells */
    uint64_t ended;               /* of a private object: lanes for which its lifetime has */
    uint32_t *end_sites;          /* where, by lane; NULL = it has no such places */
    const struct vm_image *image; /* NULL = no image: reference/vm/image.h */
    struct vm_pipe *pipe;         /* NULL = no pipe, or a freed one: reference/vm/pipe.h */
    bool is_pipe;
    const char
        *first_use;  /* "'out' of kernel 'scale'": what it was first used as; NULL = not yet */
    uint32_t lender; /* the number of what was lent under this one; 0 = this is no loan */
    const struct observer_keeper *keeper; /* to whom; else NULL */
};

struct vm_memory;

/* One table per device. Creating and freeing may be called from any thread; running kernels only
 * read. */
enum status vm_memory_create(struct vm_memory **memory, struct error *error);
void vm_memory_destroy(struct vm_memory *memory);
/* Before the first object: the host's pages of shared virtual memory may be taken away while the
 * device uses it. Whether they may in fact is known once there is an object of that kind. */
void vm_memory_watch_shared(struct vm_memory *memory);
bool vm_memory_shared_is_watched(const struct vm_memory *memory);
/* Would a fork of the process have the very same bytes, and not a copy of them? */
bool vm_memory_is_of_forks_too(const struct vm_memory *memory);
/* Before the first object: the host has copies of what it can use, except of shared virtual memory
 * that it may use while kernels run. The caller makes them equal, where it maps. */
void vm_memory_separate(struct vm_memory *memory);

/* Before the first object: kernels can reach all memory of the process (system.h). */
void vm_memory_share_system(struct vm_memory *memory);

struct vm_buffer_info {
    uint64_t size;    /* bytes; 0: every access is out of bounds */
    void *host_bytes; /* CL_MEM_USE_HOST_PTR: the application's memory, used in place, or the host's
                         copy; NULL = our own */
    uint32_t parent;  /* object number of the buffer it is a part of; 0 = none */
    uint64_t parent_offset;
    bool read_only, write_only;
    bool constant;         /* constant memory instead of global */
    bool defined;          /* its bytes are initialised; else they start undefined, and zero */
    enum observer_svm svm; /* its bytes lie at an address for the host too: svm.h */
    const struct vm_image *image; /* copied; NULL = no image */
    uint32_t packet_size;         /* of a pipe, which `size` is a multiple of; 0 = no pipe */
    const char *name;             /* "buffer#3"; copied */
    const char *origin;           /* copied; may be NULL */
};

/* Makes an object; *object is its number, never 0. */
enum status vm_memory_create_object(struct vm_memory *memory, const struct vm_buffer_info *info,
                                    uint32_t *object, struct error *error);
/* The object stays known as freed until VM_MEMORY_FREED_MAX others were; a sub-buffer's parent must
 * live on by the caller's references. The bytes of shared virtual memory stay readable, as zeroes,
 * and known for good. */
void vm_memory_free_object(struct vm_memory *memory, uint32_t object);
/* Lends the object, which is no shared virtual memory and outlives the loan, to the launch that
 * `keeper`, copied, tells of: *loan is its number there. vm_memory_free_object ends it. */
enum status vm_memory_lend_object(struct vm_memory *memory, uint32_t object,
                                  const struct observer_keeper *keeper, uint32_t *loan,
                                  struct error *error);
/* Between the two, of any number of threads, freed objects stay known. */
void vm_memory_begin_launch(struct vm_memory *memory);
void vm_memory_end_launch(struct vm_memory *memory);
/* A launch, called `writer`, may have written to the object, or to what it is a part of: it is
 * named where bytes of it are found undefined. Copied. */
void vm_memory_set_writer(struct vm_memory *memory, uint32_t object, const char *writer);
/* A kernel is launched with the object as this argument: the first one names it, object->first_use.
 */
void vm_memory_give_first_use(struct vm_memory *memory, uint32_t object, const char *argument,
                              const char *kernel);
/* From now on kernels find the bytes of this object, no part or parent of it, at `bytes`. While no
 * launch runs. */
void vm_memory_move_bytes(struct vm_memory *memory, uint32_t object, uint8_t *bytes);
/* NULL for a number that was never given out. The pointer is valid until the memory is destroyed,
 * and that object's until it is forgotten. */
const struct vm_object *vm_memory_find(const struct vm_memory *memory, uint32_t object);

/* Where the host finds the bytes of an object that has some, or its copy of them. */
void *vm_memory_host_bytes(const struct vm_memory *memory, uint32_t object);

/* Addresses of shared virtual memory. */
struct vm_shared_range {
    uint64_t first, size; /* addresses that are of one object, or just outside it */
    uint64_t difference;  /* what makes a pointer of such an address */
};

/* The object that the address is in, or near: freed ones, too. False = none. */
bool vm_memory_find_shared(const struct vm_memory *memory, uint64_t address,
                           struct vm_shared_range *range);
/* Blocks that a kernel was given pointers to as arguments, as malloc had given them then. */
struct vm_blocks {
    const struct heap_block *items;
    size_t count;
};
/* The same of memory that the process has by its own means, where all `size` bytes at the address
 * are there, as those at all addresses of *range are. Of the address of an allocation it is not
 * asked. */
bool vm_memory_find_system(struct vm_memory *memory, const struct vm_blocks *given,
                           uint64_t address, uint32_t size, struct vm_shared_range *range);
/* Why not: the access leaves this block that malloc gave, or it was freed. False: it is not by what
 * malloc gave. */
bool vm_memory_blame_block(struct vm_memory *memory, const struct vm_blocks *given,
                           uint64_t address, uint32_t size, struct heap_block *block);
/* What the program said of a kernel: does it use such memory? ASKED: nothing, but the program asked
 * whether the device has it. */
enum vm_system { VM_SYSTEM_UNSAID, VM_SYSTEM_ASKED, VM_SYSTEM_USED, VM_SYSTEM_SPARED };
/* Has the launch that runs, or the latest one, come to such memory? */
bool vm_memory_met_system(const struct vm_memory *memory);
/* The pointer for an address of shared virtual memory; other pointers as they are. */
uint64_t vm_memory_pointer(const struct vm_memory *memory, uint64_t pointer);
/* What a kernel that gets a place in the object as an argument knows it by: an address, where the
 * object is shared virtual memory, also as a buffer (CL_MEM_USE_HOST_PTR). Of no object (0) it is
 * the offset itself: 0, or an address that is to lead nowhere. */
uint64_t vm_memory_address(const struct vm_memory *memory, uint32_t object, uint64_t offset);

/* Commands on [offset, offset + size) of an object, in range by the caller's checks. Writing
 * defines. */
void vm_memory_write(struct vm_memory *memory, uint32_t object, uint64_t offset, const void *bytes,
                     uint64_t size);
void vm_memory_read(const struct vm_memory *memory, uint32_t object, uint64_t offset, void *bytes,
                    uint64_t size);
/* Copies bytes and their definedness; the ranges do not overlap. */
void vm_memory_copy(struct vm_memory *memory, uint32_t from, uint64_t from_offset, uint32_t to,
                    uint64_t to_offset, uint64_t size);
/* A host pointer may have written the range (map for writing). */
void vm_memory_define(struct vm_memory *memory, uint32_t object, uint64_t offset, uint64_t size);
/* Gives up what the range holds (CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED). */
void vm_memory_empty(struct vm_memory *memory, uint32_t object, uint64_t offset, uint64_t size);

/* ---- a memory of its own for a launch that is run once more ---- */

/* What some objects hold: bytes, and which of them are undefined. */
struct vm_kept;

/* Bytes that vm_memory_keep would keep. */
uint64_t vm_memory_kept_size(const struct vm_memory *memory, const uint32_t *objects, size_t count);
/* `objects`: numbers, of which 0, freed objects, sealed ones and repeated ones are skipped; of a
 * part the whole that it is a part of is kept. NULL when memory is out. */
struct vm_kept *vm_memory_keep(const struct vm_memory *memory, const uint32_t *objects,
                               size_t count);
void vm_kept_destroy(struct vm_kept *kept);
/* Another memory with the same objects, under the same numbers and addresses. Those that were kept
 * hold what they held then, in bytes of their own; all others share those of `memory`, and are
 * sealed. It is for kernels alone: nothing is created or freed in it. `memory` outlives it, and is
 * in a launch (vm_memory_begin_launch) meanwhile. NULL when memory is out. */
struct vm_memory *vm_memory_create_copy(struct vm_memory *memory, const struct vm_kept *kept);
void vm_memory_destroy_copy(struct vm_memory *copy);

/* ---- narrow.c ---- */

/* Pointers of 32 bits (the personality "32-bit"): what a pointer is in memory and as an integer.
 * Rows hold pointers with their provenance, 64 bits, as always. Each object that such a pointer
 * leads to gets a range of 32-bit addresses when it is first needed, in that order; they hold for
 * one launch. 0 is the null pointer. */

struct narrow {
    struct narrow_range *ranges; /* in order of their addresses */
    size_t count, capacity;
};

/* The address of a pointer into an object of `size` bytes. Without addresses left, or memory, it is
 * 0. */
uint32_t narrow_pack(struct narrow *narrow, struct arena *arena, uint64_t pointer, uint64_t size);
/* The pointer with the address; of an address that nobody was given, a pointer that leads nowhere.
 */
uint64_t narrow_unpack(const struct narrow *narrow, uint32_t address);

#endif
