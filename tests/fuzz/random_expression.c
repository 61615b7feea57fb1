/* Random expressions of OpenCL C, by the type that is wanted. */
#include "tests/fuzz/random_expression.h"

#include "tests/fuzz/random_kernel.h"

static uint64_t state;

void chance_seed(uint64_t seed)
{
    state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t below(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(state * UINT64_C(2685821657736338717) >> 33) % limit;
}

bool one_in(uint32_t count)
{
    return below(count) == 0;
}

/* ---- types ---- */

static const char *const base_names[] = {"char", "uchar", "short", "ushort", "int",
                                         "uint", "long",  "ulong", "float",  "double"};
static const uint8_t base_bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
const uint8_t random_widths[9] = {1, 1, 1, 1, 2, 3, 4, 8, 16};

bool is_float(struct type type)
{
    return type.base >= FLOAT;
}

static struct type with_base(struct type type, enum base base)
{
    return (struct type){base, type.width};
}

struct type with_width(struct type type, uint32_t width)
{
    return (struct type){type.base, width};
}

static struct type unsigned_of(struct type type)
{
    return with_base(type, (enum base)(type.base | 1));
}

/* What comparisons of vectors of the type give. */
struct type mask_of(struct type type)
{
    static const enum base masks[] = {CHAR, CHAR, SHORT, SHORT, INT, INT, LONG, LONG, INT, LONG};
    return with_base(type, masks[type.base]);
}

static uint32_t base_count = BASE_COUNT;

void types_limit(uint32_t count)
{
    base_count = count;
}

uint32_t base_size(enum base base)
{
    return base_bytes[base];
}

struct type any_type(void)
{
    return (struct type){(enum base)below(base_count), random_widths[below(sizeof random_widths)]};
}

struct type any_integer(uint32_t width)
{
    return (struct type){(enum base)below(FLOAT), width};
}

const char *name_of(struct type type)
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

void put(struct scope *scope, const char *string)
{
    text_append(scope->out, string);
}

void indent(struct scope *scope)
{
    for (uint32_t i = 0; i <= scope->depth; i++)
        put(scope, "    ");
}

/* ---- expressions ---- */

void index_expression(struct scope *scope, uint32_t limit, uint32_t depth)
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
    text_format(scope->out, hidden ? "hide_%s(" : "number_%s(", name);
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

/* What stands after the name of a vector's base, or of a function's. */
static void put_width(struct scope *scope, struct type type)
{
    if (type.width > 1)
        text_format(scope->out, "%u", type.width);
}

/* A vector loaded from an input, or halves from the bytes: false when the base has none. */
static bool loaded(struct scope *scope, struct type type)
{
    static const char *const from[BASE_COUNT] = {
        [CHAR] = "(global const char *)in8",   [UCHAR] = "in8",
        [SHORT] = "(global const short *)in8", [UINT] = "in32",
        [INT] = "(global const int *)in32",    [ULONG] = "(global const ulong *)in32",
        [FLOAT] = "(global const half *)in8",
    };
    if (from[type.base] == NULL || (type.width == 1 && type.base != FLOAT))
        return false;
    const bool aligned = type.width > 1 && one_in(2);
    put(scope, type.base != FLOAT ? "vload" : aligned ? "vloada_half" : "vload_half");
    put_width(scope, type);
    put(scope, "(");
    /* 64 bytes of the shortest input for a vector of the largest stride */
    index_expression(scope, RANDOM_INPUTS / 64, 1);
    text_format(scope->out, ", %s)", from[type.base]);
    return true;
}

void place_name(struct scope *scope, const struct variable *variable, int member, uint32_t depth)
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
    if (!one_in(5) &&
        (scope->leaf != NULL ? scope->leaf(scope, type) : place_of_type(scope, type, false, 0)))
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

/* The text with %T the type, %N its width, %U its unsigned type, %M its mask type, %W the unsigned
 * type that its scalar arithmetic is done in; an expression of the type for $, of its unsigned type
 * for `, of its mask type for @, a small positive integer literal for #. */
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
            text++;
            if (*text == 'N') {
                put_width(scope, type);
                continue;
            }
            const char *name = *text == 'T'       ? name_of(type)
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

/* PoCL 3.1 takes for granted that the results of abs and abs_diff are not negative as signed ones
 * either. */
static const char *const integer_functions[] = {
    "add_sat($, $)",
    "sub_sat($, $)",
    "hadd($, $)",
    "rhadd($, $)",
    "max($, $)",
    "min($, $)",
    "mul_hi($, $)",
    "rotate($, $)",
    "clz($)",
    "popcount($)",
    "bitselect($, $, $)",
    "mad_hi($, $, $)",
    "mad_sat($, $, $)",
    "as_%T(abs(add_sat($, (%T)(1))))",
    "as_%T(abs_diff(hadd($, (%T)(0)), hadd($, (%T)(0))))"};

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

/* Of floats, by way of half. */
static const char *const half_arithmetic[] = {
    "HALF_FROM(%N, $)",    "HALF_1(%N, sqrt, fabs($))", "HALF_1(%N, floor, $)",
    "HALF_1(%N, rint, $)", "HALF_1(%N, -, $)",          "HALF_1(%N, round, $)",
    "HALF_2(%N, +, $, $)", "HALF_2(%N, -, $, $)",       "HALF_2(%N, *, $, $)",
    "HALF_2(%N, /, $, $)", "HALF_FMA(%N, $, $, $)"};

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

/* Through a half: a calculation, or a conversion between it and integers. */
static bool half(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    if (type.base == DOUBLE || base_count <= FLOAT)
        return false;
    if (!is_float(type)) {
        put(scope, "HALF_TO(");
        put_width(scope, type);
        text_format(scope->out, ", %s, %s, ", name_of(type), modes[below(5)]);
        expression(scope, with_base(type, FLOAT), depth);
        put(scope, ")");
    } else if (one_in(8)) {
        put(scope, "HALF_FROM(");
        put_width(scope, type);
        put(scope, ", ");
        expression(scope, with_base(type, (enum base)below(LONG)), depth);
        put(scope, ")");
    } else {
        pattern(scope, ANY_OF(half_arithmetic), type, depth);
    }
    return true;
}

/* A constant or, of the program's scope, a global variable. */
static bool constant(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const names[] = {"table[", "entry[", "pairs["};
    const bool of_pairs = type.base == ULONG || (type.base == USHORT && type.width == 4);
    if (!of_pairs && (type.base != UINT || type.width > 1))
        return false;
    if (of_pairs && type.base == ULONG && type.width > 1)
        return false;
    const uint32_t which = of_pairs ? 2 : below(2);
    put(scope, names[which]);
    index_expression(scope, which == 0 ? 16 : which == 1 ? 8 : 4, depth);
    put(scope, which < 2 ? "]" : type.base == ULONG ? "].b" : "].c");
    return true;
}

static void conversion(struct scope *scope, struct type type, uint32_t depth)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    struct type from = with_width(type, type.width);
    from.base = (enum base)below(base_count);
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
        if (function->result.base != type.base || function->result.width != type.width)
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

void expression(struct scope *scope, struct type type, uint32_t depth)
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
        if (base_count > FLOAT && (type.base == INT || type.base == LONG) &&
            (type.width > 1 || type.base == INT))
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
        if (scope->leaf == NULL && constant(scope, type, depth))
            return;
        if (!scope->in_kernel ||
            (type.width > 1 ? !loaded(scope, type) : !input(scope, type.base, depth)))
            leaf(scope, type, false);
        return;
    case 12:
        if (!half(scope, type, depth))
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
