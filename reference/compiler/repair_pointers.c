/* From LLVM 17 on pointers do not say what they lead to, and llvm-spirv takes it from the first use
 * that it finds, `uchar` where there is none:
 *
 *     kernel void f(global const uint *in) { ... *(global const ushort *)in ... }
 *
 *     %in = OpFunctionParameter %_ptr_CrossWorkgroup_ushort
 *
 * A device that turns the bytes of what its kernels are given, and the note of elements that are
 * taken for others, want to know it. The names of the types are in the module
 * (--preserve-ocl-kernel-arg-type-metadata-through-string): `kernel_arg_type.f.uint*,`. Here a
 * parameter gets the type of that name, and so does the variable that clang keeps it in; it is cast
 * to the other type where it is used:
 *
 *     %new = OpFunctionParameter %_ptr_CrossWorkgroup_uint
 *            OpStore %in_addr %new
 *     %old = OpLoad %_ptr_CrossWorkgroup_uint %in_addr
 *     %15  = OpBitcast %_ptr_CrossWorkgroup_ushort %old
 *
 * llvm-spirv has two functions for a kernel, of which the entry point does nothing but call the
 * other one. Names that stand for something else, by typedef, are not known. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/rewrite.h"
#include "reference/spirv/module.h"
#include "trace/base/alloc.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARAMETER_MAX = 255,
    REMARK_WORDS = 1 + sizeof(SPV_UNTYPED_POINTERS) / 4 + 1 /* with a 0 at the end of its string */
};

struct function {
    uint32_t id, type, first_parameter, parameter_count, callee;
    uint32_t call_count;  /* of it, in all functions */
    const char *declared; /* the types' names, of a kernel; NULL = it is none */
    bool entry_point;
    uint32_t new_type; /* 0 = it stays */
};

struct repair {
    struct rewrite module;
    const uint32_t **made_by; /* by id: a type, a function's parameter, or a variable */
    const char **names;       /* by id of a type */
    uint32_t *new_types;      /* by id of a parameter or its variable: the type; 0 = it stays */
    uint32_t *contents;       /* by id of such a variable: the parameter's type */
    uint32_t *new_ids;        /* by id of a parameter that is cast: what it is then */
    struct function *functions;
    size_t function_count;
    uint32_t *parameters; /* ids, function by function */
    size_t parameter_count;
    uint32_t *types; /* instructions that come before the functions */
    size_t type_count, type_capacity;
    uint32_t capabilities[16];
    size_t capability_count;
};

/* ---- types by what they are ---- */

static void put_type(struct repair *repair, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count && !repair->module.failed; i++) {
        uint32_t *types =
            alloc_grow(repair->types, repair->type_count, &repair->type_capacity, sizeof(*types));
        repair->module.failed |= !types;
        if (!types)
            return;
        repair->types = types;
        types[repair->type_count++] = words[i];
    }
}

/* The type whose instruction has these words after its id: one that is there, or a new one. */
static uint32_t type_like(struct repair *repair, uint32_t opcode, const uint32_t *operands,
                          uint32_t count)
{
    enum { OPERAND_MAX = PARAMETER_MAX + 1 };
    uint32_t words[OPERAND_MAX + 2] = {(count + 2) << 16 | opcode};
    const size_t size = count * sizeof(*operands);
    for (uint32_t id = 0; id < repair->module.bound_before; id++) {
        const uint32_t *at = repair->made_by[id];
        if (at && at[0] == words[0] && memcmp(at + 2, operands, size) == 0)
            return id;
    }
    for (size_t i = 0; i < repair->type_count; i += rewrite_length(repair->types + i)) {
        const uint32_t *at = repair->types + i;
        if (at[0] == words[0] && memcmp(at + 2, operands, size) == 0)
            return at[1];
    }
    words[1] = repair->module.bound++;
    memcpy(words + 2, operands, size);
    put_type(repair, words, count + 2);
    return words[1];
}

static void need(struct repair *repair, uint32_t capability)
{
    for (size_t i = 0; i < repair->capability_count; i++) {
        if (repair->capabilities[i] == capability)
            return;
    }
    if (repair->capability_count < sizeof(repair->capabilities) / sizeof(repair->capabilities[0]))
        repair->capabilities[repair->capability_count++] = capability;
}

/* ---- types by name ---- */

static const struct number {
    const char *name;
    uint32_t opcode, width, capability; /* which the type needs; Kernel = no other */
} numbers[] = {
    {"uchar", SpvOpTypeInt, 8, SpvCapabilityInt8},
    {"char", SpvOpTypeInt, 8, SpvCapabilityInt8},
    {"ushort", SpvOpTypeInt, 16, SpvCapabilityInt16},
    {"short", SpvOpTypeInt, 16, SpvCapabilityInt16},
    {"uint", SpvOpTypeInt, 32, SpvCapabilityKernel},
    {"int", SpvOpTypeInt, 32, SpvCapabilityKernel},
    {"ulong", SpvOpTypeInt, 64, SpvCapabilityInt64},
    {"long", SpvOpTypeInt, 64, SpvCapabilityInt64},
    {"half", SpvOpTypeFloat, 16, SpvCapabilityFloat16Buffer},
    {"float", SpvOpTypeFloat, 32, SpvCapabilityKernel},
    {"double", SpvOpTypeFloat, 64, SpvCapabilityFloat64},
};

/* 0 = a name that says nothing here. */
static uint32_t number_named(struct repair *repair, const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const struct number *number = &numbers[i];
        const size_t length = strlen(number->name);
        char *end;
        if (size < length || memcmp(name, number->name, length) != 0)
            continue;
        const uint32_t count = size > length ? (uint32_t)strtoul(name + length, &end, 10) : 1;
        if ((size > length && end != name + size) || count == 0 || count > 16)
            continue;
        const uint32_t operands[] = {number->width, 0};
        const uint32_t type =
            type_like(repair, number->opcode, operands, number->opcode == SpvOpTypeInt ? 2 : 1);
        need(repair, number->capability);
        if (count > 4)
            need(repair, SpvCapabilityVector16);
        /* A vector of three has the layout of one of four, and is a type of its own. */
        return count > 1 ? type_like(repair, SpvOpTypeVector, (uint32_t[]){type, count}, 2) : type;
    }
    return 0;
}

static uint32_t struct_named(const struct repair *repair, const char *name, size_t size)
{
    static const char prefix[] = "struct.";
    for (uint32_t id = 0; id < repair->module.bound_before; id++) {
        const char *known = repair->names[id];
        if (known && strncmp(known, prefix, strlen(prefix)) == 0 &&
            strlen(known) == strlen(prefix) + size &&
            memcmp(known + strlen(prefix), name, size) == 0)
            return id;
    }
    return 0;
}

/* What "uint*" leads to; 0 = unknown. */
static uint32_t pointee_named(struct repair *repair, const char *name, size_t size)
{
    static const char atomic[] = "atomic_", structure[] = "struct ";
    if (size < 2 || name[size - 1] != '*')
        return 0;
    size--;
    if (size > strlen(structure) && memcmp(name, structure, strlen(structure)) == 0)
        return struct_named(repair, name + strlen(structure), size - strlen(structure));
    if (size > strlen(atomic) && memcmp(name, atomic, strlen(atomic)) == 0)
        return number_named(repair, name + strlen(atomic), size - strlen(atomic));
    return number_named(repair, name, size);
}

/* ---- the module ---- */

static struct function *function_of(const struct repair *repair, uint32_t id)
{
    for (size_t i = 0; i < repair->function_count; i++) {
        if (repair->functions[i].id == id)
            return &repair->functions[i];
    }
    return NULL;
}

static void look(struct repair *repair, const uint32_t *at)
{
    const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
    struct function *last =
        repair->function_count > 0 ? &repair->functions[repair->function_count - 1] : NULL;
    if (opcode == SpvOpFunction && length == 5 && at[2] < repair->module.bound_before) {
        repair->functions[repair->function_count++] = (struct function){
            .id = at[2], .type = at[4], .first_parameter = (uint32_t)repair->parameter_count};
    } else if (opcode == SpvOpFunctionParameter && length == 3 && last &&
               at[2] < repair->module.bound_before) {
        repair->made_by[at[2]] = at;
        repair->parameters[repair->parameter_count++] = at[2];
        last->parameter_count++;
    } else if (opcode == SpvOpFunctionCall && length > 3 && last) {
        last->callee = at[3];
    } else if (opcode == SpvOpVariable && length > 3 && at[2] < repair->module.bound_before) {
        repair->made_by[at[2]] = at;
    } else if (opcode == SpvOpName && length > 2 && at[1] < repair->module.bound_before) {
        repair->names[at[1]] = (const char *)(at + 2);
    } else if (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypePipe && length > 1 &&
               at[1] < repair->module.bound_before) {
        repair->made_by[at[1]] = at;
    }
}

/* Entry points and how often each function is called, now that all functions are known. */
static void look_again(struct repair *repair)
{
    static const char prefix[] = "kernel_arg_type.";
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
        if (opcode == SpvOpFunctionCall && length > 3) {
            struct function *callee = function_of(repair, at[3]);
            if (callee)
                callee->call_count++;
        } else if (opcode == SpvOpEntryPoint && length > 3) {
            struct function *function = function_of(repair, at[2]);
            if (function) {
                function->entry_point = true;
                repair->names[function->id] = (const char *)(at + 3);
            }
        } else if (opcode == SpvOpString && length > 2 &&
                   strncmp((const char *)(at + 2), prefix, strlen(prefix)) == 0) {
            const char *name = (const char *)(at + 2) + strlen(prefix);
            const size_t size = strcspn(name, ".");
            for (size_t f = 0; f < repair->function_count; f++) {
                struct function *function = &repair->functions[f];
                const char *own = repair->names[function->id];
                if (own && strlen(own) == size && memcmp(own, name, size) == 0 && name[size] == '.')
                    function->declared = name + size + 1;
            }
        }
    }
}

/* ---- the parameters ---- */

static const uint32_t *pointer_type(const struct repair *repair, uint32_t parameter)
{
    const uint32_t type = repair->made_by[parameter][1];
    const uint32_t *at = type < repair->module.bound_before ? repair->made_by[type] : NULL;
    return at && rewrite_opcode(at) == SpvOpTypePointer && rewrite_length(at) == 4 ? at : NULL;
}

/* Finds the types of the parameters; false where none changes. */
static bool retype(struct repair *repair, const struct function *function)
{
    const char *name = function->declared;
    const uint32_t *parameters = repair->parameters + function->first_parameter;
    bool changes = false;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const size_t size = strcspn(name, ",");
        const uint32_t *pointer = pointer_type(repair, parameters[i]);
        const uint32_t wanted =
            pointer && name[size] == ',' ? pointee_named(repair, name, size) : 0;
        if (wanted != 0 && wanted != pointer[3] && pointer[2] != SpvStorageClassFunction) {
            const uint32_t operands[] = {pointer[2], wanted};
            repair->new_types[parameters[i]] = type_like(repair, SpvOpTypePointer, operands, 2);
            changes = true;
        }
        name += size + (name[size] == ',');
    }
    return changes && *name == '\0';
}

/* The private variables that such a parameter is kept in. */
static void retype_variables(struct repair *repair)
{
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        if (rewrite_opcode(at) != SpvOpStore || at[1] >= repair->module.bound_before ||
            at[2] >= repair->module.bound_before || repair->new_ids[at[2]] == 0)
            continue;
        const uint32_t *variable = repair->made_by[at[1]];
        if (!variable || rewrite_opcode(variable) != SpvOpVariable ||
            variable[3] != SpvStorageClassFunction)
            continue;
        const uint32_t operands[] = {SpvStorageClassFunction, repair->new_types[at[2]]};
        repair->contents[at[1]] = operands[1];
        repair->new_types[at[1]] = type_like(repair, SpvOpTypePointer, operands, 2);
    }
}

static void set_function_type(struct repair *repair, struct function *function)
{
    const uint32_t *type =
        function->type < repair->module.bound_before ? repair->made_by[function->type] : NULL;
    uint32_t operands[PARAMETER_MAX + 1];
    if (!type || rewrite_length(type) != function->parameter_count + 3)
        return;
    operands[0] = type[2];
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const uint32_t parameter = repair->parameters[function->first_parameter + i];
        const uint32_t changed = repair->new_types[parameter];
        operands[1 + i] = changed != 0 ? changed : type[3 + i];
    }
    function->new_type =
        type_like(repair, SpvOpTypeFunction, operands, function->parameter_count + 1);
}

/* The function that the entry point is there to call; NULL = it is a kernel itself. */
static struct function *called_by(const struct repair *repair, const struct function *entry)
{
    struct function *callee = function_of(repair, entry->callee);
    return callee && callee != entry && callee->type == entry->type && !callee->entry_point ? callee
                                                                                            : NULL;
}

static void change_kernel(struct repair *repair, struct function *entry)
{
    struct function *callee = called_by(repair, entry);
    struct function *body = callee ? callee : entry;
    if (body->call_count != (callee ? 1u : 0u) || entry->parameter_count > PARAMETER_MAX ||
        body->parameter_count != entry->parameter_count || !retype(repair, entry))
        return;
    for (uint32_t i = 0; i < body->parameter_count; i++) {
        const uint32_t outer = repair->parameters[entry->first_parameter + i];
        const uint32_t inner = repair->parameters[body->first_parameter + i];
        if (repair->new_types[outer] == 0)
            continue;
        repair->new_types[inner] = repair->new_types[outer];
        repair->new_ids[inner] = repair->module.bound++;
    }
    set_function_type(repair, entry);
    if (callee)
        set_function_type(repair, callee);
}

/* ---- writing ---- */

static void put_casts(struct repair *repair, const struct function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const uint32_t parameter = repair->parameters[function->first_parameter + i];
        if (repair->new_ids[parameter] != 0)
            REWRITE_PUT(&repair->module, SpvOpBitcast, repair->made_by[parameter][1], parameter,
                        repair->new_ids[parameter]);
    }
}

/* What a variable holds that holds another type now; 0 = it does not. */
static uint32_t contents_of(const struct repair *repair, uint32_t id)
{
    return id < repair->module.bound_before ? repair->contents[id] : 0;
}

static void put_load(struct repair *repair, const uint32_t *at)
{
    uint32_t *made = rewrite_copy(&repair->module, at);
    made[1] = contents_of(repair, at[3]);
    made[2] = repair->module.bound++;
    REWRITE_PUT(&repair->module, SpvOpBitcast, at[1], at[2], made[2]);
}

static void put_store(struct repair *repair, const uint32_t *at)
{
    uint32_t value = at[2] < repair->module.bound_before ? repair->new_ids[at[2]] : 0;
    if (value == 0) {
        value = repair->module.bound++;
        REWRITE_PUT(&repair->module, SpvOpBitcast, contents_of(repair, at[1]), value, at[2]);
    }
    rewrite_copy(&repair->module, at)[2] = value;
}

/* One instruction, with what it says of parameters that are others now. */
static void put_instruction(struct repair *repair, const uint32_t *at,
                            const struct function *function)
{
    const uint32_t opcode = rewrite_opcode(at);
    if (opcode == SpvOpLoad && contents_of(repair, at[3]) != 0) {
        put_load(repair, at);
        return;
    }
    if (opcode == SpvOpStore && contents_of(repair, at[1]) != 0) {
        put_store(repair, at);
        return;
    }
    uint32_t *made = rewrite_copy(&repair->module, at);
    if (opcode == SpvOpVariable && contents_of(repair, at[2]) != 0)
        made[1] = repair->new_types[at[2]];
    const uint32_t id = opcode == SpvOpFunctionParameter ? at[2]
                        : rewrite_length(at) > 1         ? at[1]
                                                         : 0;
    const uint32_t changed = id < repair->module.bound_before ? repair->new_ids[id] : 0;
    if (opcode == SpvOpFunction && function && function->new_type != 0)
        made[4] = function->new_type;
    if ((opcode == SpvOpName || opcode == SpvOpDecorate) && changed != 0)
        made[1] = changed;
    if (opcode == SpvOpFunctionParameter && repair->new_types[id] != 0) {
        made[1] = repair->new_types[id];
        made[2] = changed != 0 ? changed : id;
    }
}

/* Does the instruction stand after those that say what language the program is written in? */
static bool is_behind_source(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpCapability:
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return false;
    default:
        return true;
    }
}

static void put_remark(struct repair *repair)
{
    uint32_t words[REMARK_WORDS - 1] = {0};
    memcpy(words, SPV_UNTYPED_POINTERS, sizeof(SPV_UNTYPED_POINTERS));
    rewrite_put_operands(&repair->module, SpvOpSourceExtension, words, REMARK_WORDS - 1);
}

static void write_all(struct repair *repair)
{
    bool told = false;
    const struct function *function = NULL, *waiting = NULL;
    for (size_t i = 0; i < repair->capability_count; i++)
        REWRITE_PUT(&repair->module, SpvOpCapability, repair->capabilities[i]);
    for (const uint32_t *at = NULL; (at = rewrite_next(&repair->module, at));) {
        const uint32_t opcode = rewrite_opcode(at);
        if (!told && is_behind_source(opcode)) {
            told = true;
            put_remark(repair);
        }
        if (opcode == SpvOpFunction) {
            if (!function)
                rewrite_put(&repair->module, repair->types, repair->type_count);
            function = function_of(repair, at[2]);
            waiting = function;
        } else if (waiting && opcode != SpvOpFunctionParameter && opcode != SpvOpLabel &&
                   opcode != SpvOpVariable && opcode != SpvOpLine && opcode != SpvOpNoLine) {
            put_casts(repair, waiting);
            waiting = NULL;
        }
        put_instruction(repair, at, function);
    }
}

enum status repair_pointers(uint8_t **spirv, size_t *size)
{
    enum { CAST_WORDS = 4, CAPABILITY_WORDS = 2 };
    struct repair repair = {0};
    struct rewrite *module = &repair.module;
    if (!rewrite_begin(module, *spirv, *size))
        return rewrite_end(module, spirv, size);
    const size_t words = module->in_count;
    repair.made_by = rewrite_by_id(module, sizeof(*repair.made_by));
    repair.names = rewrite_by_id(module, sizeof(*repair.names));
    repair.new_types = rewrite_by_id(module, sizeof(*repair.new_types));
    repair.new_ids = rewrite_by_id(module, sizeof(*repair.new_ids));
    repair.contents = rewrite_by_id(module, sizeof(*repair.contents));
    repair.functions = rewrite_table(module, words / 5 + 1, sizeof(*repair.functions));
    repair.parameters = rewrite_table(module, words / 3 + 1, sizeof(*repair.parameters));
    if (module->failed)
        return rewrite_end(module, spirv, size);
    for (const uint32_t *at = NULL; (at = rewrite_next(module, at));)
        look(&repair, at);
    look_again(&repair);
    for (size_t i = 0; i < repair.function_count; i++) {
        if (repair.functions[i].entry_point && repair.functions[i].declared)
            change_kernel(&repair, &repair.functions[i]);
    }
    retype_variables(&repair);
    /* Loads and stores, of three words or more, may come with a cast. */
    if (rewrite_make_room(module, words / 3 * CAST_WORDS + repair.type_count +
                                      CAPABILITY_WORDS * repair.capability_count + REMARK_WORDS +
                                      CAST_WORDS * repair.parameter_count) &&
        !module->failed)
        write_all(&repair);
    alloc_free(repair.types);
    return rewrite_end(module, spirv, size);
}
