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

bool macros_to_ask(const struct request *request, struct arena *arena, struct macro_use **uses,
                   size_t *count)
{
    static const struct macro_use usual[] = {
        {.name = "__NV_CL_C_VERSION", .has_value = true},
        {.name = "__CUDA_ARCH__", .has_value = true},
        {.name = "__AMD__"},
        {.name = "__GPU__"},
        {.name = "__CPU__"},
        {.name = "__APPLE__"},
        {.name = "__INTEL_COMPILER"},
        {.name = "__POCL__"},
        {.name = "_POCL_"},
        {.name = "__clang__"},
        {.name = "__GNUC__"},
        {.name = "__SPIR__"},
        {.name = "__SPIR32__"},
        {.name = "__SPIR64__"},
        {.name = "__NVPTX__"},
        {.name = "__AMDGCN__"},
        {.name = "__R600__"},
        {.name = "__cplusplus"},
        {.name = "__HIPCC__"},
        {.name = "__CUDACC__"},
        {.name = "__METAL__"},
        {.name = "__METAL_VERSION__"},
        {.name = "__METAL_MACOS__"},
        {.name = "__x86_64__"},
        {.name = "__aarch64__"},
        {.name = "__arm__"},
        {.name = "__linux__"},
        {.name = "_WIN32"},
        {.name = "__OPENCL_CPP_VERSION__"},
        {.name = "__OPENCL__"},
        {.name = "__STDC_VERSION__"},
    };
    struct scan scan = {.arena = arena};
    scan_request(&scan, request);
    for (size_t i = 0; macros_may_be_elsewhere(request) && i < sizeof usual / sizeof *usual; i++)
        add_use(&scan, usual[i].name, strlen(usual[i].name), usual[i].has_value);
    return finish(&scan, uses, count);
}

const char *macros_unsettled(const struct request *request, const struct macro_use *uses,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(uses[i].name);
        bool is_settled = uses[i].is_defined || strncmp(uses[i].name, "__", 2) != 0;
        for (const char *at = request->device.macros; (at = strstr(at, uses[i].name)) != NULL;
             at += length)
            is_settled |= at[-1] == ' ' && at[length] == '\n';
        if (!is_settled)
            return uses[i].name;
    }
    return NULL;
}
