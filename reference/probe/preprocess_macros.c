/* The program is preprocessed without clang's header, since what the header defines is for clang
 * alone: of the driver's compiler CLK_NORMALIZED_COORDS_TRUE may be another number. So each
 * constant of the header becomes a macro that stands for itself. Conditions see that it is there;
 * the numbers that OpenCL C fixes (3.0, 6.15.3 and 6.15.4), and which conditions compare, are
 * defined as these. Which constants there are clang is asked. */
#include "reference/probe/preprocess.h"

#include "reference/compiler/tool.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/pack.h"

#include <string.h>

static const char *const fixed_numbers[] = {
    "CHAR_BIT",      "CHAR_MAX",        "CHAR_MIN",       "INT_MAX",         "INT_MIN",
    "LONG_MAX",      "LONG_MIN",        "SCHAR_MAX",      "SCHAR_MIN",       "SHRT_MAX",
    "SHRT_MIN",      "UCHAR_MAX",       "UINT_MAX",       "ULONG_MAX",       "USHRT_MAX",
    "FLT_DIG",       "FLT_MANT_DIG",    "FLT_MAX_10_EXP", "FLT_MAX_EXP",     "FLT_MIN_10_EXP",
    "FLT_MIN_EXP",   "FLT_RADIX",       "DBL_DIG",        "DBL_MANT_DIG",    "DBL_MAX_10_EXP",
    "DBL_MAX_EXP",   "DBL_MIN_10_EXP",  "DBL_MIN_EXP",    "DBL_RADIX",       "HALF_DIG",
    "HALF_MANT_DIG", "HALF_MAX_10_EXP", "HALF_MAX_EXP",   "HALF_MIN_10_EXP", "HALF_MIN_EXP",
    "HALF_RADIX",
};

static bool is_fixed_number(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof fixed_numbers / sizeof fixed_numbers[0]; i++) {
        if (strlen(fixed_numbers[i]) == length && memcmp(fixed_numbers[i], name, length) == 0)
            return true;
    }
    return false;
}

/* It tells of the device or the language: "cl_khr_fp64", "__opencl_c_images". */
static bool is_claim(const char *name)
{
    static const char *const starts[] = {"cl_",         "__opencl_c_", "__OPENCL_",
                                         "CL_VERSION_", "__IMAGE_",    "__EMBEDDED_",
                                         "__ENDIAN_",   "cles_",       "__FAST_RELAXED"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return false;
}

/* `line` is "#define NAME VALUE". Macros with arguments, and names of clang itself, stay as they
 * are spelled. */
static void append_macro(const char *line, size_t length, struct text *text)
{
    static const char define[] = "#define ";
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    if (length < strlen(define) || memcmp(line, define, strlen(define)) != 0)
        return;
    const char *name = line + strlen(define);
    const size_t size = strspn(name, letters);
    const char *value = name + size;
    const int value_size = (int)(line + length - value);
    if (value_size == 0 || *value != ' ')
        return;
    if (is_claim(name))
        text_format(text, "#ifndef %.*s\n#define %.*s%.*s\n#endif\n", (int)size, name, (int)size,
                    name, value_size, value);
    else if (is_fixed_number(name, size))
        text_format(text, "#undef %.*s\n#define %.*s%.*s\n", (int)size, name, (int)size, name,
                    value_size, value);
    else if (*name >= 'A' && *name <= 'Z')
        text_format(text, "#undef %.*s\n#define %.*s %.*s\n", (int)size, name, (int)size, name,
                    (int)size, name);
}

static void append_list(const char *list, struct text *text)
{
    while (*list != '\0') {
        const size_t length = strcspn(list, "\n");
        append_macro(list, length, text);
        list += length + (list[length] == '\n');
    }
}

/* ---- what the driver's compiler defines ---- */

/* The name in "#undef NAME" and the like; its length is 0 when the line is no `directive`. */
static size_t find_macro(const char *line, const char *directive, const char **name)
{
    const size_t size = strlen(directive);
    if (strncmp(line, directive, size) != 0)
        return 0;
    *name = line + size;
    return strcspn(*name, " \n");
}

static bool is_same(const char *line, const char *directive, const char *name, size_t length)
{
    const char *other;
    return find_macro(line, directive, &other) == length && memcmp(name, other, length) == 0;
}

/* Lines as they were learnt: `#undef`, with `#define` behind it if a number is known, or a
 * definition as 1 of what is known to be there. Where the text has that, it means what the driver
 * means by it. Numbers that are fixed need not be learnt, and may have been cut. */
static void append_learnt(const char *lines, struct text *text)
{
    while (*lines != '\0') {
        const size_t size = strcspn(lines, "\n");
        const char *next = lines + size + (lines[size] == '\n');
        const char *name = lines;
        const size_t undefined = find_macro(lines, "#undef ", &name);
        const size_t tested = undefined ? 0 : find_macro(lines, "#ifndef ", &name);
        const size_t length = undefined + tested;
        if (length > 0 && is_same(next, "#define ", name, length)) {
            const size_t rest = strcspn(next, "\n");
            const char *behind = next + rest + (next[rest] == '\n');
            if (tested)
                text_format(text, "#ifndef %.*s\n#define %.*s %.*s\n", (int)length, name,
                            (int)length, name, (int)length, name);
            else if (!is_fixed_number(name, length))
                text_append_n(text, lines, (size_t)(behind - lines));
            next = behind;
        } else {
            text_append_n(text, lines, (size_t)(next - lines));
        }
        lines = next;
    }
    text_append(text, "\n");
}

/* ---- all of them ---- */

static struct cache_key key_of(const struct clang *clang, const char *const *arguments,
                               const struct text *prelude)
{
    struct text key = TEXT_INIT;
    pack_string(&key, "macros");
    pack_string(&key, clang->tools.clang_version);
    for (; *arguments; arguments++)
        pack_string(&key, *arguments);
    pack_bytes(&key, prelude->bytes, prelude->size);
    const struct cache_key digest = cache_digest(key.bytes, key.size);
    text_release(&key);
    return digest;
}

static enum status list_macros(const struct clang *clang, const char *const *arguments,
                               const struct text *prelude, struct text *text, struct error *error)
{
    struct process_result result;
    enum status status =
        tool_run(arguments, prelude->bytes, prelude->size, clang->arena, &result, error);
    if (status != STATUS_OK)
        return status;
    if (tool_succeeded(&result))
        append_list(result.standard_output.bytes, text);
    else
        status = clang_tell(&result, "clang does not tell its macros", error);
    process_result_release(&result);
    return status;
}

enum status preprocess_append_macros(const struct clang *clang, struct text *text,
                                     struct error *error)
{
    static const char *const more[] = {"-E", "-dM", "-Xclang", "-finclude-default-header", NULL};
    struct clang plain = *clang;
    struct text prelude = TEXT_INIT, made = TEXT_INIT;
    enum status status = STATUS_OK;
    plain.target.macros = ""; /* they may have any value */
    plain.options.argument_count = 0;
    clang_append_prelude(&plain, &prelude);
    const char *const *arguments = clang_arguments(&plain, false, more);
    if (!arguments || prelude.failed) {
        text_release(&prelude);
        return error_no_memory(error, prelude.size);
    }
    const struct cache_key key = key_of(&plain, arguments, &prelude);
    size_t size;
    void *known = cache_load(key, &size);
    if (known) {
        text_append_n(&made, known, size);
    } else {
        text_append(&made, prelude.bytes);
        status = list_macros(&plain, arguments, &prelude, &made, error);
        if (status == STATUS_OK && !made.failed)
            cache_store(key, made.bytes, made.size);
    }
    text_append_n(text, made.bytes, made.size);
    append_learnt(clang->target.macros, text);
    alloc_free(known);
    text_release(&prelude);
    text_release(&made);
    return status;
}
