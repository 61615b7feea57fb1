/* Between SPIR-V and lane code: one entry point with its calls expanded, as blocks of instructions
 * over scalar values, each defined once (SSA). Vectors and structures are taken apart on the way
 * in: component order is the only thing they leave behind. Everything lives in the arena of `struct
 * lower`, for the time of one vm_lower_kernel.
 *
 *     lower_parameter  what the host gives to a kernel
 *     lower_translate  SPIR-V functions to blocks; calls
 *     lower_operand    operands and results of the instruction under way
 *     lower_value      types, constants and variables of the module
 *     lower_op         arithmetic
 *     lower_convert    conversions and bit casts
 *     lower_composite  vectors and structures taken apart and put together
 *     lower_remark     what depends on the device
 *     lower_assert     what the program says must hold
 *     lower_bits       bit fields, extended and dot products
 *     lower_parts      which components of vectors in memory accesses mean
 *     lower_memory     pointers, loads, stores
 *     lower_lifetime   where private variables begin and end
 *     lower_subscript  subscripts of arrays that are parts of objects
 *     lower_atomic     atomics, fences
 *     lower_group      barriers, and what work-items compute or copy together
 *     lower_reduction  reductions and scans of work-groups and sub-groups
 *     lower_sub_group  what the work-items of a sub-group tell each other
 *     lower_block      blocks that a sub-group reads or writes, and shuffles of two sources
 *     lower_generic    where a generic pointer leads
 *     lower_device     queues of the device itself, and their events
 *     lower_scope      scopes and memory semantics
 *     lower_order      computed scopes and memory orders
 *     lower_image      images and samplers
 *     lower_pipe       pipes and their reservations
 *     lower_builtin    the extended instruction set OpenCL.std
 *     lower_geometry   its lengths and directions
 *     lower_shape      loops and edges as the executor wants them
 *     lower_clean      what nobody needs, and which reads decide nothing
 *     lower_promote    variables in memory to values
 *     lower_home       where a debugger finds them then
 *     lower_indexed    components of vectors in memory by computed indices
 *     lower_owner      pointers that say whose a variable is
 *     lower_unlike     what devices unlike the usual one do besides
 *     lower_spin       loops in which lanes may wait for each other
 *     lower_uniform    which values depend on the lane
 *     lower_linear     which of them are affine in it
 *     lower_accesses   which pointer arguments are read and written through
 *     lower_form       values as multiples of the global id
 *     lower_must       which of their bytes are, for certain
 *     lower_affine     values as sums of ids, with arguments and sizes as factors
 *     lower_epochs     the barriers that may have been the last
 *     lower_halves     which accesses the rounds of a reduction keep apart
 *     lower_lone       the ids that items have to have somewhere
 *     lower_apart      memory in which no work-items can meet
 *     lower_returns    returns before the end of the kernel
 *     lower_select     the uniform or varying form of each instruction
 *     lower_slots      the slots that values lie in until they have rows
 *     lower_rows       rows of the frame; encoding
 *
 * Failure is sticky: the first one is kept in the error, makers of values return value 0
 * afterwards, which is harmless, and each stage looks at lower_failed when it is done. */
#ifndef REFERENCE_LOWER_LOWER_PRIVATE_H
#define REFERENCE_LOWER_LOWER_PRIVATE_H

#include "reference/lower/lower.h"
#include "reference/spirv/flow.h"
#include "reference/spirv/module_private.h"

enum ir_value_kind {
    IR_NONE,
    IR_CONSTANT,  /* bits */
    IR_UNDEFINED, /* nobody defined it; bits: ir_undefined's part, with a name */
    IR_PARAMETER, /* index: of the kernel's parameter, bits: component */
    IR_QUERY,     /* index: enum vm_query, bits: dimension */
    IR_VARIABLE,  /* address of variable `index` plus bits */
    IR_GLOBAL,    /* address of program-scope variable `index` (the module's) plus bits */
    IR_BUILTIN,   /* address of SpvBuiltIn `index` plus bits: only loads understand it */
    IR_RESULT,    /* of instruction `index` */
    IR_PHI,       /* phi `index` */
};

struct ir_value {
    uint8_t kind;
    uint8_t width; /* bytes; 0 = boolean */
    bool varying;
    bool affine;  /* varying, and an affine row (code.h) */
    bool in_rows; /* its varying row may lie between those of others, and is no affine one */
    uint32_t index;
    uint64_t bits;
    uint32_t block;   /* RESULT, PHI */
    uint32_t same;    /* the value that took its place; 0 = none */
    const char *name; /* of the variable that it was promoted from, or NULL */
};

/* `op` is the varying form. Operands are in struct lower's pool. */
struct ir_instruction {
    uint16_t op;
    uint8_t width, count;
    bool dead;
    bool maybe_private; /* memory: each lane may mean bytes of its own */
    bool for_index;     /* a load whose value is for a computed index alone: lower_indexed.c */
    uint32_t result, result_count;
    uint32_t operand, operand_count;
    uint32_t aux;  /* as the op's row says */
    uint64_t size; /* copy_memory, transfers of pipes: bytes; index_64: the signed immediate */
    uint32_t place;
    uint32_t block;
    /* It only shows a debugger that a variable has this value now: among struct lower's homes, from
     * 1; 0 = it is none of these; IR_HOME_NONE = it only marks a statement. The value is no
     * operand, so that nobody else minds it. */
    uint32_t home, kept;
};

/* A cell of a variable that became values (lower_promote.c), for a debugger. */
struct ir_home {
    uint32_t variable, offset, width;
    uint32_t slot; /* lower_select.c; 0 = nothing was kept there */
};

/* What an id of the module names, in the expansion that calls from the place `caller`. */
struct ir_debug_name {
    uint32_t id, caller, variable;
    bool global; /* `variable` is the module's: IR_GLOBAL */
};

struct ir_phi_operand {
    uint32_t pred, value;
};
struct ir_phi {
    uint32_t value, block;
    struct ir_phi_operand *operands;
    uint32_t operand_count, operand_capacity;
    uint32_t next; /* phi of the same block; 0 = none */
    bool dead;
};

#define IR_HOME_NONE UINT32_MAX

enum ir_exit {
    IR_EXIT_NONE,
    IR_EXIT_BRANCH,
    IR_EXIT_IF,
    IR_EXIT_RETURN,
    IR_EXIT_UNREACHABLE,
    IR_EXIT_BARRIER
};

struct ir_block {
    uint32_t *instructions;
    uint32_t count, capacity;
    uint32_t first_phi;
    enum ir_exit exit;
    uint32_t condition; /* IF */
    uint32_t targets[2];
    uint32_t barrier; /* BARRIER: index into barriers; goes on in targets[0] */
    uint32_t spin;    /* BRANCH: it goes round the loop spin - 1 that may wait; 0 = none */
    uint32_t place;
    bool returns_early; /* RETURN: it is not the end of the kernel's text */
    uint32_t label;     /* SPIR-V's label of the block that this is the end of; 0 = none */
};

struct ir_variable {
    enum vm_variable_region region;
    const char *name;
    uint64_t size, alignment;
    int32_t parameter;
    uint32_t place;
    uint64_t element_size; /* of a vector or an array of numbers; else 0 */
    bool promoted, used;
    bool watched;       /* a debugger wants to know its value */
    bool is_pipe;       /* the same of what compilers call a variable of the packets' type */
    bool is_piece;      /* an optimiser's piece of a variable: it has a lifetime, and no name */
    bool owned;         /* as vm_variable has it */
    bool ended;         /* its function has returned, and that is written down */
    struct apart apart; /* as vm_variable has it */
};

struct ir_barrier {
    struct vm_barrier barrier;
    uint32_t *counters; /* values */
    uint32_t counter_count;
};

/* Which components of a vector a load or store means: lower_parts.c. */
struct lower_part {
    bool some;      /* `components` alone, not all of them */
    bool indexed;   /* one, by a computed index; so far a load or store is of all. Of an
                       OpVectorExtractDynamic: the component of such a load */
    bool for_store; /* a load for a store by a computed index, of nothing that the program reads */
    uint16_t components, handed_on;
};

/* A component by a computed index, whole vectors so far: lower_indexed.c. */
struct ir_indexed {
    uint32_t instruction; /* the store, or the VM_OP_extract */
    bool floating;
};

struct lower {
    struct arena arena;
    const struct spv_module *module;
    const struct spv_kernel *kernel;
    struct vm_code *code;
    struct error *error;
    enum status status;
    struct vm_lower_options options;

    struct ir_value *values; /* 0 is not a value */
    uint32_t value_count, value_capacity;
    struct ir_instruction *instructions; /* 0 is none */
    uint32_t instruction_count, instruction_capacity;
    uint32_t *operands;
    uint32_t operand_count, operand_capacity;
    struct ir_phi *phis; /* 0 is none */
    uint32_t phi_count, phi_capacity;
    struct ir_block *blocks; /* 0 is the entry */
    uint32_t block_count, block_capacity;
    struct ir_variable *variables;
    uint32_t variable_count, variable_capacity;
    struct ir_barrier *barriers;
    uint32_t barrier_count, barrier_capacity;
    struct vm_atomic *atomics;
    uint32_t atomic_count, atomic_capacity;
    struct vm_reduction *reductions;
    uint32_t reduction_count, reduction_capacity;
    struct vm_print *prints; /* without their rows */
    uint32_t print_count, print_capacity;
    struct ir_indexed *indexed;
    uint32_t indexed_count, indexed_capacity;
    struct vm_device_call *device_calls; /* without their rows */
    uint32_t device_call_count, device_call_capacity;
    struct vm_subscript *subscripts;
    uint32_t subscript_count, subscript_capacity;
    struct vm_place *places;
    uint32_t place_count, place_capacity;
    struct ir_home *homes; /* for a debugger, as the next one */
    uint32_t home_count, home_capacity;
    struct ir_debug_name *debug_names;
    uint32_t debug_name_count, debug_name_capacity;
    struct ir_unique *uniques;    /* hash: one value for equal constants, addresses, queries */
    struct ir_ref *constant_refs; /* by id of a constant or variable; type NULL = not made yet */

    struct pending_phi *pending_phis; /* lower_translate.c */
    struct lower_part **parts; /* by function of the module and instruction; NULL = not looked at */

    struct flow flow;
    bool *loop_divergent; /* by loop: lanes may leave it in different iterations */
    uint32_t spin_count;  /* loops that may wait */
    bool apart; /* lanes may run a block in parts: no value is uniform, none shares its row */

    /* Where instructions go, and for what. */
    uint32_t block, place;
    struct lower_instance *instance;
    const struct spv_instruction *at;
    const char *function_name;
    const struct lower_choice *choice; /* lower_order.c: what operands count as; NULL = nothing */
    uint32_t choice_count;
    bool asks_sub_group;  /* for its size, or for an id */
    bool relaxed_atomics; /* OpenCL C before 2.0 */
    bool barrier_fences;  /* a barrier's fences reach farther than it does */
    uint32_t named_barrier_count;
    bool has_life_ends;     /* lower_lifetime.c has written some down */
    const char *asked_file; /* lower_subscript.c: the file that it last asked about, */
    bool asked_known;       /* and whether its text is known */
};

/* ---- failure ---- */

static inline bool lower_failed(const struct lower *lower)
{
    return lower->status != STATUS_OK;
}
/* Names the place and instruction under way. */
void lower_fail(struct lower *lower, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lower_no_memory(struct lower *lower);
/* "OpLoad", the instruction under way, and after it what is wrong: "of another type". */
void lower_malformed(struct lower *lower, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "a function pointer", and after it "is not supported". */
void lower_refuse(struct lower *lower, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- making (lower_ir.c) ---- */

/* Puts a copy of the item at the end of an array of the arena, which grows; `items` is where the
 * pointer to it is. Gives the item's index. */
uint32_t lower_append(struct lower *lower, void *items, uint32_t *count, uint32_t *capacity,
                      const void *item, size_t item_size);
void *lower_alloc(struct lower *lower, size_t count, size_t size);
/* In the arena of the code, which outlives the module. */
void *lower_code_alloc(struct lower *lower, size_t count, size_t size);
/* The first `size` bytes of the text; "" on failure. */
const char *lower_code_string(struct lower *lower, const char *text, size_t size);

uint32_t ir_constant(struct lower *lower, uint32_t width, uint64_t bits);
/* One value for equal kind, index and bits; width 8. */
uint32_t ir_address(struct lower *lower, enum ir_value_kind kind, uint32_t index, uint64_t bits);
uint32_t ir_leaf(struct lower *lower, enum ir_value_kind kind, uint32_t width, uint32_t index,
                 uint64_t bits);
/* `part`: of the variable `name`, as vm_row_name has it. */
uint32_t ir_undefined(struct lower *lower, uint32_t width, const char *name, uint64_t part);
/* What a compiler left undefined, and no program: lower_parts.c. */
uint32_t ir_nobodys(struct lower *lower, uint32_t width);
/* OpUndef of a scalar: where LLVM stores a structure member by member, it stores that between. */
uint32_t ir_gap(struct lower *lower, uint32_t width);
/* `count` values of `width` bytes, results of one instruction at the end of the current block. */
uint32_t ir_emit(struct lower *lower, enum vm_op op, uint32_t width, uint32_t count,
                 const uint32_t *operands, uint32_t operand_count);
/* Lane ops: the width of the result is the row's. Constants are folded where that is simple. */
uint32_t ir_op1(struct lower *lower, enum vm_op op, uint32_t a);
uint32_t ir_op2(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b);
uint32_t ir_op3(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b, uint32_t c);
/* Of floats of any width. */
uint32_t ir_fadd(struct lower *lower, uint32_t a, uint32_t b);
uint32_t ir_fsub(struct lower *lower, uint32_t a, uint32_t b);
uint32_t ir_fmul(struct lower *lower, uint32_t a, uint32_t b);
uint32_t ir_mask1(struct lower *lower, enum vm_op op, uint32_t a);
uint32_t ir_mask2(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b);
uint32_t ir_select(struct lower *lower, uint32_t condition, uint32_t a, uint32_t b);
/* address + index * size, index of 64 bits. */
uint32_t ir_index(struct lower *lower, uint32_t address, uint32_t index, uint64_t size);
uint32_t ir_offset(struct lower *lower, uint32_t address, uint64_t bytes);
/* Integer of another width. */
uint32_t ir_resize(struct lower *lower, uint32_t value, uint32_t width, bool is_signed);
/* A boolean as a byte of 0 or 1, as in memory and where rows are wanted, and back. */
uint32_t ir_as_byte(struct lower *lower, uint32_t boolean);
uint32_t ir_as_boolean(struct lower *lower, uint32_t byte);
uint32_t ir_phi(struct lower *lower, uint32_t block, uint32_t width);
void ir_phi_add(struct lower *lower, uint32_t phi_value, uint32_t pred, uint32_t value);
uint32_t ir_block_add(struct lower *lower);
void ir_exit_branch(struct lower *lower, uint32_t target);
void ir_exit_if(struct lower *lower, uint32_t condition, uint32_t target, uint32_t otherwise);
void ir_exit_unreachable(struct lower *lower);
/* Puts an instruction that there is after those of the block. */
void ir_append(struct lower *lower, uint32_t block, uint32_t instruction);
/* Gives the instruction new results, and returns the first of the old ones, which nothing defines
 * until ir_define does. */
uint32_t ir_renew_results(struct lower *lower, uint32_t instruction);
/* The last instruction made, of one result, gives `value` instead. */
void ir_define(struct lower *lower, uint32_t value);
uint32_t ir_target_count(const struct ir_block *block);
void lower_release_uniques(struct lower *lower);
/* Empties the block, which becomes the current one, and gives it as it was. */
struct ir_block ir_empty_block(struct lower *lower, uint32_t block);
/* The instructions that are not dead, in the order of the graph:
 *
 *     for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);)
 */
struct ir_walk {
    struct ir_instruction *instruction;
    uint32_t index, block; /* of the instruction, and where it is */
    uint32_t position, next;
};
bool ir_walk_next(const struct lower *lower, struct ir_walk *walk);
/* What a value stands for now. */
uint32_t ir_same(const struct lower *lower, uint32_t value);

/* The instruction made last; after a failure any. */
static inline struct ir_instruction *ir_last(const struct lower *lower)
{
    return &lower->instructions[lower->instruction_count - 1];
}

/* The op of a family for a width: ir_by_width(width, VM_OP_iadd_8, ...). */
#define IR_WIDTHS(name)                                                                            \
    {                                                                                              \
        VM_OP_##name##_8, VM_OP_##name##_16, VM_OP_##name##_32, VM_OP_##name##_64                  \
    }
static inline uint32_t ir_width_index(uint32_t width)
{
    return width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : 3;
}
#define IR_BY_WIDTH(name, width) ((const enum vm_op[])IR_WIDTHS(name)[ir_width_index(width)])
/* No float has one byte: an operand of that width fits none of the ops. */
#define IR_FLOATS(name)                                                                            \
    {                                                                                              \
        VM_OP_##name##_f16, VM_OP_##name##_f16, VM_OP_##name##_f32, VM_OP_##name##_f64             \
    }
#define IR_BY_FLOAT(name, width) ((const enum vm_op[])IR_FLOATS(name)[ir_width_index(width)])

/* ---- translation ---- */

/* The components of a SPIR-V value. */
struct ir_ref {
    const uint32_t *values;
    uint32_t count;
    const struct spv_type *type;
    const struct lower_step *step; /* of a pointer: the last step of its access chain; or NULL */
};

/* The operand `index` of the instruction under way. After a failure it has no components, 0 for the
 * value of each, and a type of nothing; other types that are asked for are of nothing then, too. */
struct ir_ref lower_operand(struct lower *lower, uint32_t index);
struct ir_ref lower_ref(struct lower *lower, uint32_t id);
/* A scalar operand; 0 on failure. */
uint32_t lower_scalar(struct lower *lower, uint32_t index);
/* The literal or id in operand `index`; 0 on failure. */
uint32_t lower_word(struct lower *lower, uint32_t index);
/* Operands that count as these constants while one alternative is translated. */
struct lower_choice {
    uint32_t number; /* of the instruction, from 1 */
    bool given[4];   /* by index of the operand */
    uint64_t bits[4];
};
/* The value of an operand that must be an integer constant. */
bool lower_constant_operand(struct lower *lower, uint32_t index, uint64_t *bits);
void lower_set_result(struct lower *lower, const uint32_t *values, uint32_t count);
/* The result is a pointer whose access chain ends with this step. */
void lower_set_step(struct lower *lower, const struct lower_step *step);
const struct spv_type *lower_result_type(struct lower *lower);
const struct spv_function *lower_function(const struct lower *lower); /* under way */
uint32_t lower_type_width(const struct spv_type *type); /* bytes of a scalar; 0 = boolean */
/* A vector's element, any other type itself. */
const struct spv_type *lower_scalar_type(const struct spv_type *type);
/* Of a float or double to half, by an SpvFPRoundingMode. */
uint32_t lower_to_half(struct lower *lower, uint32_t value, uint32_t mode);
/* The same type, or pointers both: what moves without a conversion. */
bool lower_same_shape(struct lower *lower, const struct spv_type *a, const struct spv_type *b);
/* Fails for types that no value of ours has. */
bool lower_component_count(struct lower *lower, const struct spv_type *type, uint32_t *count);
struct ir_ref lower_constant_ref(struct lower *lower, uint32_t id);
struct ir_ref lower_variable_ref(struct lower *lower, uint32_t id);
/* `count` operands from `first` on, each with as many components as the result. */
bool lower_gather(struct lower *lower, uint32_t first, uint32_t count, struct ir_ref *refs,
                  uint32_t *components);

/* The scalars and vectors that a type consists of, with their offsets in memory. */
struct ir_leaf {
    uint64_t offset;
    uint8_t width, count;
    bool boolean, floating, pointer;
};
struct ir_leaves {
    const struct ir_leaf *leaves;
    uint32_t count, capacity;
    const uint8_t *widths; /* of all components, one after the other */
    uint32_t components, component_capacity;
};
bool lower_leaves(struct lower *lower, const struct spv_type *type, struct ir_leaves *leaves);

void lower_find_parts(struct lower *lower, const struct spv_function *function);
/* Of the instruction under way, whose function has been looked at. */
struct lower_part lower_part_of(const struct lower *lower);
/* The instruction that was made last is whole so far, and means one component. */
void lower_add_indexed(struct lower *lower, bool floating);

void lower_translate(struct lower *lower);
/* How instructions of an opcode are translated. */
struct lower_row {
    uint16_t op;
    void (*translate)(struct lower *lower);
};
/* Each returns false when the instruction is none of its own. */
bool lower_translate_row(struct lower *lower, const struct lower_row *rows, size_t count);
bool lower_translate_op(struct lower *lower);
bool lower_translate_conversion(struct lower *lower);
bool lower_translate_composite(struct lower *lower);
bool lower_translate_bits(struct lower *lower);
bool lower_translate_memory(struct lower *lower);
bool lower_translate_atomic(struct lower *lower);
bool lower_translate_group(struct lower *lower);
bool lower_translate_reduction(struct lower *lower);
bool lower_translate_sub_group(struct lower *lower);
bool lower_translate_generic(struct lower *lower);
bool lower_translate_device(struct lower *lower);
/* An instruction with a computed scope or order: once for each that it may be. */
bool lower_translate_order(struct lower *lower);
/* A call of a function that the module imports and whose name we know. */
bool lower_translate_import(struct lower *lower, const char *name);
/* lower_assert.c: a call of a function of clerk.h. */
bool lower_translate_assertion(struct lower *lower, const char *name);
/* Likewise OpAssumeTrueKHR. */
void lower_translate_assumption(struct lower *lower);
/* lower_group.c: likewise, those of asynchronous copies and named barriers. */
bool lower_translate_group_import(struct lower *lower, const char *name);
bool lower_translate_image(struct lower *lower);
bool lower_translate_pipe(struct lower *lower);
bool lower_translate_block(struct lower *lower);
/* The kind of image of an OpTypeImage; fails for those that OpenCL has not. */
bool lower_image_type(struct lower *lower, const struct spv_type *type, enum vm_image_type *found);
void lower_translate_builtin(struct lower *lower);
/* ---- lower_remark.c: nothing where lower->options have no remarks ---- */
/* Lanes of the mask `lanes`, 0 = all of them. */
void lower_remark(struct lower *lower, enum observer_remark kind, uint32_t lanes);
/* The OpBitcast under way. */
void lower_remark_cast(struct lower *lower, const struct spv_type *from, const struct spv_type *to);
/* Elements, whose first number has `size` bytes, are copied between the pointers of these ids. */
void lower_remark_copy(struct lower *lower, uint32_t to, uint32_t from, uint64_t size);
/* ---- what these share about groups ---- */
/* The scope in operand 0: of the work-group or the sub-group. */
bool lower_group_scope(struct lower *lower, enum observer_scope *scope);
/* Stops the lanes until all have come, and defines the result of width `barrier->width` if there is
 * one. */
uint32_t lower_collective(struct lower *lower, const struct vm_barrier *barrier, bool has_result,
                          const uint32_t *arguments, uint32_t count);
/* Stops the lanes until their sub-group is complete. `id`, if not 0, must be the same for all, and
 * one of its work-items. */
void lower_meet(struct lower *lower, uint32_t id);
/* get_sub_group_local_id() and get_max_sub_group_size(), 64 bits. */
uint32_t lower_sub_group_id(struct lower *lower);
uint32_t lower_sub_group_max_size(struct lower *lower);
/* These are of the work-items that are there. */
uint32_t lower_sub_group_vote(struct lower *lower, uint32_t predicate, bool all);
/* The value that work-item `id` (64 bits) of the sub-group has. */
uint32_t lower_sub_group_shuffle(struct lower *lower, uint32_t value, uint32_t id);
/* That of each component is the result of the instruction. */
void lower_sub_group_move(struct lower *lower, struct ir_ref value, uint32_t id);
/* The words of get_sub_group_..._mask; false: the built-in is none. */
bool lower_sub_group_mask(struct lower *lower, uint32_t builtin, uint32_t words[4]);
/* The constant in an operand, if there is one; else as many as a sub-group can have. */
bool lower_cluster_size(struct lower *lower, uint32_t operand, uint32_t *size);

/* By the number in OpenCL.std. */
bool lower_translate_geometry(struct lower *lower, uint32_t number);
/* Loads and stores of whole values through an address. */
void lower_load(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                const struct spv_type *type, uint32_t *values);
void lower_store(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                 const struct spv_type *type, const uint32_t *values);
/* The same of a scalar or vector of numbers, aligned as is told. */
void lower_load_leaf(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                     const struct ir_leaf *leaf, uint64_t alignment, uint32_t *values);
void lower_store_leaf(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                      const struct ir_leaf *leaf, uint64_t alignment, const uint32_t *values);
/* A pointer of 32 bits, as in memory and as an integer: narrow_pack. */
uint32_t lower_pack(struct lower *lower, uint32_t pointer);
uint32_t lower_unpack(struct lower *lower, uint32_t address);
/* The pointer in operand `index`; 0 on failure. */
uint32_t lower_pointer_operand(struct lower *lower, uint32_t index, const struct spv_type **type);
/* Instructions from now on stand at this place of the module. */
void lower_set_place(struct lower *lower, uint32_t spv_place);
/* The same, and to a debugger they are of the statement before. */
void lower_set_inner_place(struct lower *lower, uint32_t spv_place);
/* ---- lower_lifetime.c ---- */
/* At the address of a variable of a function; nothing at others. */
void lower_life_begin(struct lower *lower, uint32_t address);
void lower_life_end(struct lower *lower, uint32_t address, bool returns);
/* A function returns, whose variables are those from `first` on; those that it called returned
 * before. */
void lower_life_end_from(struct lower *lower, uint32_t first);
/* The label that a branch from the end of the block `from` to `label` leads to when the lifetimes
 * that end on the way have; *last: the block of the module that it comes from there. */
uint32_t lower_leave_scopes(struct lower *lower, const struct spv_block *from, uint32_t label,
                            uint32_t *last);
/* Sets outside[v] of variables that may be accessed after their ends. */
void lower_find_outside(struct lower *lower, bool *outside);
/* What is left of beginnings and ends when variables have become values. */
void lower_lifetimes(struct lower *lower);
/* ---- lower_subscript.c: NULL where chains are not judged ---- */
/* Was the module made here, of a source whose text is known, at this place of it? */
bool lower_source_known(struct lower *lower, uint32_t spv_place);
/* The step of the chain under way into `type`, a structure, array or vector at `address`, by the
 * value `index`; `before` NULL = it is the first. */
const struct lower_step *lower_step_into(struct lower *lower, const struct lower_step *before,
                                         const struct spv_type *type, uint32_t index,
                                         uint32_t address);
/* The pointer `from` is cast. */
const struct lower_step *lower_step_cast(struct lower *lower, const struct ir_ref *from);
/* `size` bytes are about to be accessed through the pointer in the operand. */
void lower_test_subscripts(struct lower *lower, uint32_t operand, enum observer_access_kind access,
                           uint64_t size);
/* Component `index`, of `size` bytes, of a vector of `count` that is a value. False: what is wrong
 * with it is not told here. */
bool lower_test_component(struct lower *lower, uint32_t index, uint64_t count, uint64_t size,
                          enum observer_access_kind access);
/* Takes out the tests that cannot fail, or have been made before. */
void lower_subscripts(struct lower *lower);
/* SPIR-V's scopes and memory semantics in the words of the observer. */
bool lower_find_scope(struct lower *lower, uint64_t scope, enum observer_scope *found);
enum observer_order lower_order(uint64_t semantics);
uint32_t lower_fence_flags(uint64_t semantics);
/* Refuses a "scope" or "order" that the device need not have, and this one has not. */
void lower_refuse_least(struct lower *lower, const char *what);
uint32_t lower_new_variable(struct lower *lower, enum vm_variable_region region, const char *name,
                            uint64_t size, uint64_t alignment, int32_t parameter);
/* Has the function's parameter `id` the SpvFunctionParameterAttribute? */
bool lower_has_attribute(const struct lower *lower, uint32_t id, uint32_t attribute);
/* The address of a copy, that parameter `id` alone names, of what the pointer `from` leads to. */
uint32_t lower_own_copy(struct lower *lower, uint32_t id, const struct spv_type *pointer,
                        uint32_t from);
void lower_kernel_parameters(struct lower *lower, struct ir_ref *refs);

/* ---- lower_home.c: nothing where lower->options have no debug ---- */
/* The id is that of what `address` leads to, in the expansion called from the place `caller`. */
void lower_name_variable(struct lower *lower, uint32_t id, uint32_t caller, uint32_t address);
/* The home of a cell, from 1; 0 = nobody asks. */
uint32_t lower_find_home(struct lower *lower, uint32_t variable, uint32_t offset, uint32_t width);
/* The value goes into the home, at the end of the current block. Of a pointer it is none of its
 * uses. */
void lower_keep(struct lower *lower, uint32_t home, uint32_t value);
/* A statement begins at the place under way: an instruction that does nothing stands there, at the
 * end of the current block, since nothing else of it may be left. */
void lower_mark_statement(struct lower *lower);
/* Pointers that are kept, to variables that are in no memory, become VM_POINTER_TO_VALUE(). */
void lower_finish_homes(struct lower *lower);

/* ---- the stages after it ---- */

void lower_clean(struct lower *lower); /* marks dead instructions and phis */
bool lower_graph(struct lower *lower); /* lower->flow of the blocks as they are */
void lower_promote(struct lower *lower);
void lower_indexed(struct lower *lower);
void lower_owner(struct lower *lower);
void lower_unlike(struct lower *lower); /* as lower->options say */
void lower_shape(
    struct lower *lower); /* one latch a loop, edges with phis split, barrier counters */
void lower_uniform(struct lower *lower);
/* The end of it: by block, join says that its phis depend on the lane. */
void lower_linear(struct lower *lower, const bool *join);
/* May it be read as an affine row, being one or the same for all lanes? */
bool lower_is_linear(const struct lower *lower, uint32_t value);
/* Is the value used in `block` after a loop around its definition that lanes leave in different
 * iterations? */
void lower_split_edge(struct lower *lower, uint32_t from, uint32_t target); /* a block on it */
void lower_spins(struct lower *lower);
bool lower_left_divergent(const struct lower *lower, uint32_t value, uint32_t block);
void lower_accesses(struct lower *lower); /* vm_parameter.only_read, only_written */
void lower_inert(struct lower *lower);    /* vm_atomic.is_inert; lower_clean.c */
void lower_must(struct lower *lower);     /* vm_parameter.must_read, must_write */
void lower_apart(struct lower *lower);    /* vm_parameter.apart, vm_variable.apart */
void lower_returns(struct lower *lower);  /* ir_block.returns_early */
void lower_select(struct lower *lower);   /* lane code over slots: lower_slots.h */
/* Of lane code: vm_code.communicates, has_sub_group_functions. */
void lower_communication(struct lower *lower);

#endif
