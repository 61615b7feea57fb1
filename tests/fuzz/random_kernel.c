/* A generator of kernels, top-down: statements of a kernel or function, their expressions by the
 * type that is wanted. What must not happen is avoided where the text is made:
 *
 *     signed overflow          arithmetic is done on the unsigned type
 *     division                 by something from 1 to 63
 *     conversion out of range  from floats always with saturation
 *     bits of a NaN            CLEAN_* makes it 0 before anybody looks at bits
 *     races                    a work-item writes its own places, or adds to counters atomically
 *     divergent barriers       only at the top level of a kernel, or in a loop there of uniform
 * count endless loops            counts are at most 7 values never written     every variable is
 * initialised */
#include "tests/fuzz/random_kernel.h"

#include <stdbool.h>
#include <stddef.h>

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * UINT64_C(2685821657736338717) >> 33) % limit;
}

static bool one_in(uint32_t count)
{
    return below(count) == 0;
}

/* ---- types ---- */

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, BASE_COUNT };
static const char *const base_names[] = {"char", "uchar", "short", "ushort", "int",
                                         "uint", "long",  "ulong", "float",  "double"};
static const uint8_t base_bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
static const uint8_t widths[] = {1, 1, 1, 1, 2, 3, 4, 8, 16};

struct type {
    enum base base;
    uint32_t width;
};

static bool is_float(struct type type)
{
    return type.base >= FLOAT;
}

static struct type with_base(struct type type, enum base base)
{
    return (struct type){base, type.width};
}

static struct type with_width(struct type type, uint32_t width)
{
    return (struct type){type.base, width};
}

static struct type unsigned_of(struct type type)
{
    return with_base(type, (enum base)(type.base | 1));
}

/* What comparisons of vectors of the type give. */
static struct type mask_of(struct type type)
{
    static const enum base masks[] = {CHAR, CHAR, SHORT, SHORT, INT, INT, LONG, LONG, INT, LONG};
    return with_base(type, masks[type.base]);
}

static struct type any_type(void)
{
    return (struct type){(enum base)below(BASE_COUNT), widths[below(sizeof widths)]};
}

static struct type any_integer(uint32_t width)
{
    return (struct type){(enum base)below(FLOAT), width};
}

static const char *name_of(struct type type)
{
    static char names[8][16];
    static uint32_t next;
    struct text text = TEXT_INIT;
    char *name = names[next++ % 8];
    text_append(&text, base_names[type.base]);
    if (type.width > 1)
        text_format(&text, "%u", type.width);
    for (size_t i = 0; i <= text.size && i < sizeof names[0]; i++)
        name[i] = text.bytes[i];
    text_release(&text);
    return name;
}

/* ---- what is in reach ---- */

enum { VARIABLES_MAX = 256, FUNCTIONS_MAX = 6, STRUCTS = 2, MEMBERS = 4, ARRAY_SIZE = 8 };

struct variable {
    struct type type;
    uint32_t number;
    bool is_array, is_constant; /* constant: a loop's counter or a parameter */
    int structure;              /* -1 = none: the type counts */
};

struct structure {
    struct type members[MEMBERS];
    bool is_array[MEMBERS]; /* of ARRAY_SIZE; the first two are none */
};

struct function {
    struct type result, parameters[3];
    uint32_t parameter_count;
    int structure; /* takes one by value and gives one; -1 = none */
};

struct scope {
    struct text *out;
    struct variable variables[VARIABLES_MAX];
    uint32_t variable_count;
    uint32_t next_number;
    uint32_t depth, loop_depth;
    uint32_t statements; /* that may still come */
    bool in_kernel;
    bool changes; /* change_s0 ... are there to be called */
    struct structure structures[STRUCTS];
    struct function functions[FUNCTIONS_MAX];
    uint32_t function_count;
};

static void put(struct scope *scope, const char *string)
{
    text_append(scope->out, string);
}

static void indent(struct scope *scope)
{
    for (uint32_t i = 0; i <= scope->depth; i++)
        put(scope, "    ");
}

static struct variable *add_variable(struct scope *scope, struct type type)
{
    if (scope->variable_count == VARIABLES_MAX)
        scope->variable_count--; /* the innermost one is forgotten */
    struct variable *variable = &scope->variables[scope->variable_count++];
    *variable = (struct variable){.type = type, .number = scope->next_number++, .structure = -1};
    return variable;
}

/* ---- expressions ---- */

static void expression(struct scope *scope, struct type type, uint32_t depth);

static void index_expression(struct scope *scope, uint32_t limit, uint32_t depth)
{
    put(scope, "(");
    expression(scope, (struct type){UINT, 1}, depth);
    text_format(scope->out, " & %uu)", limit - 1);
}

/* A number. What vectors are made of comes from a function, since llvm-spirv 15 cannot translate
 * every constant expression that clang makes of constant vectors. */
static void literal(struct scope *scope, enum base base, bool hidden)
{
    static const char *const floats[] = {"0.0f",        "1.0f",   "-1.5f", "0.1f",
                                         "16777216.0f", "-3e-5f", "1e20f", "0x1p-130f"};
    static const uint64_t integers[] = {0, 1, 2, 3, 7, 31, 64, 127, 128, 255, 32768, 65535};
    const char *name = base_names[base];
    text_format(scope->out, hidden ? "hide_%s(" : "((%s)", name);
    if (base >= FLOAT) {
        text_format(scope->out, "(%s))", floats[below(8)]);
        return;
    }
    uint64_t value = integers[below(12)];
    if (one_in(3))
        value = (uint64_t)below(1u << 31) * below(1u << 31) * 3;
    if (one_in(4))
        value = ~value;
    value &= ~UINT64_C(0) >> (64 - 8 * base_bytes[base]);
    text_format(scope->out, "as_%s((%s)0x%llxUL))", name, base_names[base | 1],
                (unsigned long long)value);
}

/* An element of an input of the scalar type: false when there is none. */
static bool input(struct scope *scope, enum base base, uint32_t depth)
{
    if (base != UCHAR && base != UINT && base != FLOAT)
        return false;
    put(scope, base == UCHAR ? "in8[" : base == UINT ? "in32[" : "in_float[");
    if (depth > 0 && one_in(2))
        index_expression(scope, RANDOM_INPUTS, depth - 1);
    else
        text_format(scope->out, "(id * %uu + %uu) & %uu", 1 + below(9), below(99),
                    RANDOM_INPUTS - 1);
    put(scope, "]");
    return true;
}

static void place_name(struct scope *scope, const struct variable *variable, int member,
                       uint32_t depth)
{
    text_format(scope->out, "v%u", variable->number);
    bool is_array = variable->is_array;
    if (variable->structure >= 0) {
        text_format(scope->out, ".m%d", member);
        is_array = scope->structures[variable->structure].is_array[member];
    }
    if (!is_array)
        return;
    put(scope, "[");
    index_expression(scope, ARRAY_SIZE, depth);
    put(scope, "]");
}

/* A variable, array element or member of the type; false when there is none. */
static bool place_of_type(struct scope *scope, struct type type, bool writable, uint32_t depth)
{
    const struct variable *found = NULL;
    int found_member = -1;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < scope->variable_count; i++) {
        const struct variable *v = &scope->variables[i];
        if (writable && v->is_constant)
            continue;
        for (int m = 0; m < (v->structure < 0 ? 1 : MEMBERS); m++) {
            const struct type is =
                v->structure < 0 ? v->type : scope->structures[v->structure].members[m];
            if (is.base == type.base && is.width == type.width && one_in(++seen)) {
                found = v;
                found_member = m;
            }
        }
    }
    if (found == NULL)
        return false;
    place_name(scope, found, found_member, depth);
    return true;
}

static void leaf(struct scope *scope, struct type type, bool hidden)
{
    if (!one_in(5) && place_of_type(scope, type, false, 0))
        return;
    if (type.width > 1) {
        text_format(scope->out, "((%s)(", name_of(type));
        leaf(scope, with_width(type, 1), true);
        put(scope, "))");
        return;
    }
    if (scope->in_kernel && one_in(2) && input(scope, type.base, 0))
        return;
    literal(scope, type.base, hidden);
}

/* The text with %T the type, %U its unsigned type, %M its mask type, %W the unsigned type that its
 * scalar arithmetic is done in; an expression of the type for $, of its unsigned type for `, of
 * its mask type for @, a small positive integer literal for #. */
static void pattern(struct scope *scope, const char *text, struct type type, uint32_t depth)
{
    for (; *text != '\0'; text++) {
        if (*text == '$') {
            expression(scope, type, depth);
        } else if (*text == '`') {
            expression(scope, unsigned_of(type), depth);
        } else if (*text == '@') {
            expression(scope, mask_of(type), depth);
        } else if (*text == '#') {
            text_format(scope->out, "%u", 1 + below(31));
        } else if (*text == '%' && text[1] != ' ') {
            const char *name = *++text == 'T'     ? name_of(type)
                               : *text == 'U'     ? name_of(unsigned_of(type))
                               : *text == 'M'     ? name_of(mask_of(type))
                               : type.base < LONG ? "uint"
                                                  : "ulong";
            put(scope, name);
        } else {
            text_append_char(scope->out, *text);
        }
    }
}

#define ANY_OF(patterns) (patterns)[below(sizeof(patterns) / sizeof((patterns)[0]))]

static const char *const integer_functions[] = {
    "add_sat($, $)",    "sub_sat($, $)", "hadd($, $)",           "rhadd($, $)",
    "max($, $)",        "min($, $)",     "mul_hi($, $)",         "rotate($, $)",
    "clz($)",           "popcount($)",   "bitselect($, $, $)",   "mad_hi($, $, $)",
    "mad_sat($, $, $)", "as_%T(abs($))", "as_%T(abs_diff($, $))"};

static const char *const scalar_arithmetic[] = {"((%T)((%W)$ + (%W)$))",
                                                "((%T)((%W)$ - (%W)$))",
                                                "((%T)((%W)$ * (%W)$))",
                                                "((%T)($ & $))",
                                                "((%T)($ | $))",
                                                "((%T)($ ^ $))",
                                                "((%T)~$)",
                                                "((%T)($ >> `))",
                                                "((%T)($ << `))",
                                                "((%T)($ / (%T)(($ & (%T)63) | (%T)1)))",
                                                "((%T)($ % (%T)(($ & (%T)63) | (%T)1)))",
                                                "((%T)($ < $))",
                                                "((%T)($ == $))",
                                                "((%T)($ >= $))",
                                                "((%T)($ && $))",
                                                "((%T)($ || !$))",
                                                "((%T)(- (%W)$))"};

static const char *const vector_arithmetic[] = {"as_%T(` + `)",
                                                "as_%T(` - `)",
                                                "as_%T(` * `)",
                                                "($ & $)",
                                                "($ | $)",
                                                "($ ^ $)",
                                                "(~$)",
                                                "($ >> $)",
                                                "($ << $)",
                                                "($ / (($ & (%T)(63)) | (%T)(1)))",
                                                "($ % (($ & (%T)(63)) | (%T)(1)))",
                                                "as_%T($ < $)",
                                                "as_%T($ == $)",
                                                "as_%T($ >= $)",
                                                "as_%T(-`)",
                                                "as_%T(!$)",
                                                "as_%T(` * (%U)(#))"};

static const char *const float_arithmetic[] = {"($ + $)",
                                               "($ - $)",
                                               "($ * $)",
                                               "($ / $)",
                                               "fma($, $, $)",
                                               "sqrt(fabs($))",
                                               "floor($)",
                                               "ceil($)",
                                               "trunc($)",
                                               "rint($)",
                                               "round($)",
                                               "fabs($)",
                                               "copysign($, CLEAN(%T, $))",
                                               "(-$)",
                                               "($ * (%T)(0.5f))",
                                               "($ + (%T)(1.0f))"};

static void conversion(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    struct type from = with_width(type, type.width);
    from.base = (enum base)below(BASE_COUNT);
    if (is_float(type))
        text_format(scope->out, "convert_%s%s(", name_of(type), modes[below(5)]);
    else if (is_float(from))
        text_format(scope->out, "convert_%s_sat%s(", name_of(type), modes[below(5)]);
    else
        text_format(scope->out, "convert_%s%s(", name_of(type), one_in(2) ? "" : "_sat");
    expression(scope, from, depth);
    put(scope, ")");
}

/* The same bits as another type of the same size. */
static void reinterpretation(struct scope *scope, struct type type, uint32_t depth)
{
    struct type from = any_type();
    for (uint32_t tries = 0; tries < 30; tries++) {
        if (base_bytes[from.base] * from.width == base_bytes[type.base] * type.width &&
            (from.width == 3) == (type.width == 3))
            break;
        from = any_type();
    }
    if (base_bytes[from.base] * from.width != base_bytes[type.base] * type.width ||
        (from.width == 3) != (type.width == 3)) {
        leaf(scope, type, false);
        return;
    }
    text_format(scope->out, "as_%s(", name_of(type));
    if (is_float(from))
        put(scope, from.base == FLOAT ? "CLEAN(float" : "CLEAN(double");
    if (is_float(from) && from.width > 1)
        text_format(scope->out, "%u", from.width);
    put(scope, is_float(from) ? ", " : "");
    if (from.width == 1)
        text_format(scope->out, "hide_%s", base_names[from.base]);
    put(scope, "(");
    expression(scope, from, depth);
    put(scope, is_float(from) ? ")))" : "))");
}

static void comparison(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const relations[] = {"isequal",    "isless",        "isgreaterequal",
                                            "isnotequal", "islessgreater", "isunordered"};
    struct type of = with_base(type, type.base == INT ? FLOAT : DOUBLE);
    if (type.width == 1) /* of scalars the result is int for both */
        of.base = type.base == INT && one_in(2) ? FLOAT : DOUBLE;
    text_format(scope->out, "%s(", ANY_OF(relations));
    expression(scope, of, depth);
    put(scope, ", ");
    expression(scope, of, depth);
    put(scope, ")");
}

/* Components of a wider vector, or a vector of narrower ones. */
static void components(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const halves[] = {"lo", "hi", "even", "odd"};
    static const char *const threes[] = {"zxy", "xyz", "wzx", "xxy"};
    static const char *const fours[] = {"s7531", "s0246", "s1122", "s7654"};
    if (type.width == 1) {
        put(scope, "(");
        expression(scope, with_width(type, 8), depth);
        text_format(scope->out, ").s%u", below(8));
    } else if (type.width == 3) {
        put(scope, "(");
        expression(scope, with_width(type, 4), depth);
        text_format(scope->out, ").%s", ANY_OF(threes));
    } else if (type.width == 4 && one_in(2)) {
        put(scope, "(");
        expression(scope, with_width(type, 8), depth);
        text_format(scope->out, ").%s", ANY_OF(fours));
    } else if (type.width < 16 && one_in(2)) {
        put(scope, "(");
        expression(scope, with_width(type, type.width * 2), depth);
        text_format(scope->out, ").%s", ANY_OF(halves));
    } else {
        text_format(scope->out, "((%s)(", name_of(type));
        for (uint32_t half = 0; half < 2; half++) {
            put(scope, half == 0 ? "" : ", ");
            if (type.width == 2)
                leaf(scope, with_width(type, 1), true);
            else
                expression(scope, with_width(type, type.width / 2), depth);
        }
        put(scope, "))");
    }
}

static void selection(struct scope *scope, struct type type, uint32_t depth)
{
    if (type.width > 1) {
        static const char *const choices[] = {"(@ ? $ : $)", "select($, $, @)"};
        pattern(scope, ANY_OF(choices), type, depth);
        return;
    }
    text_format(scope->out, "((%s)(", name_of(type)); /* of short types it would be an int */
    expression(scope, any_integer(1), depth);
    pattern(scope, " ? $ : $))", type, depth);
}

static void shuffling(struct scope *scope, struct type type, uint32_t depth)
{
    static const uint8_t shuffled[] = {2, 4, 8, 16};
    const struct type from = with_width(type, shuffled[below(4)]);
    const struct type mask = unsigned_of(mask_of(type));
    const bool two = one_in(2);
    put(scope, two ? "shuffle2(" : "shuffle(");
    expression(scope, from, depth);
    put(scope, ", ");
    if (two) {
        expression(scope, from, depth);
        put(scope, ", ");
    }
    expression(scope, mask, depth);
    put(scope, ")");
}

static bool call(struct scope *scope, struct type type, uint32_t depth)
{
    for (uint32_t i = 0; i < scope->function_count; i++) {
        const struct function *function = &scope->functions[i];
        if (function->structure >= 0 || function->result.base != type.base ||
            function->result.width != type.width)
            continue;
        text_format(scope->out, "f%u(", i);
        for (uint32_t p = 0; p < function->parameter_count; p++) {
            put(scope, p == 0 ? "" : ", ");
            expression(scope, function->parameters[p], depth);
        }
        put(scope, ")");
        return true;
    }
    return false;
}

static bool any_all(struct scope *scope, struct type type, uint32_t depth)
{
    static const enum base signed_bases[] = {CHAR, SHORT, INT, LONG};
    static const uint8_t vectors[] = {2, 3, 4, 8, 16};
    if (type.base != INT || type.width != 1)
        return false;
    const struct type of = {signed_bases[below(4)], vectors[below(5)]};
    put(scope, one_in(2) ? "any(" : "all(");
    expression(scope, of, depth);
    put(scope, ")");
    return true;
}

static void expression(struct scope *scope, struct type type, uint32_t depth)
{
    if (depth == 0) {
        leaf(scope, type, false);
        return;
    }
    depth--;
    switch (below(16)) {
    case 0:
        conversion(scope, type, depth);
        return;
    case 1:
        if (!is_float(type) || one_in(2))
            reinterpretation(scope, type, depth);
        else
            conversion(scope, type, depth);
        return;
    case 2:
    case 3:
        components(scope, type, depth);
        return;
    case 4:
        selection(scope, type, depth);
        return;
    case 5:
        if ((type.base == INT || type.base == LONG) && (type.width > 1 || type.base == INT))
            comparison(scope, type, depth);
        else
            leaf(scope, type, false);
        return;
    case 6:
        if (type.width > 1 && type.width != 3)
            shuffling(scope, type, depth);
        else if (!any_all(scope, type, depth))
            leaf(scope, type, false);
        return;
    case 7:
    case 8:
        if (!call(scope, type, depth))
            leaf(scope, type, false);
        return;
    case 9:
        if (!scope->in_kernel || type.width > 1 || !input(scope, type.base, depth))
            leaf(scope, type, false);
        return;
    case 10:
    case 11:
        if (!is_float(type)) {
            pattern(scope, ANY_OF(integer_functions), type, depth);
            return;
        }
        break;
    default:
        break;
    }
    if (is_float(type))
        pattern(scope, ANY_OF(float_arithmetic), type, depth);
    else if (type.width == 1)
        pattern(scope, ANY_OF(scalar_arithmetic), type, depth);
    else
        pattern(scope, ANY_OF(vector_arithmetic), type, depth);
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

static void choice(struct scope *scope)
{
    const struct type type = {one_in(3) ? ULONG : INT, 1};
    const uint32_t cases = 2 + below(3);
    indent(scope);
    put(scope, "switch (");
    expression(scope, type, 2);
    put(scope, " & 3) {\n");
    for (uint32_t i = 0; i < cases; i++) {
        indent(scope);
        if (i == 1 && one_in(2))
            put(scope, "default: ");
        else
            text_format(scope->out, "case %u: ", i);
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

/* Each counter has one operation, so that the order of the work-items does not matter. */
static void count(struct scope *scope)
{
    static const char *const operations[] = {"add", "or", "and", "xor", "min", "max", "sub", "inc"};
    const uint32_t counter = below(RANDOM_COUNTERS);
    const char *operation = operations[counter % 8];
    indent(scope);
    if (counter % 8 == 7) {
        text_format(scope->out, "atomic_inc(&counters[%u]);\n", counter);
        return;
    }
    text_format(scope->out, "atomic_%s(&counters[%u], ", operation, counter);
    expression(scope, (struct type){UINT, 1}, 2);
    put(scope, ");\n");
}

/* Everybody shows a value to the group and looks at that of another. */
static void exchange(struct scope *scope)
{
    indent(scope);
    put(scope, "tile[lid] = ");
    expression(scope, (struct type){UINT, 1}, 2);
    put(scope, ";\n");
    indent(scope);
    put(scope, "barrier(CLK_LOCAL_MEM_FENCE);\n");
    indent(scope);
    text_format(scope->out, "hash = MIX(hash, tile[(lid + %uu) %% size]);\n", 1 + below(70));
    indent(scope);
    put(scope, "barrier(CLK_LOCAL_MEM_FENCE);\n");
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
    exchange(scope);
    mix(scope);
    assign(scope);
    scope->depth--;
    indent(scope);
    put(scope, "}\n");
    scope->variable_count = variable_count;
}

static void statement(struct scope *scope)
{
    const uint32_t kind = below(16);
    if (scope->statements == 0 || kind < 4) {
        assign(scope);
        return;
    }
    scope->statements--;
    if (kind < 7)
        declare(scope);
    else if (kind == 7)
        condition(scope);
    else if (kind == 8)
        loop(scope);
    else if (kind == 9)
        choice(scope);
    else if (kind == 10)
        structure_call(scope);
    else if (kind == 11 && scope->in_kernel)
        count(scope);
    else if (kind == 12 && scope->in_kernel && scope->depth == 0)
        exchange(scope);
    else if (kind == 13 && scope->in_kernel && scope->depth == 0)
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
        const char *scalar = base_names[structure->members[m].base];
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
    struct function function = {.result = any_type(), .structure = -1};
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

static void make_kernel(struct scope *scope, uint32_t number)
{
    text_format(scope->out,
                "kernel void k%u(global ulong *out, global uint *counters, global const uchar "
                "*in8,\n    global const uint *in32, global const float *in_float, local uint "
                "*tile, uint uniform)\n{\n",
                number);
    put(scope, "    const uint id = get_global_id(0), lid = get_local_id(0);\n"
               "    const uint size = get_local_size(0);\n    ulong hash = id;\n");
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

void random_kernels(uint64_t seed, struct text *source)
{
    static struct scope scope;
    scope = (struct scope){.out = source};
    state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    text_append(source,
                "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
                "#define MIX(hash, value) (rotate(hash, 7UL) * 0x9e3779b97f4a7c15UL ^ "
                "(ulong)(value))\n"
                "#define CLEAN(type, value) clean_##type(value)\n");
    for (uint32_t b = FLOAT; b <= DOUBLE; b++) {
        for (uint32_t w = 3; w < sizeof widths; w++) {
            const char *name = name_of((struct type){(enum base)b, widths[w]});
            const char *test =
                widths[w] == 1 ? "isnan(x) ? (%s)(0) : x" : "select(x, (%s)(0), isnan(x))";
            text_format(source, "%s clean_%s(%s x) { return ", name, name, name);
            for (; *test != '\0'; test++) {
                if (*test == '%' && *++test == 's')
                    text_append(source, name);
                else
                    text_append_char(source, *test);
            }
            text_append(source, "; }\n");
        }
    }
    for (uint32_t b = 0; b < BASE_COUNT; b++)
        text_format(source, "%s hide_%s(%s x) { return x; }\n", base_names[b], base_names[b],
                    base_names[b]);
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
