/* A program is made top-down. So that no order of evaluation matters, expressions change nothing:
 * calls of functions that write through pointers are statements. */
#include "tests/fuzz/random_program.h"

#include "tests/fuzz/random_place.h"

enum { CALLEES_MAX = 6, PARAMETERS_MAX = 4, NO_SHAPE = ~0 };

/* A function g0, g1 ... */
struct callee {
    uint32_t result; /* NO_SHAPE: void */
    uint32_t parameter_count;
    struct object parameters[PARAMETERS_MAX];
    bool pure; /* writes through no pointer */
};

static uint32_t callee_count;
static struct callee callees[CALLEES_MAX];
static bool in_kernel;
/* Pointers to constant memory get their values by assignments: Oclgrind has no initialisers with
 * addresses. */
static bool assigns_pointers;

static const struct type int_type = {INT, 1};

static void line(const char *string)
{
    indent(&scope);
    put(&scope, string);
}

/* ---- initialisers ---- */

static void put_constant(struct type type)
{
    OUT("(%s)(", name_of(type));
    for (uint32_t i = 0; i < type.width; i++)
        OUT("%s%uu", i == 0 ? "" : ", ", one_in(3) ? below(1u << 31) : below(9));
    put(&scope, ")");
}

/* With braces; what is left out is zero. Of constants when `constant`. */
static void put_initialiser(uint32_t shape, bool constant)
{
    const struct shape *is = shape_at(shape);
    if (is->form == VALUE) {
        if (constant)
            put_constant(is->value);
        else
            expression(&scope, is->value, below(2));
        return;
    }
    const bool designated = is->form == UNION || one_in(3);
    const uint32_t first = designated ? below(is->count) : 0;
    const uint32_t last = is->form == UNION || one_in(3) ? first : first + below(is->count - first);
    put(&scope, "{");
    for (uint32_t i = first; i <= last; i++) {
        put(&scope, i == first ? "" : ", ");
        if (designated)
            OUT(is->form == ARRAY ? "[%u] = " : ".m%u = ", i);
        put_initialiser(is->members[is->form == ARRAY ? 0 : i], constant);
    }
    put(&scope, "}");
}

/* Returns the number of the new private object, which is wholly written. */
static struct object *declare_shape(uint32_t shape)
{
    const uint32_t number = scope.next_number++;
    struct place place;
    indent(&scope);
    OUT("%s v%u", shape_name(&shapes, shape), number);
    if (is_aggregate(shape) && one_in(3)) {
        OUT(";\n");
        indent(&scope);
        OUT("fill_t%u(&v%u, %u);\n", shape, number, below(1000));
    } else if (is_aggregate(shape) && one_in(4) &&
               place_of_shape(&place, shape, (enum space)below(4), false, object_count)) {
        OUT(" = %s;\n", place.name.bytes);
        text_release(&place.name);
    } else if (shape_at(shape)->form == ARRAY && one_in(3)) {
        struct text name = TEXT_INIT;
        put(&scope, ";\n");
        line("{\n");
        line("    uint x = 7;\n");
        text_format(&name, "v%u", number);
        shape_fill(&shapes, shape, name.bytes, scope.depth + 1, scope.out);
        text_release(&name);
        line("}\n");
    } else {
        put(&scope, " = ");
        put_initialiser(shape, false);
        put(&scope, ";\n");
    }
    return add_object("v%u", number, shape, PRIVATE);
}

static void declare(void)
{
    const uint32_t shape = one_in(2) ? shape_aggregate(&shapes) : below(shapes.count);
    declare_shape(shape);
}

/* ---- pointers ---- */

/* A pointer alone, one of an array, or a member. */
static const char *const pointer_forms[] = {" *v%u", " *v%u[2]", "; uint n; } v%u"};
static const char *const pointer_names[] = {"v%u", "v%u[1]", "v%u.p"};

static void put_pointer_type(const struct object *pointer)
{
    OUT("%s%s %s", pointer->writable ? "" : "const ", pointer->qualifier,
        shape_name(&shapes, pointer->shape));
}

static void define_pointer(const struct object *like, const char *address)
{
    const uint32_t form = below(3);
    const uint32_t number = scope.next_number++;
    indent(&scope);
    put(&scope, form == 2 ? "struct { " : "");
    put_pointer_type(like);
    put(&scope, form == 2 ? " *p" : "");
    OUT(pointer_forms[form], number);
    if (like->space == CONSTANT && assigns_pointers) {
        put(&scope, ";\n");
        indent(&scope);
        OUT(pointer_names[form], number);
        OUT(" = %s;\n", address);
    } else if (form == 1) {
        OUT(" = {%s, %s};\n", address, address);
    } else {
        OUT(form == 0 ? " = %s;\n" : " = {%s};\n", address);
    }
    add_like(like, pointer_names[form], number);
}

/* To a part of what is there already: to an aggregate, or an element of an array. */
static void declare_pointer(void)
{
    const struct object *object = any_object(false);
    struct place place;
    if (object == NULL)
        return;
    start_place(&place, object);
    while (shape_at(place.shape)->form != VALUE && !place.in_union && !one_in(3))
        step_down(&place);
    const struct shape *is = shape_at(place.shape);
    if (!place.in_union && is->form != VALUE) {
        const bool element = is->form == ARRAY;
        const uint32_t at = element ? below(is->count) : 0;
        struct object like = {.pointer = true,
                              .shape = element ? is->members[0] : place.shape,
                              .space = object->space,
                              .writable = object->writable,
                              .qualifier = is_generic(object) ? "" : pointer_space(object->space),
                              .low = -(int32_t)at,
                              .high = element ? (int32_t)(is->count - 1 - at) : 0};
        struct text address = TEXT_INIT;
        text_format(&address, element ? "&%s[%u]" : "&%s", place.name.bytes, at);
        define_pointer(&like, address.bytes);
        text_release(&address);
    }
    text_release(&place.name);
}

/* To a pointer. */
static void declare_indirect(void)
{
    const struct object *object = any_object(false);
    if (object == NULL || !object->pointer || object->name[0] != 'v')
        return;
    const struct object like = *object;
    const uint32_t number = scope.next_number++;
    indent(&scope);
    put_pointer_type(&like);
    OUT(" *private *v%u = &%s;\n", number, like.name);
    add_like(&like, "(*v%u)", number);
}

/* Another place, which lives as long. */
static void turn_pointer(void)
{
    struct place place;
    for (uint32_t i = 0; i < object_count; i++) {
        const struct object *pointer = &objects[i];
        if (!pointer->pointer || pointer->name[0] != 'v' || pointer->low != 0 ||
            pointer->high != 0 || !one_in(2) ||
            !place_of_shape(&place, pointer->shape, pointer->space, pointer->writable, i))
            continue;
        indent(&scope);
        OUT("%s = ", pointer->name);
        if (one_in(2)) {
            expression(&scope, int_type, 1);
            OUT(" ? &%s : %s;\n", place.name.bytes, pointer->name);
        } else {
            OUT("&%s;\n", place.name.bytes);
        }
        text_release(&place.name);
        return;
    }
}

/* ---- assignments ---- */

static const char *any_operator(struct type type)
{
    static const char *const bits[] = {"=", "=", "^=", "|=", "&="};
    static const char *const sums[] = {"=", "+=", "-=", "^="};
    static const char *const all[] = {"=", "+=", "-=", "*=", "^=", "<<=", ">>="};
    const bool is_unsigned = (type.base & 1) != 0;
    if (!is_unsigned)
        return bits[below(5)];
    return type.width == 1 && type.base < UINT ? sums[below(4)] : all[below(7)];
}

static void assign(void)
{
    struct place place;
    if (!value_place(&place, true))
        return;
    struct type type = shape_at(place.shape)->value;
    indent(&scope);
    if (type.width == 1 && (type.base & 1) != 0 && one_in(6)) {
        OUT(one_in(2) ? "%s++;\n" : "--%s;\n", place.name.bytes);
        text_release(&place.name);
        return;
    }
    put(&scope, place.name.bytes);
    if (type.width > 1 && one_in(2)) {
        put_component(type);
        type.width = 1;
    } else if (type.width > 2 && one_in(3)) {
        put_components(type, type.width == 3 ? 2 : type.width / 2, true);
        type.width = type.width == 3 ? 2 : type.width / 2;
    }
    OUT(" %s ", any_operator(type));
    expression(&scope, type, 1 + below(3));
    put(&scope, ";\n");
    text_release(&place.name);
}

/* A structure or union as a value. */
static void put_aggregate(uint32_t shape)
{
    struct place place;
    struct place other;
    if (!place_of_shape(&place, shape, one_in(2) ? PRIVATE : (enum space)below(4), false,
                        object_count)) {
        OUT("(%s)", shape_name(&shapes, shape));
        put_initialiser(shape, false);
        return;
    }
    if (place.root->space == PRIVATE && one_in(4) &&
        place_of_shape(&other, shape, PRIVATE, false, object_count)) {
        put(&scope, "((");
        expression(&scope, int_type, 1);
        OUT(") ? %s : %s)", place.name.bytes, other.name.bytes);
        text_release(&other.name);
    } else {
        put(&scope, place.name.bytes);
    }
    text_release(&place.name);
}

static void assign_aggregate(void)
{
    struct place place;
    const uint32_t shape = shape_aggregate(&shapes);
    if (!place_of_shape(&place, shape, (enum space)below(3), true, object_count))
        return;
    indent(&scope);
    OUT("%s = ", place.name.bytes);
    put_aggregate(shape);
    put(&scope, ";\n");
    text_release(&place.name);
}

/* Takes something into the result. */
static void mix(void)
{
    const struct type type = any_integer(1);
    line("hash = MIX(hash, ");
    expression(&scope, type, 2);
    put(&scope, ");\n");
}

/* ---- calls ---- */

/* What each argument needs is there, or is declared now. Returns false if a place in memory that is
 * not private is missing. */
static bool find_arguments(const struct callee *callee, struct place *places)
{
    for (uint32_t p = 0; p < callee->parameter_count; p++)
        places[p] = (struct place){.name = TEXT_INIT};
    for (uint32_t p = 0; p < callee->parameter_count; p++) {
        const struct object *parameter = &callee->parameters[p];
        if (!parameter->pointer)
            continue;
        if (place_of_shape(&places[p], parameter->shape, parameter->space, parameter->writable,
                           object_count))
            continue;
        places[p] = (struct place){.name = TEXT_INIT};
        if (parameter->space != PRIVATE)
            return false;
        text_append(&places[p].name, declare_shape(parameter->shape)->name);
    }
    return true;
}

static void put_call(uint32_t number, const struct place *places)
{
    const struct callee *callee = &callees[number];
    OUT("g%u(", number);
    for (uint32_t p = 0; p < callee->parameter_count; p++) {
        const struct object *parameter = &callee->parameters[p];
        put(&scope, p == 0 ? "" : ", ");
        if (parameter->pointer)
            OUT("&%s", places[p].name.bytes);
        else if (is_aggregate(parameter->shape))
            put_aggregate(parameter->shape);
        else
            expression(&scope, shape_at(parameter->shape)->value, 1);
    }
    put(&scope, ")");
}

static void call(void)
{
    struct place places[PARAMETERS_MAX];
    struct place result;
    if (callee_count == 0 || scope.loop_depth > 1)
        return;
    const uint32_t number = below(callee_count);
    const struct callee *callee = &callees[number];
    const bool complete = find_arguments(callee, places);
    if (complete) {
        const uint32_t shape = callee->result;
        const uint32_t fresh = scope.next_number;
        const bool assigned =
            shape != (uint32_t)NO_SHAPE && callee->pure && is_aggregate(shape) && one_in(2) &&
            place_of_shape(&result, shape, (enum space)below(3), true, object_count);
        indent(&scope);
        if (assigned) {
            OUT("%s = ", result.name.bytes);
            text_release(&result.name);
        } else if (shape != (uint32_t)NO_SHAPE) {
            OUT("%s v%u = ", shape_name(&shapes, shape), scope.next_number++);
        }
        put_call(number, places);
        put(&scope, ";\n");
        if (shape != (uint32_t)NO_SHAPE && !assigned)
            add_object("v%u", fresh, shape, PRIVATE);
    }
    for (uint32_t p = 0; p < callee->parameter_count; p++)
        text_release(&places[p].name);
}

/* ---- control flow ---- */

static void statements(uint32_t count);

static void block(uint32_t count)
{
    const uint32_t before = object_count;
    put(&scope, "{\n");
    scope.depth++;
    statements(count);
    scope.depth--;
    object_count = before;
    line("}\n");
}

static void condition(void)
{
    line("if (");
    expression(&scope, any_integer(1), 2);
    put(&scope, ") ");
    block(1 + below(3));
    if (one_in(2))
        return;
    line("else ");
    block(1 + below(3));
}

/* The counter is a name of the loop's own, so nothing else counts it. */
static void loop(void)
{
    const uint32_t number = scope.next_number++;
    const uint32_t kind = below(4);
    if (scope.loop_depth == 2)
        return;
    scope.loop_depth++;
    indent(&scope);
    if (kind == 0) {
        OUT("for (uint n%u = 0; n%u < (", number, number);
        expression(&scope, uint_type, 1);
        OUT(") %% 5u; n%u++) ", number);
        block(1 + below(3));
    } else if (kind == 1) {
        OUT("uint n%u = %u;\n", number, below(4));
        indent(&scope);
        OUT("l%u: ", number);
        block(1 + below(3));
        indent(&scope);
        OUT("if (n%u-- > 0)\n", number);
        indent(&scope);
        OUT("    goto l%u;\n", number);
    } else {
        OUT("uint n%u = %u;\n", number, below(4));
        indent(&scope);
        OUT(kind == 2 ? "while (n%u-- > 0) {\n" : "do {\n", number);
        const uint32_t before = object_count;
        scope.depth++;
        statements(1 + below(2));
        line("if (");
        expression(&scope, any_integer(1), 1);
        put(&scope, one_in(2) ? ")\n" : " & 1)\n");
        line(one_in(2) ? "    break;\n" : "    continue;\n");
        statements(1);
        scope.depth--;
        object_count = before;
        indent(&scope);
        OUT(kind == 2 ? "}\n" : "} while (n%u-- > 0);\n", number);
    }
    scope.loop_depth--;
}

static void choice(void)
{
    const uint32_t cases = 2 + below(3);
    line("switch (");
    expression(&scope, uint_type, 1);
    OUT(" %% %uu) {\n", cases + below(2));
    for (uint32_t i = 0; i < cases; i++) {
        indent(&scope);
        OUT(i + 1 == cases && one_in(2) ? "default: " : "case %u: ", i);
        block(1 + below(2));
        if (!one_in(3))
            line("    break;\n");
    }
    line("}\n");
}

/* Out of a block, over what follows in it. */
static void jump(void)
{
    const uint32_t number = scope.next_number++;
    const uint32_t before = object_count;
    line("{\n");
    scope.depth++;
    statements(1);
    line("if (");
    expression(&scope, any_integer(1), 1);
    OUT(")\n");
    indent(&scope);
    OUT("    goto l%u;\n", number);
    line("");
    block(1 + below(2));
    scope.depth--;
    line("}\n");
    object_count = before;
    indent(&scope);
    OUT("l%u:;\n", number);
}

/* ---- work-groups ---- */

/* Looks at what another work-item has, while nobody writes. */
static void exchange(void)
{
    for (uint32_t i = 0; i < object_count; i++) {
        const struct object *object = &objects[i];
        const bool local = object->space == LOCAL;
        if (object->pointer || (!local && object->space != GLOBAL) || one_in(2))
            continue;
        const uint32_t number = scope.next_number++;
        const char *fence =
            local ? "barrier(CLK_LOCAL_MEM_FENCE);\n" : "barrier(CLK_GLOBAL_MEM_FENCE);\n";
        line(fence);
        indent(&scope);
        OUT("%s v%u = %c%c[%s(lid + %uu) %% size];\n", shape_name(&shapes, object->shape), number,
            object->name[0], object->name[1], local ? "" : "id - lid + ", below(40));
        line(fence);
        add_object("v%u", number, object->shape, PRIVATE);
        return;
    }
}

static void uniform_block(void)
{
    const uint32_t number = scope.next_number++;
    const uint32_t before = object_count;
    indent(&scope);
    if (one_in(2))
        OUT("for (uint n%u = 0; n%u < (uniform & 3u); n%u++) {\n", number, number, number);
    else
        OUT("if ((uniform & %uu) != 0) {\n", 1u << below(3));
    scope.depth++;
    exchange();
    statements(2);
    scope.depth--;
    line("}\n");
    object_count = before;
}

/* Sums do not depend on the order. */
static void count(void)
{
    line("COUNT(&counters[");
    put_index(PROGRAM_COUNTERS, 0, scope.out);
    put(&scope, "], ");
    expression(&scope, uint_type, 1);
    put(&scope, ");\n");
}

static void statement(void)
{
    /* clang-format off */
    static void (*const kinds[])(void) = {
        assign, assign, assign, assign_aggregate, declare, declare_pointer, declare_pointer, declare_indirect,
        turn_pointer, condition, loop, choice, jump, call, call, mix,
    };
    /* clang-format on */
    static void (*const together[])(void) = {exchange, uniform_block, count};
    if (scope.statements == 0) {
        assign();
        return;
    }
    scope.statements--;
    if (in_kernel && scope.depth == 0 && one_in(5))
        together[below(3)]();
    else
        kinds[below(sizeof kinds / sizeof kinds[0])]();
}

static void statements(uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        statement();
}

/* ---- functions ---- */

static void put_parameter(const struct object *parameter)
{
    OUT(parameter->pointer ? "%s%s %s *%s" : "%s%s%s %s", parameter->writable ? "" : "const ",
        parameter->pointer ? parameter->qualifier : "", shape_name(&shapes, parameter->shape),
        parameter->name);
}

/* By value, or a pointer to private memory or to one of the shapes of the kernel's other memory. */
static void make_parameter(struct callee *callee, const uint32_t memory[4])
{
    const bool pointer = one_in(2);
    const enum space space = pointer ? (enum space)below(4) : PRIVATE;
    const uint32_t shape = space != PRIVATE        ? memory[space]
                           : pointer || !one_in(3) ? shape_aggregate(&shapes)
                                                   : shape_of_value(&shapes, any_integer(1));
    struct object *parameter = add_object("v%u", scope.next_number++, shape, space);
    parameter->pointer = pointer;
    parameter->qualifier = pointer_space(space);
    parameter->writable = space != CONSTANT && (!pointer || !one_in(4));
    callee->pure = callee->pure && !(pointer && parameter->writable);
    callee->parameters[callee->parameter_count++] = *parameter;
}

static void put_result(uint32_t shape)
{
    line("return ");
    if (is_aggregate(shape))
        put_aggregate(shape);
    else
        expression(&scope, shape_at(shape)->value, 2);
    put(&scope, ";\n");
}

static void make_callee(const uint32_t memory[4], uint32_t constants)
{
    struct callee callee = {.pure = true};
    const uint32_t parameters = 1 + below(PARAMETERS_MAX);
    callee.result = one_in(4)   ? (uint32_t)NO_SHAPE
                    : one_in(3) ? shape_of_value(&shapes, any_integer(1 + below(2)))
                                : shape_aggregate(&shapes);
    while (callee.parameter_count < parameters)
        make_parameter(&callee, memory);
    const bool empty = callee.result == (uint32_t)NO_SHAPE;
    OUT("%s g%u(", empty ? "void" : shape_name(&shapes, callee.result), callee_count);
    for (uint32_t p = 0; p < callee.parameter_count; p++) {
        put(&scope, p == 0 ? "" : ", ");
        put_parameter(&callee.parameters[p]);
    }
    put(&scope, ")\n{\n    ulong hash = 1;\n");
    scope.statements = 6;
    statements(2 + below(4));
    if (!empty && one_in(3)) {
        line("if (");
        expression(&scope, any_integer(1), 1);
        put(&scope, " & 1)\n");
        scope.depth++;
        put_result(callee.result);
        scope.depth--;
    }
    statements(below(2));
    if (!empty)
        put_result(callee.result);
    put(&scope, "}\n");
    object_count = constants;
    callees[callee_count++] = callee;
}

/* One that expressions call: of values. */
static void make_function(uint32_t constants)
{
    struct function function = {.result = any_integer(1u << below(3))};
    function.parameter_count = 1 + below(2);
    OUT("%s f%u(", name_of(function.result), scope.function_count);
    for (uint32_t p = 0; p < function.parameter_count; p++) {
        function.parameters[p] = any_integer(1u << below(3));
        const struct object *parameter = add_object(
            "v%u", scope.next_number++, shape_of_value(&shapes, function.parameters[p]), PRIVATE);
        OUT("%s%s %s", p == 0 ? "" : ", ", name_of(function.parameters[p]), parameter->name);
    }
    put(&scope, ")\n{\n    ulong hash = 2;\n");
    scope.statements = 3;
    statements(1 + below(3));
    put(&scope, "    return ");
    expression(&scope, function.result, 2);
    put(&scope, ";\n}\n");
    object_count = constants;
    scope.functions[scope.function_count++] = function;
}

/* ---- the program ---- */

static void add_argument(struct random_program *program, enum argument_kind kind, uint32_t shape)
{
    program->arguments[program->argument_count++] =
        (struct program_argument){.kind = kind, .size = shape_at(shape)->size};
}

static void make_constants(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t shape = below(shapes.count);
        OUT("constant %s c%u = ", shape_name(&shapes, shape), i);
        put_initialiser(shape, true);
        put(&scope, ";\n");
        add_object("c%u", i, shape, CONSTANT);
    }
}

/* The elements of memory that are this work-item's, and a value, which is not changed: all
 * work-items of PoCL 3.1 share one. */
static void put_kernel_head(struct random_program *program, const uint32_t memory[4],
                            uint32_t value)
{
    OUT("kernel void k(global ulong *out, volatile global uint *counters, uint uniform,\n"
        "              global %s *m0, ",
        shape_name(&shapes, memory[GLOBAL]));
    OUT("constant %s *m1, ", shape_name(&shapes, memory[CONSTANT]));
    OUT("const %s v%u)\n{\n", shape_name(&shapes, value), scope.next_number);
    put(&scope, "    const uint id = get_global_id(0), lid = get_local_id(0);\n"
                "    const uint size = get_local_size(0);\n    ulong hash = id;\n");
    OUT("    local %s m2[%d];\n    {\n        uint x = id;\n", shape_name(&shapes, memory[LOCAL]),
        PROGRAM_GROUP);
    shape_fill(&shapes, memory[LOCAL], "m2[lid]", 1, scope.out);
    put(&scope, "    }\n");
    add_argument(program, ARGUMENT_GLOBAL, memory[GLOBAL]);
    add_argument(program, ARGUMENT_CONSTANT, memory[CONSTANT]);
    add_argument(program, ARGUMENT_VALUE, value);
    add_object("m0[id]", 0, memory[GLOBAL], GLOBAL);
    add_object("m1[id]", 0, memory[CONSTANT], CONSTANT);
    add_object("m2[lid]", 0, memory[LOCAL], LOCAL);
    add_object("v%u", scope.next_number++, value, PRIVATE)->writable = false;
}

/* What a kernel may be given by value: no device need take more than 1024 bytes of arguments. */
static uint32_t shape_by_value(void)
{
    for (uint32_t tries = 0; tries < 16; tries++) {
        const uint32_t shape = shape_aggregate(&shapes);
        if (shape_at(shape)->size <= 960)
            return shape;
    }
    return shape_of_value(&shapes, (struct type){ULONG, 4});
}

static void make_kernel(struct random_program *program, const uint32_t memory[4])
{
    put_kernel_head(program, memory, shape_by_value());
    in_kernel = true;
    scope.statements = 24;
    declare();
    statements(8 + below(8));
    for (uint32_t i = 0; i < object_count; i++) {
        const struct object *object = &objects[i];
        if (!object->pointer)
            shape_hash(&shapes, object->shape, object->name, 0, scope.out);
    }
    put(&scope, "    out[id] = hash;\n}\n");
}

struct random_program random_program(uint64_t seed, struct text *source)
{
    struct random_program program = {.generic = seed % 4 == 3};
    generic = program.generic;
    scope = (struct scope){.out = source, .leaf = leaf_from_objects};
    object_count = callee_count = 0;
    in_kernel = false;
    chance_seed(seed);
    assigns_pointers = one_in(2);
    types_limit(FLOAT);
    put(&scope,
        "#define MIX(hash, value) (rotate(hash, 7UL) * 0x9e3779b97f4a7c15UL ^ (ulong)(value))\n"
        "#define NEXT(x) ((x) * 1664525u + 1013904223u)\n"
        "#if __OPENCL_C_VERSION__ >= 200\n"
        "#define COUNT(p, x) atomic_fetch_add_explicit((volatile global atomic_uint *)(p), x, \\\n"
        "    memory_order_relaxed, memory_scope_device)\n"
        "#else\n#define COUNT atomic_add\n#endif\n");
    for (enum base base = CHAR; base < FLOAT; base++) {
        const char *name = name_of((struct type){base, 1});
        OUT("#define number_%s(x) ((%s)(x))\n%s hide_%s(%s x) { return x; }\n", name, name, name,
            name, name);
    }
    shapes_make(&shapes, 3 + below(4), source);
    make_constants();
    const uint32_t constants = object_count;
    uint32_t memory[4];
    for (uint32_t i = 0; i < 4; i++)
        memory[i] = shape_aggregate(&shapes);
    for (uint32_t i = 0; i < 2; i++)
        make_function(constants);
    for (uint32_t i = 0; i < 3; i++)
        make_callee(memory, constants);
    make_kernel(&program, memory);
    types_limit(BASE_COUNT);
    return program;
}
