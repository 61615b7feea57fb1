/* What the reference device tells its checkers while a kernel runs.
 *
 * The device does not know its checkers: it fills these structures and calls through this table, on
 * one thread for each launch, in the order in which things happen. Everything is told for a *lane
 * vector* at once: up to 64 consecutive work-items (by linear local id) of one work-group, bit i of
 * a mask being lane i, whose linear local id is vector * 64 + i.
 *
 * Pointers are valid during the call only. A checker never changes what the kernel computes. Any
 * function pointer may be NULL: the device then spares the work of preparing that event. */
#ifndef CHECKERS_KERNEL_OBSERVER_H
#define CHECKERS_KERNEL_OBSERVER_H

#include "checkers/order/lane_access.h"

enum { OBSERVER_LANES = 64 };

/* ---- places in the kernel: a site is an index into the lane code of the launched kernel.
 * Functions are expanded at each call, so a site stands for one instruction under one call chain.
 * ---- */

struct observer_frame {
    const char *function; /* kernel-side function name, or NULL */
    const char *file;     /* or NULL when the module has no line information */
    uint32_t line, column;
    const char *source; /* the text of that line without newline, or NULL */
};

enum { OBSERVER_FRAME_MAX = 16 };

/* Innermost frame first; frames[0] is the place itself. Strings live as long as the launch. */
struct observer_place {
    struct observer_frame frames[OBSERVER_FRAME_MAX];
    size_t frame_count; /* 0 = nothing known about the site */
};

/* ---- memory ---- */

enum observer_region { OBSERVER_GLOBAL, OBSERVER_LOCAL, OBSERVER_PRIVATE, OBSERVER_CONSTANT };

/* Shared virtual memory, by what the host may do with it while kernels run. */
enum observer_svm {
    OBSERVER_SVM_NONE,
    OBSERVER_SVM_COARSE, /* the host uses it between map and unmap */
    OBSERVER_SVM_FINE,
    OBSERVER_SVM_ATOMIC, /* fine-grained, with atomics that reach the host */
    OBSERVER_SVM_SYSTEM, /* the same; memory that the host did not get from OpenCL */
    /* cl_intel_unified_shared_memory */
    OBSERVER_SVM_HOST,
    OBSERVER_SVM_DEVICE, /* the host does not use it */
    OBSERVER_SVM_SHARED,
};

/* An object is what provenance is about: a memory object (the root buffer, never a sub-buffer), a
 * local variable or argument, a private variable, a program-scope variable. `id` is unique for the
 * life of the device for global memory; for local and private objects it is unique within the
 * launch. */
struct observer_object {
    uint32_t id;
    enum observer_region region;
    uint64_t size;    /* bytes */
    const char *name; /* of the kernel argument or variable, or "buffer#7"; never NULL */
    const char
        *origin; /* how it was made, for messages: "clCreateBuffer, 4096 bytes"; may be NULL */
    const char *writer; /* the latest launch before this one that could write to it: "kernel 'fill'
                           on 64 work-items"; NULL = none, or not known */
    /* Bytes whose contents a migration gave up, the latest; none: the two are equal. */
    uint64_t emptied_first, emptied_end;
    bool is_image; /* accessed as one: what lies in it are texels */
    bool is_pipe;  /* what lies in it are packets */
    enum observer_svm svm;
    uint64_t block; /* of one that malloc gave, its address: it is a part of the system's memory,
                       which `svm` says; else 0 */
};

/* Flags of barriers and fences: the memories they cover. */
enum { OBSERVER_FENCE_LOCAL = 1, OBSERVER_FENCE_GLOBAL = 2, OBSERVER_FENCE_IMAGE = 4 };

/* ---- the course of a launch ---- */

struct observer_launch {
    const char *kernel;
    uint32_t dimensions;     /* 1 to 3; unused sizes are 1, unused offsets 0 */
    uint64_t global_size[3]; /* work-items */
    uint64_t local_size[3];  /* work-items */
    uint64_t global_offset[3];
    uint64_t group_count[3];
    uint32_t sub_group_size;   /* work-items; divides 64 */
    uint32_t site_count;       /* sites are below this */
    uint32_t opencl_c_version; /* 100, 110, 120, 200, 300; 0 = not OpenCL C */
    bool uses_acquire;         /* an atomic, a fence, or a barrier whose fences reach beyond the
                                  work-group, can acquire or release */
    bool follows_orders;       /* none can, but the report is to say which one is missing */
    bool narrow_fences;        /* it has seq_cst fences narrower than the device */
    bool waits;                /* it has a loop in which a work-item may wait for another */
    bool big_endian;           /* in memory, and in lane_access.value, the highest byte is first */
    bool wide_scopes;          /* scopes include each other as OpenCL 3.1 has it: if wide enough */
    bool seq_cst_alone; /* seq_cst operations synchronise in the memory of their object only */
    uint64_t call_id;   /* of the enqueue, when a layer told it; else 0 */
    const char *label;  /* "clEnqueueNDRangeKernel #12", for messages; may be NULL */
    /* Describes a site, at any time before launch_end returns. */
    void (*describe)(const void *code, uint32_t site, struct observer_place *place);
    const void *code;
    /* Copies bytes of an object as they are now, before the effect of the access being told;
     * `object` is one that this launch's events carried. Returns false when it cannot. May be NULL.
     */
    bool (*peek)(const struct observer_object *object, uint64_t offset, uint32_t size, void *bytes);
    /* The name of the kernel argument that a global object was given as, or a place in it, for
     * messages; NULL if it is none. May be NULL itself. */
    const char *(*argument_name)(const void *launch, const struct observer_object *object);
    /* May reads of the global object be left unwatched, because no argument through which the
     * kernel writes leads to it? A write may prove it wrong nevertheless. May be NULL. */
    bool (*only_read)(const void *launch, uint32_t object_id);
    /* Is it shown that no two work-items access bytes of the object, of which one writes, that
     * barriers do not order? May be NULL. */
    bool (*apart)(const void *launch, const struct observer_object *object);
    const void *launch;
};

/* Why lanes could not pass a barrier or collective together (design classes D1 to D5). */
enum observer_divergence_kind {
    OBSERVER_DIVERGENCE_FINISHED,  /* D1: some work-items ended without reaching it */
    OBSERVER_DIVERGENCE_ELSEWHERE, /* D2: some wait at another barrier, or the same by another call
                                      chain */
    OBSERVER_DIVERGENCE_ITERATION, /* D3: the same barrier in different iterations of a loop */
    OBSERVER_DIVERGENCE_ARGUMENTS, /* D4: different arguments; or, with other_count 0, arguments
                                      that name a work-item which the group does not have */
    OBSERVER_DIVERGENCE_MIXED,     /* D5: a sub-group operation against a work-group operation */
    OBSERVER_DIVERGENCE_CLUSTER,   /* clusters of waiting_count work-items; sub-groups have at most
                                      other_count */
};

enum { OBSERVER_RETURN_MAX = 4 };

struct observer_divergence {
    enum observer_divergence_kind kind;
    uint32_t site;       /* the barrier that some work-items wait at */
    uint32_t other_site; /* where the others wait (ELSEWHERE, MIXED); else equal to site */
    /* FINISHED: return statements that kept work-items from it, and the lowest of each. */
    struct observer_return {
        uint32_t site, item;
    } returns[OBSERVER_RETURN_MAX];
    uint32_t return_count;
    /* What stands there: "a barrier", "a collective function" ...; NULL = a barrier. */
    const char *operation, *other_operation;
    uint64_t waiting_count, other_count;         /* work-items on each side, in the whole set */
    uint32_t waiting_item, other_item;           /* lowest linear local id on each side */
    uint64_t waiting_iteration, other_iteration; /* ITERATION: from 0 */
    bool of_sub_group; /* the items of one sub-group should have come, that of waiting_item; else of
                          the group */
};

enum observer_fault_kind {
    OBSERVER_FAULT_BOUNDS,     /* outside the object, provenance known: object and offset set */
    OBSERVER_FAULT_NULL,       /* a null pointer */
    OBSERVER_FAULT_WILD,       /* no object: an integer made into a pointer, or corrupted */
    OBSERVER_FAULT_FREED,      /* the object was released */
    OBSERVER_FAULT_READ_ONLY,  /* a write to a read-only or constant object: performed, unless it is
                                  constant, or the host's own memory, which may be protected */
    OBSERVER_FAULT_WRITE_ONLY, /* a read of a write-only object: performed */
    OBSERVER_FAULT_MISALIGNED, /* the access is performed nevertheless */
    OBSERVER_FAULT_SYSTEM, /* none: memory of the system, and nobody said that it is used: performed
                            */
    OBSERVER_FAULT_UNLISTED, /* shared virtual memory that the launch was not told of: performed */
    /* Built-ins on images, `image` set. */
    OBSERVER_FAULT_IMAGE_BOUNDS,  /* coordinates outside, where nothing says what is read */
    OBSERVER_FAULT_IMAGE_FORMAT,  /* the built-in is for other channel types */
    OBSERVER_FAULT_IMAGE_SAMPLER, /* a sampler that does not go with the image or coordinates;
                                     sampled nevertheless */
    OBSERVER_FAULT_PIPE,          /* a built-in on pipes, `pipe` set */
    OBSERVER_FAULT_BLOCK,         /* a sub-group's block read or write, `block` set */
    OBSERVER_FAULT_SUBSCRIPT, /* within the object, but outside `array`, which the access names; or
                                 of a vector that is in no memory, without object: performed */
    OBSERVER_FAULT_ENDED,     /* a variable whose lifetime has: performed */
    OBSERVER_FAULT_FOREIGN,   /* private memory of another work-item, or local memory of another
                                 work-group, `owner` set; the object where that is known */
    OBSERVER_FAULT_CONSTANT,  /* a write to what is `constant_argument`, too: performed */
    OBSERVER_FAULT_STALE,     /* by a pointer of an earlier launch, `keeper`: performed */
};

/* An array, or vector, that an access names an element of. */
struct observer_array {
    int64_t index;         /* of the lowest lane of the fault's mask; of lane code: unused */
    uint64_t count;        /* elements */
    uint64_t element_size; /* bytes */
    bool is_vector;
    bool is_row;           /* an element of another array */
    const char *structure; /* "struct S", which it is a member of; NULL = of none, or nameless */
    uint32_t member;       /* from 0 */
};

/* What cl_intel_subgroups asks of a block read or write, which is performed nevertheless: `wanted`
 * is what `found` should be, or should be a multiple of. */
enum observer_block_misuse {
    OBSERVER_BLOCK_PARTIAL,      /* the work-items of the sub-group; of the largest one */
    OBSERVER_BLOCK_OFFSET,       /* the byte of the memory object where the block, or the part of a
                                    buffer that an image was made from, begins; a multiple */
    OBSERVER_BLOCK_HOST_POINTER, /* the address of the application's memory is not a multiple */
    OBSERVER_BLOCK_TEXEL,        /* bytes of a texel; at most */
    OBSERVER_BLOCK_COLUMN,       /* the first byte in the image's row; a multiple */
    OBSERVER_BLOCK_PITCH,        /* of an image made from a buffer; a multiple */
    OBSERVER_BLOCK_BOUNDS, /* the column outside a row of so many bytes, of an image with texels of
                              less than 4: nothing is read or written */
};
struct observer_block {
    enum observer_block_misuse misuse;
    uint64_t found, wanted;
};

/* What is wrong with a use of a pipe. The built-in does nothing, and says that it did nothing, but
 * for the kinds that say otherwise. */
enum observer_pipe_misuse {
    OBSERVER_PIPE_RIGHT,          /* nothing */
    OBSERVER_PIPE_NO_RESERVATION, /* the ID is none: CLK_NULL_RESERVE_ID, or of a reservation that
                                     was not to be had */
    OBSERVER_PIPE_OTHER_RESERVATION, /* it is none of this end of this pipe */
    OBSERVER_PIPE_OTHER_LAUNCH,      /* it is of an earlier launch */
    OBSERVER_PIPE_COMMITTED,         /* the reservation has been committed */
    OBSERVER_PIPE_INDEX,             /* it has fewer packets */
    OBSERVER_PIPE_PACKET_SIZE,       /* the packets of the pipe have another size */
    OBSERVER_PIPE_BOTH_ENDS,         /* the launch reads from and writes to it: performed */
    OBSERVER_PIPE_MISUSE_COUNT
};

/* For the lowest lane of a fault's mask; its `access` says which end of the pipe is used. */
struct observer_pipe {
    enum observer_pipe_misuse misuse;
    uint64_t index, count;      /* INDEX: the packet asked for; how many the reservation has */
    uint64_t size, packet_size; /* PACKET_SIZE: bytes that the kernel means; that the pipe has */
};

/* What a built-in did with an image, for the lowest lane of a fault's mask. */
struct observer_image {
    const char *type; /* "2D image" */
    uint32_t coordinate_count;
    int64_t coordinates[3]; /* BOUNDS: of the texel */
    uint64_t size[3];       /* texels by coordinate */
    int64_t level;          /* 0 where there is one alone */
    bool no_level;          /* BOUNDS: there is no such level, but so many: */
    uint32_t level_count;
    bool not_finite;    /* BOUNDS: a coordinate is an infinity or NaN, and has no texel */
    bool sampled;       /* by a sampler: with CLK_ADDRESS_NONE */
    const char *wanted; /* FORMAT: the channels that the built-in is for: "signed integers" */
    const char *found;  /* FORMAT: those of the image */
    const char *reason; /* SAMPLER: what is wrong with it, */
    const char *advice; /* and what to do */
};

/* Whose memory a pointer leads to, for the lowest lane of a fault's mask. */
struct observer_owner {
    enum observer_owner_kind {
        OBSERVER_OWNER_KNOWN,
        OBSERVER_OWNER_LAUNCH,  /* somebody's of another launch */
        OBSERVER_OWNER_UNKNOWN, /* somebody's of this launch or another one */
    } kind;
    enum observer_region region; /* LOCAL or PRIVATE */
    uint64_t group;              /* KNOWN: its number, counted in ascending order */
    uint32_t item;               /* KNOWN, PRIVATE: its linear local id */
};

/* Accesses that are wrong. The gate refuses them, so that reads give 0 and writes are dropped,
 * except for those of the kinds that say otherwise. One call per object and fault. */
/* A launch that may have left a pointer to one of its memory objects in memory. */
struct observer_keeper {
    const char *launch;       /* "kernel 'fill' on 64 work-items" */
    struct observer_frame at; /* the first place in the kernel that puts it there */
    bool at_others;           /* it has others */
};

struct observer_fault {
    enum observer_fault_kind kind;
    uint32_t site;
    enum observer_access_kind access;
    const struct observer_object *object; /* NULL when there is none */
    bool constant_pointer; /* by a pointer to constant memory, even if the object is a buffer */
    bool system_spared;    /* WILD: the kernel was said to use no memory of the host's own */
    uint32_t size;
    uint64_t mask;
    int64_t offset; /* of the lowest lane of mask, from the start of the object; may be negative */
    uint64_t alignment;       /* MISALIGNED: what is required */
    uint32_t part;            /* MISALIGNED: of what begins so many bytes before the access */
    int64_t neighbour_offset; /* BOUNDS: unused unless neighbour */
    const struct observer_object
        *neighbour;                       /* BOUNDS by a sub-buffer: the parent it reached into */
    const struct observer_image *image;   /* IMAGE_BOUNDS, _FORMAT, _SAMPLER; else NULL */
    const struct observer_pipe *pipe;     /* PIPE; else NULL */
    const struct observer_block *block;   /* BLOCK; else NULL */
    const struct observer_array *array;   /* SUBSCRIPT; else NULL */
    const struct observer_owner *owner;   /* FOREIGN; else NULL */
    const char *constant_argument;        /* CONSTANT: its name; else NULL */
    const struct observer_keeper *keeper; /* STALE; else NULL */
    uint32_t end_site;                    /* ENDED: where, of the lowest lane of mask */
    bool end_by_return; /* ENDED: the place of the call that had the variable; else the block ended
                         */
};

enum observer_undefined_use {
    OBSERVER_UNDEFINED_BRANCH,
    OBSERVER_UNDEFINED_ADDRESS,
    OBSERVER_UNDEFINED_OUTPUT,   /* a component of what is stored to global memory */
    OBSERVER_UNDEFINED_UPDATE,   /* an atomic operation's effect rests on what it found in memory,
                                    which counts as defined afterwards */
    OBSERVER_UNDEFINED_ARGUMENT, /* it decides what a built-in function does: a coordinate, a size,
                                    a work-item, an event */
    OBSERVER_UNDEFINED_PRINT,
    OBSERVER_UNDEFINED_TOO_OFTEN, /* no use: from now on in this launch they are not followed */
};

/* What is another thing on another device. */
enum observer_remark {
    OBSERVER_REMARK_CAST,      /* a bit-cast that gives a vector another number of elements */
    OBSERVER_REMARK_SWIZZLE,   /* the same of elements that were put into another order */
    OBSERVER_REMARK_PUN,       /* a pointer leads to elements of another size from now on */
    OBSERVER_REMARK_SUB_GROUP, /* a sub-group function in a kernel that asks for no size or id */
    OBSERVER_REMARK_DENORMAL,  /* a float operation takes or gives a denormal number */
};

/* Why a value is undefined. */
enum observer_undefined_cause {
    OBSERVER_CAUSE_UNWRITTEN,
    OBSERVER_CAUSE_COMPONENT, /* a component by an index that the vector has not */
    OBSERVER_CAUSE_ABSENT,    /* of a work-item that took no part in a sub-group function */
    /* Results that the specification leaves open, from here on. */
    OBSERVER_CAUSE_DIVISION,   /* by zero, or of the least integer by -1 */
    OBSERVER_CAUSE_CONVERSION, /* to an integer type that has not the value */
    OBSERVER_CAUSE_CLAMP,      /* between limits of which the lower one is the greater */
    OBSERVER_CAUSE_SMOOTHSTEP, /* between edges that do not ascend, or of a NaN */
    OBSERVER_CAUSE_MUL24,      /* of a number that has more than 24 bits */
    OBSERVER_CAUSE_SHIFT,      /* by as many bits as the number has, or more */
};

enum { OBSERVER_PART_OTHER = 0x7fffffff }; /* what is not an element, like a member */

struct observer_undefined {
    enum observer_undefined_use use;
    enum observer_undefined_cause cause;
    uint32_t site;
    uint64_t mask; /* lanes whose value is undefined */
    /* Where the value of the lowest of them was born undefined; UINT32_MAX = unknown. */
    uint32_t origin_site;
    /* The object that held it, where it begins, and how large a number was read there (0 = not
     * known); NULL = none, or unknown. */
    const struct observer_object *origin_object;
    uint64_t origin_offset;
    uint32_t origin_size;
    bool origin_partly;      /* not all of that number was never written */
    const char *origin_name; /* the variable that held it, if that was none in memory; or NULL */
    uint64_t origin_part;    /* of that variable: 0 = all, an element plus 1, OBSERVER_PART_OTHER */
};

/* Where some work-items of a group are. */
struct observer_standing {
    uint32_t site;
    bool waits; /* at a barrier, for others; else they can go on, or go round a loop */
    /* What the first of them read last by an atomic operation or volatile load, and the `size`
     * bytes that lie there now; object NULL = unknown. */
    const struct observer_object *object;
    uint64_t offset;
    uint32_t size;
    uint64_t value;
    uint64_t item_count;
    uint32_t first_item; /* the lowest linear local id of them */
};

enum { OBSERVER_STANDING_MAX = 8 };

/* The launch passed the limit of operations that was set for it, or hangs: no work-item can go on
 * but in loops that change nothing. It is ended here. */
struct observer_unfinished {
    uint64_t operation_limit; /* 0 = it hangs */
    /* Of a launch that hangs: groups that have begun and not ended, and groups that the device did
     * not begin because no more can wait at a time: they might have helped. */
    uint64_t waiting_groups, unstarted_groups;
    uint64_t later_kernels; /* that it has enqueued, and that begin when it has ended */
    /* Work-items of the running group that have begun and not ended: those that could go on, and
     * those that wait for others. */
    uint64_t running_count, waiting_count;
    const struct observer_standing *places; /* first those that could go on */
    size_t place_count;                     /* at most OBSERVER_STANDING_MAX */
};

enum observer_assertion_kind {
    OBSERVER_ASSERTED, /* clerk_assert */
    OBSERVER_ASSUMED,  /* clerk_assume */
    OBSERVER_PROMISED  /* OpAssumeTrueKHR, as of __builtin_assume: else all is undefined */
};

/* Work-items for which what the program says does not hold. They end here. */
struct observer_assertion {
    uint32_t site;
    enum observer_assertion_kind kind;
    uint64_t mask;
    const char *sides; /* "3 == 4", of the lowest lane of mask; NULL = it is not a comparison */
};

/* Work-items of the running group waited in a loop, nothing changing for them, and could not go on
 * before another work-item had run, or the host had changed what they read (ALL_DEVICES). */
struct observer_dependence {
    const struct observer_standing *place; /* where the first of those that waited was, in vain */
    /* The smallest unit that holds both: the other is of the same sub-group, of another one of the
     * work-group, or of another work-group that stands after it in ascending order, or of another
     * kernel (DEVICE). */
    enum observer_scope within;
    uint32_t other_item;      /* SUB_GROUP, WORK_GROUP: linear local id */
    uint64_t other_group[3];  /* DEVICE */
    const char *other_kernel; /* DEVICE: its name; NULL = this one */
};

/* What is wrong with a work-item's call of the queues of the device itself. */
enum observer_queue_fault_kind {
    OBSERVER_QUEUE_FAILED,  /* the command is not enqueued, for `reason` */
    OBSERVER_QUEUE_CAPTURE, /* what is enqueued takes a pointer to local or private memory with it
                             */
    OBSERVER_QUEUE_EVENT,   /* what is given as an event is none, for `reason` */
    OBSERVER_QUEUE_FOREIGN, /* it is that of another kernel */
};

struct observer_queue_fault {
    enum observer_queue_fault_kind kind;
    uint32_t site;
    uint32_t item;        /* linear local id */
    const char *function; /* the built-in: "release_event" */
    const char *reason;   /* a clause: "the queue is full: ..."; CAPTURE: NULL */
    /* EVENT, FOREIGN: what it is given, like "no status", and what to do about it; NULL = no event,
     * and what the rule says. */
    const char *given, *advice;
    const struct observer_object *object; /* CAPTURE: what the pointer leads to; else NULL */
};

struct observer_barrier {
    uint32_t site;
    uint32_t flags;                /* OBSERVER_FENCE_*; 0 = none */
    enum observer_scope execution; /* WORK_GROUP or SUB_GROUP */
    enum observer_scope memory;
    /* For SUB_GROUP: the vector, and the lanes of the sub-group that passed. */
    uint32_t vector;
    uint64_t mask;
};

/* Two elements, lines or planes of an asynchronous copy lie over each other in one of the memories.
 */
struct observer_overlap {
    uint32_t site;
    uint32_t dimension;   /* 0 elements, 1 lines, 2 planes */
    uint64_t count;       /* of them, at least 2 */
    uint64_t step, least; /* elements from one to the next; that there must be */
    bool written;         /* in the memory that is written */
};

struct observer {
    void *state; /* first argument of every function */
    void (*launch_begin)(void *state, const struct observer_launch *launch);
    /* Group is its id in each dimension. Groups run one after the other, unless one has to wait for
     * another: then others begin before group_end, and group_resume tells that it goes on. */
    void (*group_begin)(void *state, const uint64_t group[3], uint32_t item_count);
    void (*group_resume)(void *state, const uint64_t group[3]);
    /* From now on events are those of this vector of the group; told at each switch. */
    void (*vector_run)(void *state, uint32_t vector);
    void (*access)(void *state, const struct lane_access *access);
    /* Plain accesses are told so first where they are rows: true = no more need be told, else
     * `access` is called as if nothing had been. */
    bool (*row)(void *state, const struct lane_row *row);
    /* While what this leads to is false nobody wants to be told of plain reads, or writes, of the
     * object. It stays where it is until launch_end. NULL: all are told. */
    const bool *(*wants)(void *state, const struct observer_object *object,
                         enum observer_access_kind kind);
    void (*fence)(void *state, uint32_t site, uint64_t mask, uint32_t flags,
                  enum observer_order order, enum observer_scope scope);
    /* All work-items of the group (or sub-group) have passed. */
    void (*barrier)(void *state, const struct observer_barrier *barrier);
    /* An asynchronous copy is a unit of execution of its own, from its start until the group waits
     * for it. What it accesses is told at the wait, between copy_begin and copy_end, each side by
     * itself, and before that of copies that fences order after it; lanes of such accesses are
     * elements, not work-items. `copy` counts the copies of the group from 0. */
    void (*copy_start)(void *state, uint32_t copy);
    /* Copies that have started are ordered before those that will, in the memories of the flags
     * (OBSERVER_FENCE_*). */
    void (*copy_fence)(void *state, uint32_t flags);
    void (*copy_begin)(void *state, uint32_t copy);
    void (*copy_end)(void *state);
    void (*copy_wait)(void *state, uint32_t copy);
    void (*copy_overlap)(void *state, const struct observer_overlap *overlap);
    /* The group ended and had not waited for a copy that it started at the site. */
    void (*copy_lost)(void *state, uint32_t site);
    /* The launch has ended and had not committed a reservation of `count` packets of a pipe, for
     * writing or for reading, that it made at the site. */
    void (*reservation_lost)(void *state, uint32_t site, const struct observer_object *pipe,
                             uint64_t count, bool writes);
    /* A built-in function uses the end of the pipe for writing, or else for reading. */
    void (*pipe_end)(void *state, uint32_t site, const struct observer_object *pipe, bool writes);
    void (*divergence)(void *state, const struct observer_divergence *divergence);
    void (*fault)(void *state, const struct observer_fault *fault);
    void (*undefined)(void *state, const struct observer_undefined *undefined);
    void (*unfinished)(void *state, const struct observer_unfinished *unfinished);
    void (*dependence)(void *state, const struct observer_dependence *dependence);
    void (*queue_fault)(void *state, const struct observer_queue_fault *fault);
    void (*group_end)(void *state);
    /* Work-item `item` of the group, and others, do what depends on the device. */
    void (*remark)(void *state, uint32_t site, enum observer_remark kind, uint32_t item);
    void (*assertion)(void *state, const struct observer_assertion *assertion);
    /* A launch beside this one has run, which may release and acquire, as this one may: from now on
     * it may have ordered what work-items did before it and do behind it. */
    void (*answered)(void *state);
    void (*launch_end)(void *state);
};

#endif
