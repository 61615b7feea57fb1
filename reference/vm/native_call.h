/* All that native code knows of the device. It is compiled from this very text, which stands before
 * what is generated (VM_NATIVE_TEXT), so that there is one of it. */
#ifndef REFERENCE_VM_NATIVE_CALL_H
#define REFERENCE_VM_NATIVE_CALL_H

#ifdef VM_NATIVE_TEXT
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef __INT8_TYPE__ s8;
typedef __INT16_TYPE__ s16;
typedef __INT32_TYPE__ s32;
typedef __INT64_TYPE__ s64;
/* What the texts need of the standard headers. */
typedef u8 uint8_t;
typedef u32 uint32_t;
typedef u64 uint64_t;
typedef s64 int64_t;
#define UINT64_C(number) ((uint64_t)number)
#define bool _Bool
#define false 0
#define true 1
#else
#include "reference/vm/lane.h"
#endif

struct vm_vector;
struct vm_object;
struct vm_origins;
struct vm_words;

/* An object that lanes access, as far as it is usual: bytes of it are moved without asking anybody
 * if it is not `freed`, of `size` bytes, and may be read or written. */
struct vm_native_object {
    u64 key; /* of pointers into it: what stands above the offset; 0 = none */
    u8 *bytes;
    u64 size;
    u64 root_offset;
    u64 lane_stride; /* vm_object.private_stride */
    const _Bool *freed;
    const struct vm_object *object;
    const u64 *undefined; /* vm_object.undefined */
    u64 born;             /* the pointer to the first byte of its root, as births have it */
    const struct vm_words *stored; /* words into which undefined values were stored */
    /* *vm_native_call.undefined_stores + 1 when nothing of it was undefined, and how often pieces
     * of it were looked at since that was asked. `lasts`: only such stores change it. */
    u64 clear_since, looks;
    u8 lasts;
    u8 readable, writable;
    u8 watched;                   /* somebody is told of accesses */
    const _Bool *reads_watched;   /* of reads, too */
    u8 notes_loads, notes_stores; /* they are noted before they take place */
};
/* Of a vector, by the low bits of the key. */
enum { VM_NATIVE_OBJECTS = 16 };

/* How 64 lanes lie in memory. */
enum vm_native_shape {
    VM_NATIVE_ANY_SHAPE,
    VM_NATIVE_DENSE,      /* each lane next to the one before it */
    VM_NATIVE_RUNS_OF_16, /* the same within each run; runs that are stored do not overlap */
    VM_NATIVE_RUNS_ALIKE, /* lanes of a run have one place; if there are no runs, all have */
};

/* What was found of an access by the terms of its addresses: lanes from `first` to `last`, or all
 * 64 where there are runs, may make it again if the address of lane 0 is one of `count` from `low`
 * on, with the alignment of that one. It holds for objects of this number, which are alike in all
 * groups of a launch. */
struct vm_native_memo {
    u64 low, count; /* 0: nothing was found yet */
    u64 step, jump;
    u64 place; /* of lane 0 at `low` */
    s64 place_stride, place_jump;
    u32 run_shift, first, last;
    u32 vector_run_shift; /* what step and jump mean: groups at the edge may have other runs */
    u32 shape;            /* enum vm_native_shape */
    u32 tries; /* of the stretch that begins with the access and loads itself, since one succeeded
                */
};
/* The first accesses of the code have some. */
enum { VM_NATIVE_MEMOS = 48 };

/* Undefined values that have no pattern are followed bit by bit, lane by lane, so a launch that
 * does nothing but compute with such memory would hardly end. After so many lanes that loaded some,
 * of which the first have been told, memory counts as defined. */
enum { VM_UNDEFINED_LOADS_MAX = 1 << 21 };

/* Where the active lanes access an object, as struct access_span has it. */
struct vm_native_span {
    const struct vm_native_object *in;
    u64 place;
    s64 stride, jump;
    u32 run_shift;
    u32 first, last; /* of the active lanes */
};

/* What becomes of undefined bits that all active lanes have alike, step by step: of a varying row
 * that is read, or of a value that is computed. The generated code has these as constants. */
struct vm_native_step {
    u32 op;          /* that computes it; VM_NATIVE_READ: it is read */
    u32 from;        /* the row that is read; or the op's immediate */
    u32 width;       /* of the elements of that row, or of the op's first operand, in bytes */
    u32 to;          /* of those that the op gives; 0 = a mask */
    u32 opens;       /* it is not followed if an operand is undefined */
    u32 operands[3]; /* numbers of steps before; or VM_NATIVE_KNOWN and a number: one that all lanes
                        have; VM_NATIVE_VARYING: defined, of any value */
};
/* A varying row or a mask that gets what a step gives. */
struct vm_native_get {
    u32 row, step;
};
enum {
    VM_NATIVE_STEPS = 256,
    VM_NATIVE_GETS = 16,
    VM_NATIVE_KNOWN = 1024,
    VM_NATIVE_VARYING = 2048,
    VM_NATIVE_READ = 0x10000,
};
struct vm_native_steps {
    u32 count, get_count; /* VM_NATIVE_STEPS and VM_NATIVE_GETS at most */
    const struct vm_native_step *steps;
    const struct vm_native_get *gets;
};
/* What such a row gets: bits, 0 for none, born where those of the row `from` were. */
struct vm_native_undefined {
    u64 bits;
    u32 from;
};

struct vm_native_call {
    struct vm_vector *vector;
    u8 *units;
    u64 *undefined;
    u64 *pending;
    u64 *active;
    struct vm_native_object *objects; /* VM_NATIVE_OBJECTS */
    struct vm_native_memo *memos;     /* VM_NATIVE_MEMOS */
    const u64 *undefined_stores;      /* vm_run.undefined_stores */
    const _Bool *ignores_undefined;   /* vm_run.ignores_undefined */
    u64 *undefined_loads;             /* vm_run.undefined_loads */
    u64 operations, operation_limit;
    u32 run_shift;
    u64 whole; /* loads just looked up, by their memos: those that find all lanes undefined wholly;
                  whoever learns it sets it to 0 again */
    /* Of code with debug information: the terminator of the block that runs. `operations` are then
     * those up to the end of it. */
    u32 last;
    /* Performs `count` instructions from the index `first` on. */
    void (*interpret)(struct vm_vector *vector, u32 first, u32 count);
    /* Tells that a branch depends on undefined values. */
    void (*tell_branch)(struct vm_vector *vector, u32 site);
    /* Makes the entry for the pointer in `objects`. False: it is an unusual one. */
    _Bool (*find)(struct vm_vector *vector, u64 pointer);
    /* Notes that the access of the span at `site` is about to take place. False: it must not. */
    _Bool (*note)(struct vm_vector *vector, u32 site, const struct vm_native_span *span);
    /* Tells that the load at `site` reads the span, whose bytes are defined. */
    void (*read)(struct vm_vector *vector, u32 site, const struct vm_native_span *span);
    /* Puts down what is undefined in the rows that the load at `site` gives, which reads the span.
     */
    void (*load_undefined)(struct vm_vector *vector, u32 site, const struct vm_native_span *span);
    /* The same of lanes at places of their own: `offsets` in the object. */
    void (*gather_undefined)(struct vm_vector *vector, u32 site,
                             const struct vm_native_object *object, const u64 *offsets);
    /* Finds what the rows get. False: it cannot be said of all lanes at once. */
    _Bool (*follow)(const struct vm_vector *vector, const struct vm_native_steps *steps,
                    const u64 *known, struct vm_native_undefined *undefined);
    /* Puts it down. What is known of rows that were read is still there. */
    void (*put_undefined)(struct vm_vector *vector, const struct vm_native_steps *steps,
                          const struct vm_native_undefined *undefined);
    /* Are elements of `width` bytes, or bits of a mask (0), undefined wholly in all active lanes,
     * and born by one pattern? */
    _Bool (*is_whole)(const struct vm_vector *vector, u32 row, u32 width,
                      struct vm_origins *births);
    /* Makes them so. */
    void (*put_whole)(struct vm_vector *vector, u32 row, u32 width,
                      const struct vm_origins *births);
    /* Performs the store at `site`, which was noted. */
    void (*write)(struct vm_vector *vector, u32 site, const struct vm_native_span *span);
};

/* Runs the lanes of `pending`, always those of the lowest block that has any, as the main loop
 * does, until it comes to a terminator that is neither branch nor branch_if. Gives the index of
 * that, which the active lanes have reached; or VM_NATIVE_NO_SITE where no lanes are left, or
 * `operations`, to which the instructions executed were added, has passed the limit. */
typedef u32 vm_native_run(struct vm_native_call *call);
#define VM_NATIVE_NO_SITE 0xFFFFFFFFu

#endif
