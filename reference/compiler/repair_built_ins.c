/* clang 18 and later say of C++ for OpenCL that it is such, by `!opencl.cxx.version`. llvm-spirv
 * then takes get_global_id and the other built-in functions for functions of the program, which
 * nobody defines. Without that line it knows them, as in OpenCL C. From 17 on it also ends with an
 * assertion at printf by its name in C++; here it has that of C.
 *
 * llvm-spirv 19 does not know conversions between integers with a rounding mode, which is of no
 * effect there:
 *
 *     declare spir_func i8 @_Z16convert_char_rtel(i64)
 *
 * Here they have none: @_Z12convert_charl. */
#include "reference/compiler/repairs.h"

#include "reference/compiler/ir_text.h"
#include "reference/compiler/rewrite.h"

#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdlib.h>

static const char claim[] = "!opencl.cxx.version = ";
static const char printf_of_cpp[] = "@_Z6printfPU3AS2Kcz(";

/* ---- conversions ---- */

/* A function by its mangled name. */
struct conversion {
    struct ir_piece name;       /* "@_Z16convert_char_rtel(" */
    struct ir_piece plain;      /* "convert_char" */
    struct ir_piece parameters; /* "l(" */
};

/* Letters of integer types, alone or after "Dv4_". */
static bool is_integer(struct ir_piece parameters)
{
    const char *at = parameters.at;
    if (ir_starts(parameters, "Dv")) {
        at += strlen("Dv");
        at += strspn(at, "0123456789");
        at += *at == '_';
    }
    return *at != '\0' && strchr("achstijlm", *at) && at[1] == '(';
}

static bool converts_to_integer(struct ir_piece plain)
{
    static const char *const starts[] = {
        "convert_char",  "convert_short",  "convert_int",  "convert_long",
        "convert_uchar", "convert_ushort", "convert_uint", "convert_ulong",
    };
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (ir_starts(plain, starts[i]))
            return true;
    }
    return false;
}

/* Is there such a conversion at `at`? */
static bool find_conversion(const char *at, const char *end, struct conversion *found)
{
    static const size_t mode = sizeof("_rte") - 1;
    char *name;
    if (end - at < 4 || strncmp(at, "@_Z", 3) != 0)
        return false;
    const size_t size = strtoull(at + 3, &name, 10);
    if (name >= end || size <= mode || size >= (size_t)(end - name) ||
        memcmp(name + size - mode, "_rt", 3) != 0)
        return false;
    const struct ir_piece plain = {.at = name, .size = size - mode};
    const char *open = memchr(name + size, '(', (size_t)(end - name) - size);
    if (!open || !converts_to_integer(plain))
        return false;
    *found = (struct conversion){
        .name = {.at = at, .size = (size_t)(open + 1 - at)},
        .plain = plain,
        .parameters = {.at = name + size, .size = (size_t)(open + 1 - name) - size}};
    return is_integer(found->parameters);
}

static void append_plain(struct text *text, const struct conversion *conversion)
{
    text_format(text, "@_Z%zu%.*s%.*s", conversion->plain.size, (int)conversion->plain.size,
                conversion->plain.at, (int)conversion->parameters.size, conversion->parameters.at);
}

static bool is_declared(const char *ir, const char *name)
{
    for (const char *at = ir; (at = strstr(at, name)) != NULL; at++) {
        const char *start = at;
        while (start > ir && start[-1] != '\n')
            start--;
        if (strncmp(start, "declare ", strlen("declare ")) == 0)
            return true;
    }
    return false;
}

/* A declaration that would be there twice, now that names are the same. */
static bool is_second(const char *ir, const struct text *repaired, struct ir_piece line)
{
    struct conversion conversion;
    const char *name = ir_starts(line, "declare ") ? memchr(line.at, '@', line.size) : NULL;
    if (!name || !find_conversion(name, line.at + line.size, &conversion))
        return false;
    struct text plain = TEXT_INIT;
    append_plain(&plain, &conversion);
    const bool second = is_declared(ir, plain.bytes) || is_declared(repaired->bytes, plain.bytes);
    text_release(&plain);
    return second;
}

/* ---- lines ---- */

/* True where the line is not what it was. */
static bool append_line(struct text *repaired, struct ir_piece line)
{
    const char *const end = line.at + line.size;
    bool changed = false;
    for (const char *at = line.at; at < end;) {
        const struct ir_piece rest = ir_rest(line, at);
        const char *name = memchr(at, '@', rest.size);
        struct conversion conversion;
        text_append_n(repaired, at, name ? (size_t)(name - at) : rest.size);
        if (!name)
            break;
        const struct ir_piece call = ir_rest(line, name);
        at = name;
        if (ir_starts(call, printf_of_cpp)) {
            text_append(repaired, "@printf(");
            at += strlen(printf_of_cpp);
        } else if (find_conversion(name, end, &conversion)) {
            append_plain(repaired, &conversion);
            at += conversion.name.size;
        }
        changed |= at > name;
        if (at == name)
            text_append_char(repaired, *at++);
    }
    text_append_char(repaired, '\n');
    return changed;
}

bool repair_built_ins(const char *ir, struct text *repaired)
{
    bool changed = false;
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        at = ir_next_line(line);
        if (ir_starts(line, claim) || is_second(ir, repaired, line))
            changed = true;
        else
            changed |= append_line(repaired, line);
    }
    return changed && !repaired->failed;
}

/* ---- what llvm-spirv made of them ---- */

/* Does the decoration say of a conversion that it is elsewhere? */
static bool imports_conversion(const uint32_t *words, uint32_t length)
{
    if (length < 5 || words[2] != SpvDecorationLinkageAttributes ||
        words[length - 1] != SpvLinkageTypeImport)
        return false;
    const char *name = (const char *)(words + 3);
    const size_t size = (length - 4) * sizeof(uint32_t);
    return memmem(name, size, "convert_", strlen("convert_")) != NULL;
}

/* The module stays as it is. */
bool repair_lacks_built_ins(const struct text *spirv)
{
    struct rewrite module;
    bool lacks = false;
    if (rewrite_begin(&module, (const uint8_t *)spirv->bytes, spirv->size)) {
        for (const uint32_t *at = NULL; !lacks && (at = rewrite_next(&module, at));) {
            const uint32_t opcode = rewrite_opcode(at), length = rewrite_length(at);
            if (opcode == SpvOpFunction)
                break;
            lacks =
                (opcode == SpvOpSource && length > 1 && at[1] == SpvSourceLanguageCPP_for_OpenCL) ||
                (opcode == SpvOpDecorate && imports_conversion(at, length));
        }
    }
    rewrite_end(&module, NULL, NULL);
    return lacks;
}
