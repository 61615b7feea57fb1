/* The debug information of a SPIR-V module: which variables a program has, of which types, where
 * they are, and which of them an instruction sees. Read are the instructions of
 * OpenCL.DebugInfo.100 (clang -g, llvm-spirv) and of NonSemantic.Shader.DebugInfo.100 (other
 * compilers), which have the same meaning here.
 *
 * Modules with them are rarely valid: members name their struct before it is defined, types of
 * images have a storage class that there is not. So the words are read as they come, before the
 * debugging instructions are taken out and without a validator, and none is believed: what is not
 * understood is a type DEBUG_TYPE_UNKNOWN, a variable without a location, a scope that is none. It
 * is never an error.
 *
 * Instructions are named by their place in the module that debug_info_strip leaves, in words from
 * its start: spv_instruction.word of that module. Ids are the same in both.
 *
 * Everything is immutable, lives as long as the information, and may be read by several threads.
 * Strings are as the module has them (any bytes), never NULL but where it says so.
 *
 * From a home row to what is shown: debug_info_of_id gives the variables that an OpVariable holds,
 * their types say at which byte of it a member, component or element lies. For the variables that a
 * place sees: the lowering keeps debug_info_context of each instruction beside its line;
 * debug_site_variables takes both. */
#ifndef REFERENCE_SPIRV_DEBUG_INFO_H
#define REFERENCE_SPIRV_DEBUG_INFO_H

#include "reference/spirv/walker.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sources ---- */

struct debug_source {
    const char *file; /* as OpLine names it */
    const char *text; /* NULL = the module does not have it */
};

/* ---- types ---- */

enum debug_type_kind {
    DEBUG_TYPE_UNKNOWN,
    DEBUG_TYPE_VOID,
    DEBUG_TYPE_BASIC,
    DEBUG_TYPE_OPAQUE,    /* an image, a sampler, an event, a queue ...: its name says which */
    DEBUG_TYPE_POINTER,   /* and reference */
    DEBUG_TYPE_VECTOR,    /* `count` components; three have the size of four */
    DEBUG_TYPE_ARRAY,     /* one dimension: int[2][4] is two of int[4] */
    DEBUG_TYPE_TYPEDEF,   /* another name of its base */
    DEBUG_TYPE_QUALIFIER, /* its base, const or the like */
    DEBUG_TYPE_STRUCT,
    DEBUG_TYPE_UNION,
    DEBUG_TYPE_CLASS,
    DEBUG_TYPE_ENUM,
    DEBUG_TYPE_FUNCTION,
};

/* The numbers are those of the instruction sets. */
enum debug_encoding {
    DEBUG_ENCODING_UNKNOWN,
    DEBUG_ENCODING_ADDRESS,
    DEBUG_ENCODING_BOOLEAN,
    DEBUG_ENCODING_FLOAT,
    DEBUG_ENCODING_SIGNED,
    DEBUG_ENCODING_SIGNED_CHAR,
    DEBUG_ENCODING_UNSIGNED,
    DEBUG_ENCODING_UNSIGNED_CHAR,
};

enum debug_qualifier {
    DEBUG_QUALIFIER_CONST,
    DEBUG_QUALIFIER_VOLATILE,
    DEBUG_QUALIFIER_RESTRICT,
    DEBUG_QUALIFIER_ATOMIC,
};

enum {
    /* No type lies deeper in others, by its base or as a member, and no chain of types that have no
     * members is longer: recursion over types ends, but a type may be met there very often, so
     * whoever prints one counts what is printed. */
    DEBUG_DEPTH_MAX = 255,
    /* A pointer of which the module does not say where it leads. */
    DEBUG_STORAGE_NONE = INT32_MAX,
};

struct debug_member {
    const char *name;              /* "": without one; its members count as the struct's */
    const struct debug_type *type; /* lies within the struct with all its size */
    uint64_t bit_offset, bit_size; /* from the struct's start; of a bit-field: its own bits */
    bool bit_field;                /* reads and writes some bits of its type alone */
    bool base;                     /* a base class */
};

struct debug_enumerator {
    const char *name;
    uint64_t value; /* extended to 64 bits, with the sign where the enum's numbers have one */
};

struct debug_type {
    enum debug_type_kind kind;
    uint32_t index;   /* among debug_info.types */
    const char *name; /* "": without one */
    uint64_t size;    /* bytes in memory; 0 = not known, or none (void, functions, declarations) */
    const struct debug_type *base; /* of POINTER: what it leads to; VECTOR and ARRAY: an element;
                                      TYPEDEF, QUALIFIER; ENUM: its numbers; FUNCTION: the result.
                                      Never NULL; unknown for all others */
    uint64_t count;                /* of VECTOR and ARRAY; 0 = not known, as of `extern int a[]` */
    uint32_t bits;                 /* of BASIC */
    enum debug_encoding encoding;  /* of BASIC */
    enum debug_qualifier qualifier;
    uint32_t storage; /* of POINTER: an SpvStorageClass (4 local, 5 global, 7 private, 8 generic,
                         0 constant), or DEBUG_STORAGE_NONE */
    bool reference;   /* of POINTER: used without a `*` */
    bool declaration; /* of STRUCT, UNION, CLASS: its members are not known */
    const struct debug_member
        *members; /* of STRUCT, UNION, CLASS: what an object holds, in order */
    uint32_t member_count;
    const struct debug_enumerator *enumerators;
    uint32_t enumerator_count;
    const struct debug_type *const *parameters; /* of FUNCTION */
    uint32_t parameter_count;
};

/* The type without typedefs and qualifiers. */
const struct debug_type *debug_type_plain(const struct debug_type *type);

/* The member of that name of a struct, union or class, also through typedefs and qualifiers, also
 * of its members without a name and base classes. *bit_offset is from the start of `type`. NULL
 * where there is none. */
const struct debug_member *debug_type_find_member(const struct debug_type *type, const char *name,
                                                  uint64_t *bit_offset);

/* ---- scopes ---- */

enum debug_scope_kind {
    DEBUG_SCOPE_UNIT,
    DEBUG_SCOPE_NAMESPACE,
    DEBUG_SCOPE_FUNCTION,
    DEBUG_SCOPE_BLOCK,
};

struct debug_variable;

struct debug_scope {
    enum debug_scope_kind kind;
    uint32_t index;                    /* among debug_info.scopes */
    const char *name, *linkage_name;   /* of FUNCTION: "get", "_ZN7counter3getEv" or "" */
    const struct debug_source *source; /* NULL = not known */
    uint32_t line, column;             /* 0 = not known */
    uint32_t last_line;                /* of FUNCTION: of its instructions; 0 = it has none */
    const struct debug_scope *parent;  /* the next one outside; NULL = none, of UNIT */
    uint32_t function;             /* of FUNCTION: id of the OpFunction; 0 = not in this module. Not
                                      that of an entry point which llvm-spirv puts before it */
    const struct debug_type *type; /* of FUNCTION */
    const struct debug_variable *variables; /* declared here, in order */
    uint32_t variable_count;
};

/* A call that the compiler has expanded. */
struct debug_inlining {
    const struct debug_scope *scope; /* of the call, never NULL */
    uint32_t line;
    const struct debug_inlining *outer; /* expanded itself; NULL = it is where its function is */
};

/* What an instruction is in: a scope, and where the compiler has expanded that. Contexts are equal
 * where their indices are. What clang puts before a function's first statement, as stores of its
 * parameters, is in none, though the OpLine of one parameter holds until the next. */
struct debug_context {
    const struct debug_scope *scope;       /* NULL in the first context alone */
    const struct debug_inlining *inlining; /* NULL = not expanded */
};

/* ---- variables ---- */

enum debug_step_kind {
    DEBUG_STEP_PLUS,        /* adds `bytes` to the address */
    DEBUG_STEP_DEREFERENCE, /* goes to the address that is stored there */
};

struct debug_step {
    enum debug_step_kind kind;
    int64_t bytes;
};

/* Where a variable is, or a part of it. */
struct debug_location {
    uint32_t variable; /* its index */
    /* An id of the module: of a pointer to the variable, which holds in all of its function; or,
     * where `value`, of what the variable has from `word` on, until that is told anew. */
    uint32_t id;
    bool value;
    uint32_t word;                  /* the instruction that the telling stands before; 0 = none */
    const struct debug_step *steps; /* from that address, or from that value as an address */
    uint32_t step_count;
    const struct debug_inlining *inlining; /* holds in this expansion alone */
    bool fragment;                         /* only these bits of the variable */
    uint64_t fragment_offset, fragment_size;
};

struct debug_variable {
    const char *name;
    uint32_t index;                         /* among debug_info.variables */
    const char *linkage_name;               /* of variables that `global` */
    const struct debug_type *type;          /* never NULL */
    const struct debug_scope *scope;        /* NULL = not known */
    const struct debug_source *source;      /* NULL = not known */
    uint32_t line, column;                  /* 0 = not known */
    uint32_t argument;                      /* of the function, from 1; 0 = none */
    bool global;                            /* of the program, or local memory of a kernel */
    bool artificial;                        /* of the compiler's: `this`, a block's captures */
    const struct debug_location *locations; /* in the order of the module */
    uint32_t location_count;                /* 0 = optimised out, or not understood */
};

/* ---- all of it ---- */

/* From `word` on the instructions are in this context. */
struct debug_range {
    uint32_t word, context;
};

/* A scope by the id of its OpFunction. */
struct debug_function {
    uint32_t id;
    const struct debug_scope *scope;
};

struct debug_info {
    const struct debug_type *const *types;
    const struct debug_scope *scopes;
    const struct debug_variable *variables; /* by scope */
    const struct debug_context *contexts;   /* 0: none */
    const struct debug_source *sources;
    uint32_t type_count, scope_count, variable_count, context_count, source_count;
    /* For the queries below. */
    const struct debug_range *ranges;          /* by word */
    const struct debug_function *functions;    /* by id */
    const struct debug_location *const *by_id; /* by id, then by variable */
    uint32_t range_count, function_count, by_id_count;
    struct arena arena;
};

/* Reads it from a module with its debugging instructions, of either byte order, whose bytes need
 * not be aligned. What is no module, or has none, gives one that is empty. STATUS_NO_MEMORY is the
 * only failure. */
enum status debug_info_read(const void *bytes, size_t size, struct debug_info **info,
                            struct error *error);
void debug_info_destroy(struct debug_info *info); /* NULL is fine */

/* ---- questions ---- */

/* The context, among info->contexts, of the instruction at this word of the stripped module. */
uint32_t debug_info_context(const struct debug_info *info, uint32_t word);

/* The scope of the OpFunction with this id, or NULL. */
const struct debug_scope *debug_info_function(const struct debug_info *info, uint32_t id);

/* The locations with this id: those of an OpVariable say what it holds. NULL and 0 where there are
 * none. */
const struct debug_location *const *debug_info_of_id(const struct debug_info *info, uint32_t id,
                                                     uint32_t *count);

/* The pointer to a whole variable in that expansion of its function, which a DebugDeclare or a
 * variable of the program gives. NULL where there is none: see its locations for values and parts.
 */
const struct debug_location *debug_variable_declared(const struct debug_variable *variable,
                                                     const struct debug_inlining *inlining);

/* Where somebody looks around. */
struct debug_site {
    const struct debug_context *context;
    const char *file; /* of the place, with its line and column; line 0 = all that is declared */
    uint32_t line, column;
};

/* The variables that a name could mean at the site, from the innermost scope outwards, the last of
 * a scope first: of one name only the first, and no local variable that is declared after the
 * site. Looked at are DEBUG_VISIBLE_MAX. The array is kept in `arena`; NULL when memory is out. */
enum { DEBUG_VISIBLE_MAX = 4096 };
const struct debug_variable **debug_site_variables(const struct debug_site *site,
                                                   struct arena *arena, uint32_t *count);
/* The one of that name, or NULL. */
const struct debug_variable *debug_site_find_variable(const struct debug_site *site,
                                                      const char *name);

/* The type that a cast means: "uint" or "outer_t", or, where `tagged`, what "struct", "union" or
 * "enum" stood before. Complete ones before declarations. NULL where there is none. */
const struct debug_type *debug_info_find_type(const struct debug_info *info, const char *name,
                                              bool tagged);

/* ---- debugging instructions among others ---- */

enum debug_set {
    DEBUG_SET_NONE,
    DEBUG_SET_OPENCL, /* numbers stand in the instruction */
    DEBUG_SET_SHADER, /* numbers are ids of constants */
};

/* Ids of the imports of either set, as far as the module has been gone through; 0 = none. */
struct debug_imports {
    uint32_t opencl, shader;
};

/* Takes an import of either set into account, and says of which set the instruction is. */
enum debug_set debug_imports_see(struct debug_imports *imports, const struct spv_walker *walker);

/* Takes the instructions of both sets, and their imports, out of the module, in place, and gives
 * the new size. Source lines (OpLine) and names stay. What cannot be cut into instructions stays as
 * it is. */
size_t debug_info_strip(void *bytes, size_t size);

#endif
