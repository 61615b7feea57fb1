/* Lane code: what a kernel becomes before it runs. reference/vm/lower makes it, reference/vm/exec
 * runs it.
 *
 * A *lane vector* is 64 consecutive work-items of a group; each instruction is decoded once and
 * applied to all of them. Its operands are *rows* of the vector's frame, which is an array of
 * 64-byte *units*:
 *
 *     varying row of w-byte elements   w units: element i belongs to lane i
 *     uniform row                      1 unit: one value of up to 8 bytes, the same for all lanes
 *     mask row (a boolean)             1 unit: one uint64_t, bit i belongs to lane i; a uniform
 * boolean is a mask row too, holding 0 or ~0
 *     affine row of w-byte elements    a varying row, and in the unit before it (row - 1) a struct
 * vm_affine: base + step * (lane mod run) + jump * (lane div run), modulo 2^(8 w), for values that
 * come from ids, constants and uniform values
 *
 * Which operands are affine rows is said by the op, whose name then ends in _a (`subscript` says
 * it in its count); such an op computes
 * the terms and not 64 elements. Whether the terms hold is known when it runs only: where an active
 * lane wraps as it is widened, where ids follow no such pattern, or where a bit is undefined, the
 * op does what its varying form does, and says in the vm_affine of its result that the elements
 * alone count (VM_AFFINE_NO). Its readers then do likewise. An affine row whose terms hold is
 * defined. What lanes have that were not active when it was written, nobody reads: a lane that
 * reads a value has come by where it was made.
 * The `run` is the vector's (vm_vector.run_shift). An affine row is written by ops that write it
 * wholly. Ops that are not affine read the elements: where there are such, the op that writes the
 * row is told to write these too (VM_AFFINE_ROW in its aux), else they are written when an affine
 * op needs them after all.
 *
 * A row is named by the index of its first unit. A value of n components (a float4, a pointer
 * array) is n rows one after the other, so taking a component apart costs nothing. Beside the
 * units the frame holds one uint64_t per unit, the *undefined mask* of the row that starts there:
 * bit i set = lane i holds a bit that nobody defined (uniform rows: 0 or ~0). What is more to know
 * of such lanes, and what instructions make of them, is said in undefined_rows.h.
 *
 * Arithmetic writes all 64 elements whatever lanes are active: temporaries of a block die in it.
 * What must outlive its block, or is assigned on some paths only (variables, phis), is written by
 * the set ops, which touch active lanes only. Rows that an instruction writes either do not overlap
 * the rows that it reads, or are the very same rows with elements of the same width.
 *
 * A float result that is a NaN is the canonical quiet NaN (0x7FC00000, 0x7FF8000000000000), so that
 * bits do not depend on the host's processor or compiler; moves, loads and stores keep the bits
 * they are given.
 *
 * Functions are expanded at each call site: OpenCL kernels cannot recurse, the call chain of every
 * instruction is then known, and an instruction index (a *site*) names the place and the chain.
 *
 * Blocks are numbered so that running the lowest-numbered block that has waiting lanes reconverges
 * as early as possible: reverse post-order, every loop's blocks together before what follows the
 * loop. */
#ifndef REFERENCE_VM_CODE_H
#define REFERENCE_VM_CODE_H

#include "checkers/kernel/observer.h"
#include "checkers/probe/apart.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VM_LANES = 64, VM_UNIT_SIZE = 64 };

typedef uint32_t vm_row; /* index of a unit; row 0 is reserved and never an operand */

/* The ops are rows of reference/vm/ops.def: VM_OP_iadd_32 works on varying rows, VM_OP_iadd_32_u on
 * uniform rows, VM_OP_iadd_32_a on affine ones. */
enum vm_op {
#define VM_OP(name) VM_OP_##name,
#include "reference/vm/op_list.h"
#undef VM_OP
    VM_OP_COUNT
};

/* What dst, a, b, c mean is said by the op's row. `width` is bytes per component and `count`
 * components for memory ops and moves of several rows. */
struct vm_instruction {
    uint16_t op;
    uint8_t width;
    uint8_t count;
    uint32_t dst, a, b, c;
    uint32_t aux; /* index into vm_code.atomics, .barriers ... as the op says; or an immediate */
};

/* Does it say that a statement begins, and do nothing? */
static inline bool vm_is_mark(const struct vm_instruction *in)
{
    return in->op == VM_OP_set_mask && in->dst == in->a;
}

/* The width of a set's row, in units; 0: it is something else. */
static inline uint32_t vm_set_units(enum vm_op op)
{
    return op == VM_OP_set_8      ? 1
           : op == VM_OP_set_16   ? 2
           : op == VM_OP_set_32   ? 4
           : op == VM_OP_set_64   ? 8
           : op == VM_OP_set_mask ? 1
                                  : 0;
}

struct vm_block {
    uint32_t first, count; /* instructions; the last is the only terminator */
};

/* How an atomic or fence orders memory (its aux). */
struct vm_atomic {
    enum observer_order order, unequal_order;
    enum observer_scope scope;
    uint32_t flags; /* OBSERVER_FENCE_*, of fences */
    bool is_volatile;
    bool is_unused; /* of read-modify-writes: nobody needs what they find */
    bool is_inert;  /* it reads, and where a work-item goes, and what it finds in memory, would be
                       the same if it found an older value: in another schedule it may */
};

/* What work-items that meet at a barrier do there together. Arguments are varying rows. */
enum vm_collective {
    VM_COLLECTIVE_NONE,           /* nothing: a barrier */
    VM_COLLECTIVE_ALL,            /* a predicate (a mask row) to a mask row */
    VM_COLLECTIVE_ANY,            /* likewise */
    VM_COLLECTIVE_BROADCAST,      /* a value; the local id in 1 to 3 dimensions */
    VM_COLLECTIVE_REDUCE,         /* a value, combined from the lowest work-item to the highest */
    VM_COLLECTIVE_INCLUSIVE_SCAN, /* likewise, to each work-item's own */
    VM_COLLECTIVE_EXCLUSIVE_SCAN, /* likewise, without its own */
    VM_COLLECTIVE_COPY,           /* to, from, count, stride, event; gives an event */
    VM_COLLECTIVE_COPY_LINES,     /* as of async_work_group_copy_2D2D or _3D3D; gives an event */
    VM_COLLECTIVE_COPY_FENCE,     /* flags, as of barrier(), whatever their values */
    VM_COLLECTIVE_WAIT,           /* events */
    /* Sub-groups: what they compute is the business of the ops after it; an argument is the
     * number of a work-item of the sub-group, the same for all; or arguments are any, the same for
     * all, of pipes or of blocks. */
    VM_COLLECTIVE_MEET,
    VM_COLLECTIVE_AGREE,
    VM_COLLECTIVE_BLOCK,
    VM_COLLECTIVE_RESERVE, /* a pipe; how many packets: the ID of a reservation */
    VM_COLLECTIVE_COMMIT,  /* a pipe; the ID */
    VM_COLLECTIVE_NAMED,   /* a barrier for as many sub-groups as the low half of the argument says,
                              which stand at any with this argument */
};

/* Arguments of COPY_LINES, whether it has planes or not, and how many there are. */
enum {
    VM_COPY_TO,
    VM_COPY_TO_OFFSET,
    VM_COPY_FROM,
    VM_COPY_FROM_OFFSET,
    VM_COPY_BYTES,
    VM_COPY_ELEMENTS,
    VM_COPY_LINES,
    VM_COPY_ARGUMENTS_2D = 10,
    VM_COPY_ARGUMENTS_3D = 13
};

/* Named barriers of a kernel. */
enum { VM_NAMED_BARRIERS_MAX = 64 };

/* The subscript that the op of that name tests (its aux), of an access that comes after it. Its
 * `count` says what its rows are. */
struct vm_subscript {
    struct observer_array array;
    enum observer_access_kind access;
    uint32_t access_size; /* bytes */
    bool is_unsigned;     /* its row, where that has 4 bytes */
};
enum {
    VM_SUBSCRIPT_UNIFORM = 1,
    VM_SUBSCRIPT_UNIFORM_ADDRESS = 2,
    VM_SUBSCRIPT_OF_VALUE = 4, /* a component of a vector that is in no memory: no address */
    VM_SUBSCRIPT_AFFINE = 8,
    VM_SUBSCRIPT_AFFINE_ADDRESS = 16,
};

/* How the op sub_group_reduce combines (its aux). */
struct vm_reduction {
    enum vm_collective kind; /* REDUCE, SCAN */
    enum vm_op combine;      /* on two uniform rows */
    uint64_t identity;
    uint32_t cluster_size; /* lanes that are combined, a power of two; 64 = all */
};

/* A barrier or other operation that all work-items of a group (sub-group) execute together (its
 * aux). Lanes stop at it; when all have come, they go on in block `next`. The loop counters tell
 * one dynamic instance from the next: one 32-bit row for each enclosing loop that holds a barrier,
 * outermost first. They are uniform rows where lanes that have come wait for none of their vector:
 * nobody goes round meanwhile. */
struct vm_barrier {
    enum observer_scope execution, memory;
    uint32_t flags;
    enum observer_order order;
    uint32_t next;
    const vm_row *counters;
    uint32_t counter_count;
    bool counters_uniform;

    enum vm_collective collective;
    uint8_t width;           /* bytes of the result and of the first argument; 0 = a mask. The other
                                arguments have 8 */
    vm_row result;           /* varying; 0 = none */
    const vm_row *arguments; /* of the op `collective`, which starts block `next` */
    uint32_t argument_count;
    enum vm_op combine;    /* REDUCE, SCAN: an op on two uniform rows */
    uint64_t identity;     /* EXCLUSIVE_SCAN */
    uint32_t element_size; /* COPY: bytes */
    bool to_local;         /* COPY, COPY_LINES: from global memory; else the other way */
    bool waits_for_all;    /* WAIT: for all copies of the group, whatever their events */
    uint32_t alternative;  /* not 0: barriers with this number are one instruction, by what flags,
                              order and scope come to */
    bool writes;           /* RESERVE, COMMIT: at the end of the pipe that is written to */
};

/* A loop in which lanes may wait for others. What one iteration hands to the next are varying rows;
 * of each, rows[2 * i] is what it is now and rows[2 * i + 1] keeps what it was one iteration
 * before.
 */
struct vm_spin {
    const vm_row *rows;
    const uint8_t *widths; /* bytes; 0 = a mask */
    uint32_t row_count;
};

/* A printf (its aux). Argument i is `count` varying rows of `width` bytes; the rows of all
 * arguments stand in `rows`, one after the other. */
enum { VM_PRINT_ARGUMENTS_MAX = 64 };
struct vm_print_argument {
    uint8_t width, count;
};
struct vm_print {
    const char *format;
    const struct vm_print_argument *arguments;
    uint32_t argument_count;
    const vm_row *rows;
    uint32_t row_count;
};

/* What a work-item asks of the queues of the device itself, and of their events (the aux of
 * device_call). Arguments are varying rows of 8 bytes, in this order; what has a result gives 8
 * bytes too. A wait list is a number of events and a pointer to them. */
enum vm_device_function {
    VM_DEVICE_DEFAULT_QUEUE,    /* gives a queue, or 0 */
    VM_DEVICE_ENQUEUE,          /* queue, flags, NDRange, wait list, pointer to the event to make,
                                   pointer to the literal, sizes of local arguments; gives a status */
    VM_DEVICE_MARKER,           /* queue, wait list, pointer to the event to make; gives a status */
    VM_DEVICE_CREATE_EVENT,     /* gives an event, or ~0 */
    VM_DEVICE_RETAIN_EVENT,     /* event */
    VM_DEVICE_RELEASE_EVENT,    /* event */
    VM_DEVICE_IS_VALID_EVENT,   /* event; gives 0 or 1 */
    VM_DEVICE_SET_EVENT_STATUS, /* event, status */
    VM_DEVICE_CAPTURE_TIMES,    /* event, what, pointer to two 64-bit numbers */
    /* Of the child; each gives a number. */
    VM_DEVICE_WORK_GROUP_SIZE,
    VM_DEVICE_PREFERRED_MULTIPLE,
    VM_DEVICE_SUB_GROUP_COUNT,    /* NDRange */
    VM_DEVICE_SUB_GROUP_SIZE_MAX, /* NDRange */
    VM_DEVICE_SUB_GROUPS_MAX,
    VM_DEVICE_LOCAL_SIZE, /* number of sub-groups */
};
/* An NDRange as arguments: the number of dimensions, then three of each, as SPIR-V 1.6 has them in
 * what OpBuildNDRange gives. A local size of 0, 0, 0 is left to the device. */
enum {
    VM_NDRANGE_DIMENSIONS,
    VM_NDRANGE_OFFSET,
    VM_NDRANGE_GLOBAL = VM_NDRANGE_OFFSET + 3,
    VM_NDRANGE_LOCAL = VM_NDRANGE_GLOBAL + 3,
    VM_NDRANGE_COUNT = VM_NDRANGE_LOCAL + 3,
};
/* The arguments of VM_DEVICE_ENQUEUE. Those of a marker are the queue, wait list and event. */
enum {
    VM_ENQUEUE_QUEUE,
    VM_ENQUEUE_FLAGS,
    VM_ENQUEUE_NDRANGE,
    VM_ENQUEUE_EVENT_COUNT = VM_ENQUEUE_NDRANGE + VM_NDRANGE_COUNT,
    VM_ENQUEUE_EVENTS,
    VM_ENQUEUE_EVENT,
    VM_ENQUEUE_LITERAL,
    VM_ENQUEUE_LOCAL_SIZES,
};
struct vm_device_call {
    enum vm_device_function function;
    uint32_t child;        /* whom it is about: an index among the module's children */
    uint64_t literal_size; /* ENQUEUE: bytes that travel with the command */
    const vm_row *rows;
    uint32_t row_count;
};

/* ---- what the launch puts into the frame before a vector starts ---- */

/* Constants: `row` gets the low `width` bytes of `bits`, uniform or in every lane; width 0 is a
 * mask row. */
struct vm_constant {
    vm_row row;
    uint8_t width;
    bool uniform;
    bool affine; /* varying, and terms are wanted, too */
    uint64_t bits;
};

/* Work-item functions that the kernel reads. row[d] = 0 where dimension d is not read. All 64-bit
 * rows; varying: GLOBAL_ID, LOCAL_ID, GLOBAL_LINEAR_ID, LOCAL_LINEAR_ID, ITEM_OWNER,
 * SUB_GROUP_LOCAL_ID, SUB_GROUP_ID, SUB_GROUP_SIZE; the rest uniform. One-dimensional ones use
 * row[0]. */
enum vm_query {
    VM_QUERY_GLOBAL_ID,
    VM_QUERY_LOCAL_ID,
    VM_QUERY_GLOBAL_LINEAR_ID,
    VM_QUERY_LOCAL_LINEAR_ID,
    VM_QUERY_ITEM_OWNER, /* of the op own_64, for private variables */
    VM_QUERY_SUB_GROUP_LOCAL_ID,
    VM_QUERY_SUB_GROUP_ID,
    VM_QUERY_SUB_GROUP_SIZE,
    VM_QUERY_GROUP_OWNER, /* for local ones */
    VM_QUERY_GROUP_ID,
    VM_QUERY_GLOBAL_SIZE,
    VM_QUERY_LOCAL_SIZE, /* of this group, smaller at a non-uniform edge */
    VM_QUERY_ENQUEUED_LOCAL_SIZE,
    VM_QUERY_GROUP_COUNT,
    VM_QUERY_GLOBAL_OFFSET,
    VM_QUERY_WORK_DIM,
    VM_QUERY_SUB_GROUP_MAX_SIZE,
    VM_QUERY_SUB_GROUP_COUNT,
    VM_QUERY_ENQUEUED_SUB_GROUP_COUNT,
    VM_QUERY_COUNT
};

/* The kinds of images: OpenCL API 3.0, 5.3.1. */
enum vm_image_type {
    VM_IMAGE_1D,
    VM_IMAGE_1D_BUFFER,
    VM_IMAGE_1D_ARRAY,
    VM_IMAGE_2D,
    VM_IMAGE_2D_ARRAY,
    VM_IMAGE_3D,
};

/* A row as terms: the element of a lane is base + step * (lane mod run) + jump * (lane div run). Of
 * rows of less than 8 bytes the higher bits of the terms are 0. */
enum vm_affine_form {
    VM_AFFINE_TERMS, /* the elements are not written */
    VM_AFFINE_BOTH,  /* they are, too */
    VM_AFFINE_NO     /* the elements alone count */
};
struct vm_affine {
    uint64_t base, step, jump;
    uint64_t form; /* enum vm_affine_form */
};
/* The aux of ops that give affine rows: the elements are wanted, too. */
enum { VM_AFFINE_ROW = 1 };

/* The aux of load, store and copy_memory: log2 of the alignment that is promised, and bits; above
 * them how many bytes after what has that alignment the access begins: a component in its vector.
 */
enum {
    VM_ACCESS_ALIGNMENT = 0x3F,
    VM_ACCESS_VOLATILE = 256,
    VM_ACCESS_FLOATING = 512,  /* one floating-point number */
    VM_ACCESS_CONSTANT = 1024, /* by a pointer to constant memory */
    VM_ACCESS_PART_SHIFT = 16
};

/* aux of VM_OP_assertion: bits, and above them an index into VM_COMPARISONS, 0 = it compares
 * nothing. The sides are 64 bits: unsigned but for these bits. */
enum {
    VM_ASSERTION_ASSUMED = 1,  /* it is a clerk_assume */
    VM_ASSERTION_PROMISED = 2, /* it is an OpAssumeTrueKHR */
    VM_ASSERTION_SIGNED = 4,
    VM_ASSERTION_FLOATING = 8, /* doubles */
    VM_ASSERTION_COMPARISON = 16
};
#define VM_COMPARISONS "", "==", "!=", "<", "<=", ">", ">="

/* The aux of undefine. */
enum {
    VM_UNDEFINE_UNIFORM = 1,
    VM_UNDEFINE_NOBODYS = 2, /* no program means it: to store it is no use of it */
    VM_UNDEFINE_GAP = 4      /* an OpUndef: stored as it is, it fills a gap of a structure */
};

/* The aux of image_read, image_sample and image_write: bits 0 and 1 the number of coordinates, bit
 * 2 set when they are floats, bit 3 when the image is read_write, and a bit for each enum
 * vm_image_class that the built-in is for. After the coordinates there may be a level of detail, a
 * float of image_sample and else an integer, or the gradients along x and then along y, each of as
 * many rows. */
enum {
    VM_IMAGE_COORDINATES = 3,
    VM_IMAGE_FLOATING = 4,
    VM_IMAGE_READ_WRITE = 8,
    VM_IMAGE_CLASS_SHIFT = 4,
    VM_IMAGE_CLASSES = 7,
    VM_IMAGE_LEVEL = 128,
    VM_IMAGE_GRADIENT_SHIFT = 8,
    VM_IMAGE_GRADIENTS = 3 << VM_IMAGE_GRADIENT_SHIFT
};
static inline uint32_t vm_image_gradients(uint32_t aux)
{
    return (aux & VM_IMAGE_GRADIENTS) >> VM_IMAGE_GRADIENT_SHIFT;
}
/* How many rows say where. */
static inline uint32_t vm_image_places(uint32_t aux)
{
    return (aux & VM_IMAGE_COORDINATES) + ((aux & VM_IMAGE_LEVEL) != 0) +
           2 * vm_image_gradients(aux);
}
/* The aux of sub_group_block, image_block_read and image_block_write. */
enum {
    VM_BLOCK_WRITES = 1,
    VM_BLOCK_IMAGE = 2,
    VM_BLOCK_READ_WRITE = 4 /* the image is */
};
/* What image_query asks for. */
enum vm_image_query {
    VM_IMAGE_QUERY_WIDTH,
    VM_IMAGE_QUERY_HEIGHT,
    VM_IMAGE_QUERY_DEPTH,
    VM_IMAGE_QUERY_LAYERS,
    VM_IMAGE_QUERY_CHANNEL, /* SpvImageChannelDataType */
    VM_IMAGE_QUERY_ORDER,   /* SpvImageChannelOrder */
    VM_IMAGE_QUERY_LEVELS,  /* at least 1 */
    VM_IMAGE_QUERY_COUNT
};

/* The aux of pipe_reserve and pipe_commit, and of pipe_query. */
enum { VM_PIPE_WRITES = 1, VM_PIPE_BY_SUB_GROUP = 2, VM_PIPE_CAPACITY = 1 };

struct debug_info;
struct spv_type;
struct vm_native_source;

enum vm_parameter_kind {
    VM_PARAMETER_VALUE,  /* scalar or vector: `count` uniform rows of `width` bytes */
    VM_PARAMETER_GLOBAL, /* pointers: one uniform 8-byte row */
    VM_PARAMETER_CONSTANT,
    VM_PARAMETER_LOCAL,
    VM_PARAMETER_STRUCT,  /* by value: a private variable that starts with these bytes; its pointer
                             in row */
    VM_PARAMETER_IMAGE,   /* one uniform 8-byte row: a pointer to the object that is the image */
    VM_PARAMETER_SAMPLER, /* one uniform 8-byte row: vm_sampler_make */
    VM_PARAMETER_PIPE,    /* one uniform 8-byte row: a pointer to the object that is the pipe */
    VM_PARAMETER_QUEUE,   /* one uniform 8-byte row: what names a queue of the device */
};

/* Bytes that a kernel is certain to access through a pointer argument: each work-item whose global
 * id i of dimension 0 is below the limit accesses `size` bytes, from byte first + size * i of the
 * argument on. That holds for i below 2^index_bits. */
struct vm_must {
    uint32_t size; /* 0 = nothing is certain */
    int64_t first;
    int32_t limit_argument; /* the integer argument that is the limit; -1 = none */
    uint64_t limit;         /* without such an argument; UINT64_MAX = none */
    bool limit_signed; /* the argument's bytes are a signed number, and a negative one lets nothing
                          be certain */
    uint8_t index_bits;
    bool is_atomic; /* the accesses are those of atomic operations */
};

struct vm_parameter {
    enum vm_parameter_kind kind;
    const char *name; /* "" when the module has none */
    const char
        *type_name; /* as clGetKernelArgInfo gives it: "float4*"; "" when the module has none */
    const char *plain_type_name; /* CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK */
    uint64_t size; /* bytes that clSetKernelArg expects; 0 for LOCAL (any non-zero size goes) */
    uint8_t width, count;
    vm_row row;
    bool is_const, is_restrict, is_volatile;
    bool read_only, write_only;  /* images, pipes: access qualifier */
    enum vm_image_type image;    /* images */
    bool depth;                  /* images: of a depth type */
    uint64_t size_max;           /* GLOBAL, CONSTANT, LOCAL: MaxByteOffset; 0 = none */
    const struct spv_type *type; /* of a pointer what it points to, of a STRUCT its own; NULL =
                                    opaque. Lives as long as the module */
    /* GLOBAL, CONSTANT: nothing is written, or read, through it, as far as lowering sees. */
    bool only_read, only_written;
    /* GLOBAL, CONSTANT: what comes from the pointer may be put into memory: by the first store at
     * stored_place, among places. */
    bool is_stored, is_stored_again;
    uint32_t stored_place;
    struct vm_must must_read, must_write; /* the widest; rather not atomic */
    struct apart apart;                   /* GLOBAL, CONSTANT, LOCAL: if that was asked for */
};

enum vm_variable_region { VM_VARIABLE_LOCAL, VM_VARIABLE_PRIVATE };

/* A variable in memory: the launch makes an object and puts a pointer to it into the uniform row.
 */
struct vm_variable {
    enum vm_variable_region region;
    const char *name;
    uint64_t size, alignment;
    vm_row row;
    uint64_t private_offset; /* PRIVATE: where in each lane's arena */
    bool owned;              /* PRIVATE: pointers to it may be owned */
    int32_t parameter;  /* STRUCT parameter whose bytes it starts with; -1 = starts undefined */
    struct apart apart; /* LOCAL: if that was asked for */
};

/* A program-scope variable that the kernel reaches: its pointer goes into the uniform row. `index`
 * is into spv_module's variables, one object per program and device. */
struct vm_global {
    uint32_t index;
    vm_row row;
};

/* One entry point, functions expanded. Immutable once made; owned by `arena`. */
struct vm_code {
    struct arena arena;
    const char *name;
    struct vm_instruction *instructions;
    uint32_t instruction_count;
    struct vm_block *blocks; /* block 0 is the entry */
    uint32_t block_count;
    uint32_t frame_units; /* units of a vector's frame */
    struct vm_constant *constants;
    uint32_t constant_count;
    vm_row query_rows[VM_QUERY_COUNT][3];
    /* Of varying ones that are ids. */
    enum vm_query_form {
        VM_QUERY_ROW,   /* it is a varying row */
        VM_QUERY_TERMS, /* an affine row; the elements are wanted only where the terms do not hold
                         */
        VM_QUERY_BOTH   /* an affine row; the elements are wanted, too */
    } query_forms[VM_QUERY_COUNT][3];
    struct vm_parameter *parameters;
    uint32_t parameter_count;
    struct vm_variable *variables;
    uint32_t variable_count;
    struct vm_global *globals;
    uint32_t global_count;
    bool big_endian;       /* made for memory with the highest byte of a number first */
    uint64_t private_size; /* bytes of each lane's arena */
    uint64_t local_size;   /* bytes of the local variables, arguments apart */
    struct vm_atomic *atomics;
    uint32_t atomic_count;
    struct vm_barrier *barriers;
    uint32_t barrier_count;
    struct vm_spin *spins;
    uint32_t spin_count;
    struct vm_print *prints;
    uint32_t print_count;
    struct vm_reduction *reductions;
    uint32_t reduction_count;
    struct vm_device_call *device_calls;
    uint32_t device_call_count;
    struct vm_subscript *subscripts;
    uint32_t subscript_count;
    uint32_t required_sub_group_size;  /* intel_reqd_sub_group_size; 0 = none */
    uint32_t required_sub_group_count; /* SubgroupsPerWorkgroup; 0 = none */
    uint64_t required_local_size[3];   /* reqd_work_group_size; 0,0,0 = none */
    uint64_t hint_local_size[3];
    const char *attributes;    /* as CL_KERNEL_ATTRIBUTES gives them */
    uint32_t opencl_c_version; /* 120, 300; 0 = another language */
    bool has_life_ends;        /* it has the op life_end */
    bool owns_locals;          /* pointers to local memory may be owned */
    bool uses_acquire, waits;  /* as observer_launch says */
    /* Work-items may learn from each other which of them came first, without a race: what it does,
     * and whether it races, may depend on the schedule. */
    bool communicates;
    bool has_inert_reads;         /* that order something: vm_atomic.is_inert */
    bool has_narrow_fences;       /* seq_cst, of a scope narrower than the device's */
    bool has_sub_group_functions; /* which lanes of a sub-group execute together */
    bool apart; /* lanes may come to a block one after the other: it has spins, or loops that are
                   entered in several places */

    /* Debugging: for every instruction an index into places (0 = nothing known). A place names its
     * line and the place of the call that its function was expanded at (0 = the kernel itself). */
    struct vm_place {
        const char *function, *file;
        uint32_t line, column;
        uint32_t caller;
        uint32_t context; /* for a debugger: among those of debug_info */
    } * places;
    uint32_t place_count;
    uint32_t *instruction_places;
    /* For undefined values: the name of the variable that a row holds, NULL for temporaries. Sorted
     * by row. */
    struct vm_row_name {
        vm_row row;
        const char *name;
        uint64_t part; /* as observer_undefined.origin_part */
    } * row_names;
    uint32_t row_name_count;
    /* For a debugger (vm_lower_options.debug): where variables of the program are, by ids of the
     * module, each in every expansion of its function. */
    const struct debug_info *debug_info; /* NULL = nobody asked; lives as long as the module */
    struct vm_debug_variable {
        uint32_t id;       /* of an OpVariable or OpFunctionParameter */
        uint32_t caller;   /* as vm_place.caller of the instructions that see it; the same for all
                              of a variable of the module */
        uint32_t variable; /* among variables: it lies in memory; UINT32_MAX = it does not */
        uint32_t number;   /* by which pointers to it know it (VM_POINTER_TO_VALUE); UINT32_MAX =
                              there are none */
        uint64_t size;
        /* Not in memory: its *home rows*, varying, with what its bytes would be at each
         * instruction; others were never written. One of width 0: a uniform pointer to it, of the
         * program. */
        struct vm_home {
            uint32_t offset;
            uint8_t width;
            vm_row row;
        } * homes; /* by offset */
        uint32_t home_count;
        bool lost;       /* nothing is known of it */
        bool is_pipe;    /* whatever its type is said to be */
    } * debug_variables; /* by id, then by caller */
    uint32_t debug_variable_count;
    /* Gives the text of a line of a source file, or NULL; set by who owns the program. */
    const char *(*source_line)(const void *program, const char *file, uint32_t line);
    const void *program;
    /* Where there may be native code; NULL = nowhere. Set by who owns the program; it
     * ends with the code. */
    struct vm_native_source *native;
    /* What the scheduler knows from launches before; NULL = it is not remembered. */
    struct vm_launches {
        uint32_t alone;      /* so many to come run alone, as one on trial has failed */
        uint64_t group_cost; /* of the last that was divided: interpreted instructions that take as
                              * long as a group; 0 = there was none */
    } * launches;
};

/* `code` is a const struct vm_code; fits observer_launch.describe. */
void vm_code_describe(const void *code, uint32_t site, struct observer_place *place);
const char *vm_op_name(enum vm_op op);
/* Marks the units of home rows, of frame_units. */
void vm_code_find_homes(const struct vm_code *code, bool *units);

/* What the passes and checks ask of an op, by its row in ops.def; lane ops on varying rows compute,
 * and have a twin. */
enum vm_op_trait {
    VM_ENDS_BLOCK = 1,
    VM_BARRIER = 1 << 1,    /* aux is an index into barriers */
    VM_SIZED = 1 << 2,      /* width and count mean something */
    VM_MEMORY = 1 << 3,     /* reads or writes memory */
    VM_ATOMIC = 1 << 4,     /* one atomic object, at a */
    VM_ORDERED = 1 << 5,    /* aux is an index into atomics */
    VM_EFFECT = 1 << 6,     /* is done even when nobody needs its result: memory is checked */
    VM_ONLY_READS = 1 << 7, /* writes nothing through the addresses among its operands */
    VM_UNEXPLORED = 1 << 8, /* kernels with it are not explored */
    VM_IMAGE = 1 << 9,      /* what it works on */
    VM_PIPE = 1 << 10,
    VM_SUB_GROUP = 1 << 11,
    VM_QUEUE = 1 << 12,           /* of the device itself */
    VM_COMPUTES = 1 << 13,        /* gives what each lane's operands alone make */
    VM_UNIFORM = 1 << 14,         /* what it gives is the same for all lanes if its operands are */
    VM_TWIN = 1 << 15,            /* the next op is the same on uniform rows */
    VM_PARTLY = 1 << 16,          /* writes active lanes only */
    VM_ONLY_WRITES = 1 << 17,     /* reads nothing through its first operand */
    VM_TOUCHES_NOTHING = 1 << 18, /* does nothing through its operands */
    VM_AFFINE = 1 << 19, /* the op after it, and after its twin, is the same on affine rows */
};
/* The traits of the op, as a set. */
uint32_t vm_op_traits(enum vm_op op);
/* Do updates by the op leave the same in memory in any order? */
bool vm_op_commutes(enum vm_op op);

/* The structure itself lies in its arena. NULL does nothing. */
void vm_code_destroy(struct vm_code *code);

#endif
