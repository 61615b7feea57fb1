/* A generator of kernels, top-down: statements of a kernel or function, their expressions by the
 * type that is wanted. What must not happen is avoided where the text is made:
 *
 *     signed overflow          arithmetic is done on the unsigned type
 *     division                 by something from 1 to 63
 *     conversion out of range  from floats always with saturation
 *     bits of a NaN            CLEAN_* makes it 0 before anybody looks at bits
 *     races                    a work-item writes its own places, or adds to counters atomically
 *     divergent barriers       only at the top level of a kernel, or in a uniform loop there
 *     endless loops            counts are at most 7
 *     values never written     every variable is initialised */
#include "tests/fuzz/random_kernel.h"

#include "tests/fuzz/random_expression.h"
#include "tests/fuzz/random_group.h"
#include "tests/fuzz/random_prelude.h"

static struct variable *add_variable(struct scope *scope, struct type type)
{
    if (scope->variable_count == VARIABLES_MAX)
        scope->variable_count--; /* the innermost one is forgotten */
    struct variable *variable = &scope->variables[scope->variable_count++];
    *variable = (struct variable){.type = type, .number = scope->next_number++, .structure = -1};
    return variable;
}

/* ---- statements ---- */

static void statements(struct scope *scope, uint32_t count);

static void declare(struct scope *scope)
{
    const struct type type = any_type();
    const uint32_t kind = below(6);
    indent(scope);
    if (kind == 0) {
        const int structure = (int)below(STRUCTS);
        text_format(scope->out, "struct s%d v%u = make_s%d(", structure, scope->next_number,
                    structure);
        expression(scope, (struct type){INT, 1}, 1);
        put(scope, ");\n");
        add_variable(scope, type)->structure = structure;
        return;
    }
    text_format(scope->out, "%s v%u", name_of(type), scope->next_number);
    if (kind == 1) {
        text_format(scope->out, "[%d] = {", ARRAY_SIZE);
        for (uint32_t i = 0; i < ARRAY_SIZE; i++) {
            put(scope, i == 0 ? "" : ", ");
            expression(scope, type, below(2));
        }
        put(scope, "};\n");
        add_variable(scope, type)->is_array = true;
        return;
    }
    put(scope, " = ");
    expression(scope, type, 3);
    put(scope, ";\n");
    add_variable(scope, type);
}

static void assign(struct scope *scope)
{
    indent(scope);
    for (uint32_t tries = 0; tries < 20; tries++) {
        if (scope->variable_count == 0)
            break;
        const struct variable *v = &scope->variables[below(scope->variable_count)];
        if (v->is_constant)
            continue;
        const int member = (int)below(MEMBERS);
        const struct type type =
            v->structure < 0 ? v->type : scope->structures[v->structure].members[member];
        place_name(scope, v, member, 1);
        if (type.width == 4 && one_in(3)) {
            put(scope, ".zw = ");
            expression(scope, with_width(type, 2), 2);
        } else {
            put(scope, " = ");
            expression(scope, type, 3);
        }
        put(scope, ";\n");
        return;
    }
    put(scope, ";\n");
}

/* Takes the bits of something into the kernel's result. */
static void mix(struct scope *scope)
{
    const struct type type = any_type();
    indent(scope);
    if (is_float(type)) {
        text_format(scope->out, "hash = MIX(hash, as_%s(CLEAN(%s, ", name_of(mask_of(type)),
                    name_of(type));
        expression(scope, type, 3);
        put(scope, "))");
        if (type.width > 1)
            text_format(scope->out, ".s%u", below(type.width > 9 ? 9 : type.width));
        put(scope, ");\n");
        return;
    }
    put(scope, "hash = MIX(hash, (");
    expression(scope, type, 3);
    put(scope, ")");
    if (type.width > 1)
        text_format(scope->out, ".s%u", below(type.width > 9 ? 9 : type.width));
    put(scope, ");\n");
}

static void block(struct scope *scope, uint32_t count)
{
    const uint32_t variable_count = scope->variable_count;
    put(scope, "{\n");
    scope->depth++;
    statements(scope, count);
    scope->depth--;
    scope->variable_count = variable_count;
    indent(scope);
    put(scope, "}\n");
}

static void condition(struct scope *scope)
{
    indent(scope);
    put(scope, "if (");
    expression(scope, any_integer(1), 2);
    put(scope, ") ");
    block(scope, 1 + below(3));
    if (one_in(2))
        return;
    indent(scope);
    put(scope, "else ");
    block(scope, 1 + below(3));
}

static void loop(struct scope *scope)
{
    if (scope->loop_depth == 2)
        return;
    const uint32_t variable_count = scope->variable_count;
    const uint32_t kind = below(3);
    struct variable *counter = add_variable(scope, (struct type){INT, 1});
    const uint32_t number = counter->number;
    counter->is_constant = true;
    scope->loop_depth++;
    indent(scope);
    if (kind == 0) {
        text_format(scope->out, "for (int v%u = 0; v%u < (int)(", number, number);
        index_expression(scope, 8, 1);
        text_format(scope->out, "); v%u += %u) ", number, 1 + below(2));
        block(scope, 1 + below(4));
    } else {
        text_format(scope->out, "for (int v%u = %u; ; v%u--) {\n", number, 1 + below(7), number);
        scope->depth++;
        indent(scope);
        text_format(scope->out, "if (v%u <= 0)\n", number);
        indent(scope);
        put(scope, "    break;\n");
        statements(scope, 1 + below(3));
        if (kind == 1) {
            indent(scope);
            put(scope, "if (");
            expression(scope, any_integer(1), 1);
            put(scope, one_in(2) ? ")\n" : " & 1)\n");
            indent(scope);
            put(scope, one_in(2) ? "    break;\n" : "    continue;\n");
            statements(scope, 1);
        }
        scope->depth--;
        indent(scope);
        put(scope, "}\n");
    }
    scope->loop_depth--;
    scope->variable_count = variable_count;
}

/* A switch looks at the lowest and the highest bit: for fewer bits the optimiser would use integers
 * of a width that SPIR-V has not. */
static const char *select_case(struct type type)
{
    return type.base == ULONG ? " & 0x8000000000000001UL" : " & (int)0x80000001";
}

static void put_case(struct scope *scope, struct type type, uint32_t i)
{
    const uint64_t high = type.base == ULONG ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    text_format(scope->out, type.base == ULONG ? "case 0x%llxUL: " : "case (int)0x%llx: ",
                (unsigned long long)((i & 1) | (i & 2 ? high : 0)));
}

static void choice(struct scope *scope)
{
    const struct type type = {one_in(3) ? ULONG : INT, 1};
    const uint32_t cases = 2 + below(3);
    indent(scope);
    put(scope, "switch (");
    expression(scope, type, 2);
    put(scope, select_case(type));
    put(scope, ") {\n");
    for (uint32_t i = 0; i < cases; i++) {
        indent(scope);
        if (i == 1 && one_in(2))
            put(scope, "default: ");
        else
            put_case(scope, type, i);
        block(scope, 1);
        if (one_in(4))
            continue; /* falls through */
        indent(scope);
        put(scope, "    break;\n");
    }
    indent(scope);
    put(scope, "}\n");
}

/* A structure through a function, or a pointer to a variable. */
static void structure_call(struct scope *scope)
{
    for (uint32_t i = 0; i < scope->variable_count; i++) {
        const struct variable *v = &scope->variables[i];
        if (v->structure < 0 || v->is_constant || !scope->changes)
            continue;
        indent(scope);
        text_format(scope->out, "v%u = change_s%d(v%u, &v%u, ", v->number, v->structure, v->number,
                    v->number);
        expression(scope, (struct type){INT, 1}, 2);
        put(scope, ");\n");
        return;
    }
    mix(scope);
}

/* A block with a variable that counts from 0, and a label where jumps may go. */
static uint32_t open_block(struct scope *scope)
{
    const uint32_t number = scope->next_number++;
    indent(scope);
    put(scope, "{\n");
    scope->depth++;
    indent(scope);
    text_format(scope->out, "int v%u = 0;\n", number);
    return number;
}

static void close_block(struct scope *scope)
{
    scope->depth--;
    indent(scope);
    put(scope, "}\n");
}

static void inner_block(struct scope *scope)
{
    indent(scope);
    block(scope, 1 + below(2));
}

/* Out of a block, or into a loop: irreducible flow. */
static void jump(struct scope *scope)
{
    const bool into = scope->irreducible && scope->loop_depth < 2 && one_in(2);
    const uint32_t number = open_block(scope);
    indent(scope);
    put(scope, "if (");
    expression(scope, any_integer(1), 1);
    text_format(scope->out, ")\n");
    indent(scope);
    text_format(scope->out, "    goto l%u;\n", number);
    scope->loop_depth += into;
    if (into) {
        indent(scope);
        text_format(scope->out, "while (v%u < %u) {\n", number, 1 + below(4));
        scope->depth++;
    }
    inner_block(scope);
    indent(scope);
    text_format(scope->out, "l%u:\n", number);
    inner_block(scope);
    if (into) {
        indent(scope);
        text_format(scope->out, "v%u++;\n", number);
        close_block(scope);
    }
    scope->loop_depth -= into;
    close_block(scope);
}

/* A switch into the middle of a loop. */
static void switched_loop(struct scope *scope)
{
    const struct type type = {INT, 1};
    if (!scope->irreducible || scope->loop_depth == 2)
        return;
    const uint32_t number = open_block(scope);
    indent(scope);
    put(scope, "switch (");
    expression(scope, type, 2);
    text_format(scope->out, "%s)\n", select_case(type));
    indent(scope);
    put(scope, "case (int)0x80000001: do {\n");
    scope->depth++;
    scope->loop_depth++;
    for (uint32_t i = 0; i < 2; i++) {
        indent(scope);
        put_case(scope, type, 1 + i);
        block(scope, 1);
    }
    scope->loop_depth--;
    scope->depth--;
    indent(scope);
    text_format(scope->out, "} while (++v%u < %u);\n", number, 1 + below(3));
    close_block(scope);
}

/* Bytes that are seen as something else. */
static void view(struct scope *scope)
{
    const uint32_t number = scope->next_number++;
    indent(scope);
    text_format(scope->out, "{\n");
    scope->depth++;
    indent(scope);
    if (one_in(2)) {
        text_format(scope->out, "union bits v%u;\n", number);
        indent(scope);
        text_format(scope->out, "v%u.v = ", number);
        expression(scope, (struct type){UINT, 4}, 2);
        put(scope, ";\n");
        indent(scope);
        text_format(scope->out, "v%u.c[", number);
        index_expression(scope, 16, 1);
        put(scope, "] ^= ");
        expression(scope, (struct type){UCHAR, 1}, 2);
        put(scope, ";\n");
        indent(scope);
        text_format(scope->out, "hash = MIX(hash, v%u.s[", number);
        index_expression(scope, 8, 1);
        text_format(scope->out, "] + v%u.l[%u]);\n", number, below(2));
    } else {
        static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
        const struct type type = {one_in(2) ? FLOAT : DOUBLE, random_widths[3 + below(6)]};
        const bool is_vector = type.width > 1;
        text_format(scope->out, "ushort16 v%u = 0;\n", number);
        indent(scope);
        put(scope, is_vector && one_in(2) ? "vstorea_half" : "vstore_half");
        if (is_vector)
            text_format(scope->out, "%u", type.width);
        text_format(scope->out, "%s(CLEAN(%s, ", modes[below(5)], name_of(type));
        expression(scope, type, 2);
        text_format(scope->out, "), %u, (half *)&v%u);\n", is_vector ? 0 : below(16), number);
        indent(scope);
        text_format(scope->out, "hash = MIX(hash, as_ulong4(v%u).s%u);\n", number, below(4));
    }
    close_block(scope);
}

/* A vector stored among scalars. */
static void store(struct scope *scope)
{
    const struct type type = any_integer(random_widths[4 + below(5)]);
    const uint32_t number = scope->next_number++;
    indent(scope);
    put(scope, "{\n");
    scope->depth++;
    indent(scope);
    text_format(scope->out, "%s v%u[33] = {0};\n", name_of(with_width(type, 1)), number);
    indent(scope);
    text_format(scope->out, "vstore%u(", type.width);
    expression(scope, type, 2);
    text_format(scope->out, ", %u, v%u + %u);\n", below(2), number, below(2));
    indent(scope);
    text_format(scope->out, "hash = MIX(hash, v%u[", number);
    index_expression(scope, 32, 1);
    put(scope, "]);\n");
    close_block(scope);
}

/* A place of the work-item's own, by a pointer to one of several memories. */
static void reach(struct scope *scope)
{
    const uint32_t number = scope->next_number++;
    indent(scope);
    put(scope, "{\n");
    scope->depth++;
    indent(scope);
    text_format(scope->out, "uint *const v%u[3] = {ANY(own0), ANY(own1), ANY(own2)};\n", number);
    indent(scope);
    text_format(scope->out, "uint *p%u = (", number);
    expression(scope, (struct type){INT, 1}, 2);
    text_format(scope->out, ") ? ANY(own%u) : v%u[", below(3), number);
    index_expression(scope, 2, 1);
    text_format(scope->out, " + %u];\n", below(2));
    indent(scope);
    text_format(scope->out, "hash = MIX(hash, touch(p%u, ", number);
    expression(scope, (struct type){UINT, 1}, 1);
    put(scope, ", ");
    expression(scope, (struct type){UINT, 1}, 1);
    put(scope, "));\n");
    if (one_in(2)) {
        indent(scope);
        text_format(scope->out, "*(ushort2 *)(p%u + %u) = ", number, below(8));
        expression(scope, (struct type){USHORT, 2}, 2);
        put(scope, ";\n");
    }
    close_block(scope);
}

/* Each counter has one operation, so that the order of the work-items does not matter. */
static void count(struct scope *scope)
{
    static const char *const operations[] = {"add", "or", "and", "xor", "min", "max", "sub"};
    const uint32_t counter = below(RANDOM_COUNTERS);
    indent(scope);
    if (counter % 8 == 7) {
        text_format(scope->out, "COUNT_INC(&counters[%u]);\n", counter);
        return;
    }
    if (counter % 8 == 0 && one_in(2))
        text_format(scope->out, "COUNT_BY_EXCHANGE(&counters[%u], ", counter);
    else
        text_format(scope->out, "COUNT(%s, &counters[%u], ", operations[counter % 8], counter);
    expression(scope, (struct type){UINT, 1}, 2);
    put(scope, ");\n");
}

static void uniform_loop(struct scope *scope)
{
    const uint32_t variable_count = scope->variable_count;
    struct variable *counter = add_variable(scope, (struct type){UINT, 1});
    const uint32_t number = counter->number;
    counter->is_constant = true;
    indent(scope);
    text_format(scope->out, "for (uint v%u = 0; v%u < (uniform & 3u) + 1; v%u++) {\n", number,
                number, number);
    scope->depth++;
    group_statement(scope);
    mix(scope);
    assign(scope);
    scope->depth--;
    indent(scope);
    put(scope, "}\n");
    scope->variable_count = variable_count;
}

static void statement(struct scope *scope)
{
    const uint32_t kind = below(24);
    const bool in_kernel = scope->in_kernel;
    const bool together = in_kernel && scope->depth == 0;
    if (scope->statements == 0 || kind < 5) {
        assign(scope);
        return;
    }
    scope->statements--;
    if (kind < 8)
        declare(scope);
    else if (kind == 8)
        condition(scope);
    else if (kind == 9)
        loop(scope);
    else if (kind == 10)
        choice(scope);
    else if (kind == 11)
        structure_call(scope);
    else if (kind == 12)
        jump(scope);
    else if (kind == 13)
        switched_loop(scope);
    else if (kind == 14)
        view(scope);
    else if (kind == 15)
        store(scope);
    else if (kind == 16 && in_kernel)
        reach(scope);
    else if (kind == 17 && in_kernel)
        count(scope);
    else if (kind < 21 && together)
        group_statement(scope);
    else if (kind == 21 && together)
        uniform_loop(scope);
    else
        mix(scope);
}

static void statements(struct scope *scope, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        statement(scope);
}

/* ---- programs ---- */

static void make_structure(struct scope *scope, uint32_t number)
{
    struct structure *structure = &scope->structures[number];
    text_format(scope->out, "struct s%u {\n", number);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        structure->members[m] = any_type();
        structure->is_array[m] = m > 1 && one_in(2);
        text_format(scope->out, "    %s m%u", name_of(structure->members[m]), m);
        if (structure->is_array[m])
            text_format(scope->out, "[%d]", ARRAY_SIZE);
        put(scope, ";\n");
    }
    text_format(scope->out, "};\nstruct s%u make_s%u(int v0)\n{\n    struct s%u made;\n", number,
                number, number);
    for (uint32_t m = 0; m < MEMBERS; m++) {
        const char *name = name_of(structure->members[m]);
        const char *scalar = name_of(with_width(structure->members[m], 1));
        if (structure->is_array[m])
            text_format(
                scope->out,
                "    for (int i = 0; i < %d; i++)\n        made.m%u[i] = (%s)((%s)(i + (v0 & "
                "31)));\n",
                ARRAY_SIZE, m, name, scalar);
        else
            text_format(scope->out, "    made.m%u = (%s)((%s)(v0 & 63));\n", m, name, scalar);
    }
    put(scope, "    return made;\n}\n");
}

/* change_sN takes a structure by value and by pointer and gives one. */
static void make_change(struct scope *scope, uint32_t number)
{
    struct variable *given = add_variable(scope, (struct type){INT, 1});
    const uint32_t given_number = given->number;
    given->structure = (int)number;
    given->is_constant = true;
    struct variable *made = add_variable(scope, (struct type){INT, 1});
    const uint32_t made_number = made->number;
    made->structure = (int)number;
    struct variable *value = add_variable(scope, (struct type){INT, 1});
    value->is_constant = true;
    text_format(scope->out,
                "struct s%u change_s%u(const struct s%u v%u, struct s%u *place, int v%u)\n{\n"
                "    ulong hash = 1;\n    struct s%u v%u = v%u;\n",
                number, number, number, given_number, number, value->number, number, made_number,
                given_number);
    statements(scope, 3);
    text_format(scope->out, "    place->m0 = v%u.m0;\n    v%u.m1 = place->m1;\n", given_number,
                made_number);
    text_format(scope->out, "    return v%u;\n}\n", made_number);
    scope->variable_count = 0;
}

static void make_function(struct scope *scope, uint32_t number)
{
    struct function function = {.result = any_type()};
    function.parameter_count = 1 + below(3);
    text_format(scope->out, "%s f%u(", name_of(function.result), number);
    for (uint32_t p = 0; p < function.parameter_count; p++) {
        function.parameters[p] = any_type();
        const struct variable *v = add_variable(scope, function.parameters[p]);
        text_format(scope->out, "%s%s v%u", p == 0 ? "" : ", ", name_of(function.parameters[p]),
                    v->number);
    }
    put(scope, ")\n{\n    ulong hash = 2;\n");
    scope->statements = 6;
    statements(scope, 2 + below(3));
    if (one_in(2)) {
        put(scope, "    if (hash & 1)\n        return ");
        expression(scope, function.result, 2);
        put(scope, ";\n");
    }
    put(scope, "    return ");
    expression(scope, function.result, 3);
    put(scope, ";\n}\n");
    scope->variable_count = 0;
    scope->functions[scope->function_count++] = function;
}

/* PoCL 6 does not survive a local variable that no code uses, where it does not optimise: `wide` is
 * written by code that is never reached. */
static void make_kernel(struct scope *scope, uint32_t number)
{
    text_format(scope->out,
                "kernel void k%u(global ulong *out, global uint *counters, global const uchar "
                "*in8,\n    global const uint *in32, global const float *in_float, local uint "
                "*tile, uint uniform)\n{\n",
                number);
    put(scope, "    const uint id = get_global_id(0), lid = get_local_id(0);\n"
               "    const uint size = get_local_size(0);\n    ulong hash = id;\n"
               "    local ulong wide[ITEMS / 3];\n    OWN_PLACES;\n"
               "    if (uniform > 6)\n        wide[lid] = 0;\n"
               "    for (uint i = 0; i < LENGTH; i++)\n"
               "        own0[i] = own1[i] = own2[i] = in32[(id + i) & 255];\n");
    scope->in_kernel = true;
    scope->statements = 30;
    for (uint32_t i = 0; i < 3; i++)
        declare(scope);
    statements(scope, 8 + below(10));
    for (uint32_t i = 0; i < 3; i++)
        mix(scope);
    put(scope, "    out[id] = hash;\n}\n");
    scope->variable_count = 0;
    scope->in_kernel = false;
}

bool random_is_irreducible(uint64_t seed)
{
    return seed % 3 == 1;
}

void random_kernels(uint64_t seed, struct text *source)
{
    static struct scope scope;
    scope = (struct scope){.out = source, .irreducible = random_is_irreducible(seed)};
    chance_seed(seed);
    random_prelude(source);
    for (uint32_t i = 0; i < STRUCTS; i++)
        make_structure(&scope, i);
    scope.statements = 4;
    for (uint32_t i = 0; i < STRUCTS; i++)
        make_change(&scope, i);
    scope.changes = true;
    for (uint32_t i = 0; i < 4; i++)
        make_function(&scope, i);
    for (uint32_t i = 0; i < RANDOM_KERNELS; i++)
        make_kernel(&scope, i);
}
