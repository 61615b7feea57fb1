/* The inside of a SPIR-V module, for reference/vm/lower. Everything lives in the module's arena and
 * is immutable once parsed. Ids are below `bound`; what an id is says its `kind`, and nothing may
 * be assumed of an id before looking. Type nesting is at most SPV_DEPTH_MAX, so recursion over
 * types is bounded. */
#ifndef REFERENCE_SPIRV_MODULE_PRIVATE_H
#define REFERENCE_SPIRV_MODULE_PRIVATE_H

#include "reference/spirv/module.h"
#include "trace/base/arena.h"

#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/spirv.h>

enum { SPV_DEPTH_MAX = 255 };

struct spv_place {
    const char *file; /* never NULL */
    uint32_t line, column;
};

/* Operands are the words after result type and result id. */
struct spv_instruction {
    uint16_t op;
    uint16_t operand_count;
    uint32_t type, result; /* ids; 0 = none */
    const uint32_t *operands;
    uint32_t place; /* index into places; 0 = unknown */
    uint32_t word;  /* offset in the module, for messages */
};

enum spv_type_kind {
    SPV_TYPE_VOID,
    SPV_TYPE_BOOL,
    SPV_TYPE_INT,
    SPV_TYPE_FLOAT,
    SPV_TYPE_VECTOR,
    SPV_TYPE_ARRAY,
    SPV_TYPE_STRUCT,
    SPV_TYPE_POINTER,
    SPV_TYPE_FUNCTION,
    SPV_TYPE_IMAGE,  /* images, samplers, pipes and their storage, 8 bytes wherever they lie; an
                        image with its  sampler as one: two components.  `op` tells which */
    SPV_TYPE_OPAQUE, /* events, queues ...: `op` tells which */
};

struct spv_image_type {
    SpvDim dimensions;
    SpvAccessQualifier access; /* without one: read only */
    bool depth, arrayed, multisampled;
};

struct spv_type {
    enum spv_type_kind kind;
    uint32_t id, op;
    uint32_t width; /* bits of INT and FLOAT */
    const struct spv_type
        *element; /* of VECTOR, ARRAY, POINTER (may be NULL: opaque); result of FUNCTION */
    uint32_t element_id;
    uint64_t count;                  /* of VECTOR, ARRAY */
    SpvStorageClass storage;         /* of POINTER */
    struct spv_image_type image;     /* of OpTypeImage; of OpTypeSampledImage: its image; of
                                        OpTypePipe: the access alone */
    const struct spv_type **members; /* of STRUCT; parameters of FUNCTION */
    uint64_t *offsets;               /* of STRUCT */
    uint32_t member_count;
    uint64_t size, alignment; /* bytes; 0 for types that memory cannot hold */
    uint64_t components;      /* scalars in it; 0 for VOID, FUNCTION, OPAQUE; saturates */
    uint32_t depth;
};

enum spv_constant_kind {
    SPV_CONSTANT_SCALAR,    /* `bits`, or the address of `variable` plus `bits`; of a sampler bit 0
                               normalised, bits 1 to 3 the addressing mode, bit 4 the filter mode */
    SPV_CONSTANT_COMPOSITE, /* ids of the elements */
    SPV_CONSTANT_NULL,
    SPV_CONSTANT_UNDEFINED,
    SPV_CONSTANT_EXPRESSION, /* an OpSpecConstantOp that is not evaluated here: lowered as the
                                instruction that it names */
};

struct spv_constant {
    enum spv_constant_kind kind;
    const struct spv_type *type;
    const struct spv_instruction *instruction;
    uint64_t bits;
    uint32_t variable; /* id of a module-scope variable; 0 = none */
    const uint32_t *elements;
    uint32_t element_count;
};

/* A variable at module scope; or an OpConstantPipeStorage, whose value is the address of the pipe.
 */
struct spv_module_variable {
    uint32_t id;
    const struct spv_type *type; /* of what it holds */
    SpvStorageClass storage;
    int32_t index;   /* among spv_module_variable()'s; -1 = local memory or an input */
    int32_t builtin; /* SpvBuiltIn of an input; -1 = none */
    uint64_t alignment;
    const char *name;
    uint32_t initialiser;               /* id of a constant; 0 = none */
    uint32_t packet_size, packet_count; /* of a pipe; 0 = it is none */
};

/* The instructions after OpLabel, OpLine left out; the last is the only terminator. */
struct spv_block {
    uint32_t label;
    const struct spv_instruction *instructions;
    uint32_t count;
};

struct spv_function {
    uint32_t id;
    const struct spv_type *type;
    const char *name;
    const struct spv_instruction *parameters; /* OpFunctionParameter */
    uint32_t parameter_count;
    struct spv_block *blocks; /* none: an import */
    uint32_t block_count;
    uint32_t local_count; /* ids that the function defines: spv_id.index is below it */
    uint32_t place;
};

struct spv_decoration {
    uint32_t decoration;
    const uint32_t *operands;
    uint32_t operand_count;
    uint32_t group; /* id of a decoration group whose decorations apply; 0 = this is a decoration */
    const struct spv_decoration *next;
};

enum spv_id_kind {
    SPV_ID_NONE,
    SPV_ID_TYPE,
    SPV_ID_CONSTANT,
    SPV_ID_VARIABLE, /* at module scope */
    SPV_ID_FUNCTION,
    SPV_ID_LABEL, /* index: of the block */
    SPV_ID_VALUE, /* defined in a function: parameters and results */
    SPV_ID_STRING,
    SPV_ID_EXTENSION, /* an imported instruction set */
    SPV_ID_OTHER,
};

enum spv_extension { SPV_EXTENSION_OPENCL, SPV_EXTENSION_DEBUG };

struct spv_id {
    enum spv_id_kind kind;
    uint32_t index;   /* LABEL, VALUE: within the function; EXTENSION: enum spv_extension */
    const char *name; /* "" when there is none */
    const struct spv_decoration *decorations;
    const struct spv_type *type;         /* TYPE: itself; values: their type */
    const struct spv_function *function; /* FUNCTION: itself; LABEL, VALUE: the one it is in */
    const struct spv_constant *constant;
    const struct spv_module_variable *variable;
    const char *string;
};

struct spv_kernel {
    const char *name;
    const struct spv_function *function;
    uint64_t local_size[3], local_size_hint[3]; /* 0,0,0 = none */
    uint32_t sub_group_size, sub_group_count;   /* required; 0 = none */
    bool has_vector_type_hint;
    enum spv_phase phase;
    uint32_t vector_type_hint;       /* SPIR-V's encoding */
    const char *argument_types;      /* "float*,int,", or NULL */
    const char *argument_qualifiers; /* "const restrict,,", or NULL */
    /* Of a child: its first parameter points to so many bytes, which whoever enqueues it gives. */
    uint64_t literal_size, literal_alignment;
};

struct spv_module {
    struct arena arena;
    bool narrow;           /* Physical32: pointers in memory have 4 bytes */
    bool untyped_pointers; /* SPV_UNTYPED_POINTERS */
    const uint32_t *words;
    uint32_t word_count;
    uint32_t bound;
    struct spv_id *ids;
    struct spv_place *places; /* 0 is unknown */
    uint32_t place_count;
    struct spv_instruction *instructions;
    uint32_t instruction_count;
    struct spv_function *functions;
    uint32_t function_count;
    struct spv_kernel *kernels;
    uint32_t kernel_count;
    struct spv_kernel *children;
    uint32_t child_count;
    struct spv_module_variable **variables; /* all, in order */
    uint32_t variable_count;
    struct spv_variable *program_variables; /* those that spv_module_variable gives */
    uint32_t program_variable_count;
    SpvSourceLanguage language;
    uint32_t language_version; /* 102000 is OpenCL C 1.2 */
};

/* The decoration of an id, or NULL. */
const struct spv_decoration *spv_decoration_find(const struct spv_module *module, uint32_t id,
                                                 uint32_t decoration);
/* The number that an integer constant is; false: the id is none. */
bool spv_integer_find(const struct spv_module *module, uint32_t id, uint64_t *number);
/* A type, or NULL when the id is none. */
const struct spv_type *spv_type_find(const struct spv_module *module, uint32_t id);
/* The operand in which an instruction names the function of a child, or -1; a pointer to its bytes,
 * their size and alignment follow. */
int spv_child_operand(uint32_t op);
/* The child that runs the function, among module->children; NULL when there is none. */
const struct spv_kernel *spv_child_find(const struct spv_module *module, uint32_t function);
const struct spv_kernel *spv_kernel_find(const struct spv_module *module, const char *name);

/* Is the type a scalar: a number, a boolean, a pointer, an image, a sampler or a pipe? */
static inline bool spv_type_is_scalar(const struct spv_type *type)
{
    return type->kind == SPV_TYPE_BOOL || type->kind == SPV_TYPE_INT ||
           type->kind == SPV_TYPE_FLOAT || type->kind == SPV_TYPE_POINTER ||
           (type->kind == SPV_TYPE_IMAGE && type->components == 1);
}

#endif
