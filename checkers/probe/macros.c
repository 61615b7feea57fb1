#include "checkers/probe/macros.h"

#include <string.h>

struct scan {
    struct arena *arena;
    struct macro_use *uses;
    size_t use_count, use_room;
    const char **defined;
    size_t defined_count, defined_room;
    bool failed;
};

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || (length > 0 && at[length] >= '0' && at[length] <= '9'))
        length++;
    return length;
}

static void *grow(struct scan *scan, void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    const size_t wanted = *room ? *room * 2 : 16;
    void *grown = arena_alloc(scan->arena, wanted, size);
    if (!grown) {
        scan->failed = true;
        return NULL;
    }
    if (count > 0)
        memcpy(grown, list, count * size);
    *room = wanted;
    return grown;
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

static void add_use(struct scan *scan, const char *name, size_t length, bool has_value)
{
    for (size_t i = 0; i < scan->use_count; i++)
        if (is_name(scan->uses[i].name, name, length)) {
            scan->uses[i].has_value |= has_value;
            return;
        }
    struct macro_use *uses =
        grow(scan, scan->uses, scan->use_count, &scan->use_room, sizeof *scan->uses);
    const char *copy = uses ? arena_string_n(scan->arena, name, length) : NULL;
    scan->failed |= !copy;
    if (!copy)
        return;
    scan->uses = uses;
    scan->uses[scan->use_count++] = (struct macro_use){.name = copy, .has_value = has_value};
}

static void add_defined(struct scan *scan, const char *name, size_t length)
{
    const char **defined =
        grow(scan, scan->defined, scan->defined_count, &scan->defined_room, sizeof *scan->defined);
    const char *copy = defined ? arena_string_n(scan->arena, name, length) : NULL;
    scan->failed |= !copy;
    if (!copy)
        return;
    scan->defined = defined;
    scan->defined[scan->defined_count++] = copy;
}

/* ---- text ---- */

/* The text as its directives are read: lines that go on in the next are joined, comments are
 * blanks. Strings are not looked for: no directive that counts has any. */
static char *plain_text(struct arena *arena, const char *text, size_t size)
{
    char *plain = arena_alloc(arena, size + 1, 1);
    size_t length = 0;
    for (size_t i = 0; plain && i < size; i++) {
        const char next = i + 1 < size ? text[i + 1] : '\0';
        if (text[i] == '\\' && (next == '\n' || (next == '\r' && i + 2 < size))) {
            i += next == '\n' ? 1 : 2;
        } else if (text[i] == '/' && next == '*') {
            const char *end = memmem(text + i + 2, size - i - 2, "*/", 2);
            i = end ? (size_t)(end - text) + 1 : size;
            plain[length++] = ' ';
        } else if (text[i] == '/' && next == '/') {
            while (i + 1 < size && text[i + 1] != '\n')
                i++;
        } else if (text[i] == '\0') {
            plain[length++] = ' ';
        } else {
            plain[length++] = text[i];
        }
    }
    return plain;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\f\v");
}

/* The expression of #if: a name after `defined` is only asked whether it is. */
static void scan_expression(struct scan *scan, const char *at)
{
    bool only_defined = false;
    while (*at != '\0' && *at != '\n') {
        const size_t length = name_length(at);
        if (length == 0) {
            only_defined &= strchr(" \t(", *at) != NULL;
            /* 0x10UL is one number */
            const bool is_number = *at >= '0' && *at <= '9';
            at++;
            while (is_number && (is_letter(*at) || (*at >= '0' && *at <= '9')))
                at++;
            continue;
        }
        if (is_name("defined", at, length)) {
            only_defined = true;
        } else {
            add_use(scan, at, length, !only_defined);
            only_defined = false;
        }
        at += length;
    }
}

static void scan_directive(struct scan *scan, const char *at)
{
    const size_t length = name_length(at);
    const char *rest = skip_blanks(at + length);
    const size_t name = name_length(rest);
    if (is_name("define", at, length) && name > 0)
        add_defined(scan, rest, name);
    else if ((is_name("ifdef", at, length) || is_name("ifndef", at, length)) && name > 0)
        add_use(scan, rest, name, false);
    else if (is_name("if", at, length) || is_name("elif", at, length))
        scan_expression(scan, rest);
}

static void scan_text(struct scan *scan, const char *text, size_t size)
{
    const char *line = plain_text(scan->arena, text, size);
    scan->failed |= !line;
    while (line) {
        const char *first = skip_blanks(line);
        if (*first == '#')
            scan_directive(scan, skip_blanks(first + 1));
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

/* -D name, -Dname=value; -U likewise. */
static void scan_options(struct scan *scan, const char *options)
{
    for (const char *at = options; (at = strchr(at, '-')) != NULL; at++) {
        const bool starts = at == options || strchr(" \t", at[-1]) != NULL;
        if (!starts || (at[1] != 'D' && at[1] != 'U'))
            continue;
        const char *name = skip_blanks(at + 2);
        name += *name == '"' || *name == '\'';
        if (name_length(name) > 0)
            add_defined(scan, name, name_length(name));
    }
}

/* ---- which are asked ---- */

/* Extensions have macros of their names; the rest follows from the device's answers and the
 * options.
 */
static bool is_known(const char *name)
{
    static const char *const names[] = {"__OPENCL_VERSION__",   "__OPENCL_C_VERSION__",
                                        "__IMAGE_SUPPORT__",    "__ENDIAN_LITTLE__",
                                        "__EMBEDDED_PROFILE__", "__FAST_RELAXED_MATH__"};
    bool is = strncmp(name, "cl_", 3) == 0 || strncmp(name, "CL_VERSION_", 11) == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is |= strcmp(name, names[i]) == 0;
    return is;
}

static bool is_defined(const struct scan *scan, const char *name)
{
    bool is = false;
    for (size_t i = 0; i < scan->defined_count && !is; i++)
        is = strcmp(scan->defined[i], name) == 0;
    return is;
}

/* What a program defines may still be the driver's, if the name is of those that are reserved. */
static bool is_asked(const struct macro_use *use)
{
    return !is_known(use->name) && (!use->is_defined || use->name[0] == '_');
}

static void scan_request(struct scan *scan, const struct request *request)
{
    for (size_t i = 0; i < request->part_count; i++) {
        const struct request_part *part = &request->parts[i];
        if (part->is_il)
            continue;
        scan_text(scan, part->bytes, part->size);
        scan_options(scan, part->options);
        for (size_t h = 0; h < part->header_count; h++)
            scan_text(scan, part->headers[h].text, part->headers[h].size);
    }
}

static bool finish(struct scan *scan, struct macro_use **uses, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < scan->use_count; i++) {
        struct macro_use *use = &scan->uses[i];
        use->is_defined = is_defined(scan, use->name);
        if (is_asked(use))
            scan->uses[(*count)++] = *use;
    }
    *uses = scan->uses;
    return !scan->failed;
}

bool macros_of(const struct request *request, struct arena *arena, struct macro_use **uses,
               size_t *count)
{
    struct scan scan = {.arena = arena};
    scan_request(&scan, request);
    return finish(&scan, uses, count);
}

bool macros_may_be_elsewhere(const struct request *request)
{
    bool may = false;
    for (size_t i = 0; i < request->part_count; i++)
        may |= !request->parts[i].is_il &&
               memmem(request->parts[i].bytes, request->parts[i].size, "include", 7) != NULL;
    return may;
}

/* What files that programs include ask for: whose compiler it is, the language, the processor, the
 * system. Of the first list values count, of the second only whether they are defined. */
static const char *const usual_values[] = {
    "__NV_CL_C_VERSION",
    "__CUDA_ARCH__",
    "__METAL_VERSION__",
    "__OPENCL_CPP_VERSION__",
    "__STDC_VERSION__",
    "__clang_major__",
    "__clang_minor__",
    "__GNUC__",
    "__GNUC_MINOR__",
    "__cplusplus",
    "_MSC_VER",
    "__BYTE_ORDER__",
    "__ORDER_LITTLE_ENDIAN__",
    "__ORDER_BIG_ENDIAN__",
};
static const char *const usual_names[] = {
    /* compilers */
    "__AMD__",
    "__GPU__",
    "__CPU__",
    "__APPLE__",
    "__INTEL_COMPILER",
    "__POCL__",
    "_POCL_",
    "__clang__",
    "__SPIR__",
    "__SPIR32__",
    "__SPIR64__",
    "__SPIRV__",
    "__NVPTX__",
    "__AMDGCN__",
    "__R600__",
    "__HIPCC__",
    "__HIP_DEVICE_COMPILE__",
    "__CUDACC__",
    "__NVCC__",
    "__METAL__",
    "__METAL_MACOS__",
    "__OPENCL__",
    "__xlC__",
    "__IBMC__",
    "__PGI",
    "__OPEN64__",
    "__SUNPRO_C",
    "__DOXYGEN__",
    "__SYCL_DEVICE_ONLY__",
    /* the language */
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",

    /* processors */
    "__x86_64__",
    "__x86_64",
    "__i386__",
    "__i386",
    "__aarch64__",
    "__arm__",
    "__powerpc__",
    "__powerpc64__",
    "__ppc__",
    "__PPC__",
    "__PPC64__",
    "__mips__",
    "__riscv",
    "__s390__",
    "__s390x__",
    "__sparc__",
    "__ia64__",
    "__alpha__",
    "__hppa__",
    "__loongarch__",
    "__SSE2__",
    "__SSE4_1__",
    "__AVX__",
    "__AVX2__",
    "__AVX512F__",
    "__AES__",
    "__FMA__",
    "__F16C__",
    "__ARM_NEON",
    "__ARM_NEON__",
    "__ALTIVEC__",
    /* systems */
    "__linux__",
    "__linux",
    "__unix__",
    "__ANDROID__",
    "__FreeBSD__",
    "__NetBSD__",
    "__OpenBSD__",
    "__MINGW32__",
    "__MINGW64__",
    "__CYGWIN__",
    "_WIN32",
    "_WIN64",
    "__LP64__",
};

static void add_usual(struct scan *scan)
{
    for (size_t i = 0; i < sizeof usual_values / sizeof *usual_values; i++)
        add_use(scan, usual_values[i], strlen(usual_values[i]), true);
    for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names; i++)
        add_use(scan, usual_names[i], strlen(usual_names[i]), false);
}

bool macros_to_ask(const struct request *request, struct arena *arena, struct macro_use **uses,
                   size_t *count)
{
    struct scan scan = {.arena = arena};
    scan_request(&scan, request);
    if (macros_may_be_elsewhere(request))
        add_usual(&scan);
    return finish(&scan, uses, count);
}

/* Is there a line with `directive` and the name? */
static bool has_line(const char *lines, const char *directive, const char *name)
{
    const size_t size = strlen(directive), length = strlen(name);
    for (const char *at = lines; (at = strstr(at, directive)) != NULL; at += size)
        if ((at == lines || at[-1] == '\n') && strncmp(at + size, name, length) == 0 &&
            at[size + length] == '\n')
            return true;
    return false;
}

const char *macros_unsettled(const struct request *request, const struct macro_use *uses,
                             size_t count)
{
    const char *lines = request->device.macros;
    for (size_t i = 0; i < count; i++) {
        const struct macro_use *use = &uses[i];
        /* "#undef NAME", alone or with a definition behind it, tells the value too */
        const bool is_settled = use->is_defined || strncmp(use->name, "__", 2) != 0 ||
                                has_line(lines, "#undef ", use->name) ||
                                (!use->has_value && has_line(lines, "#ifndef ", use->name));
        if (!is_settled)
            return use->name;
    }
    return NULL;
}
