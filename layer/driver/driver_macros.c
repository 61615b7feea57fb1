#include "layer/driver/driver_macros.h"

#include "checkers/probe/macros.h"
#include "layer/driver/driver_ask.h"
#include "layer/targets.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/pack.h"

#include <CL/cl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BITS = 32 };

/* What the driver makes of a name. */
struct macro {
    struct macro_use use;
    struct cache_key key;
    bool is_known; /* then: */
    bool is_defined;
    uint32_t value;
};

struct asker {
    uint64_t context, device;
    const char *options; /* those that a compiler's macros may follow from */
    struct arena *arena;
    struct macro *macros;
    size_t count;
};

/* ---- what is known ---- */

static void identify(const struct asker *asker, struct macro *macro)
{
    static const uint32_t names[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                     CL_DRIVER_VERSION};
    struct text text = TEXT_INIT;
    pack_string(&text, "macro");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pack_string(&text, driver_ask_text(asker->arena, asker->device, names[i]));
    pack_string(&text, asker->options);
    pack_string(&text, macro->use.name);
    pack_number(&text, macro->use.has_value);
    macro->key = cache_digest(text.bytes, text.size);
    text_release(&text);
}

static void recall(struct macro *macro)
{
    size_t size;
    uint8_t *bytes = cache_load(macro->key, &size);
    struct unpacker from = {.at = bytes, .left = bytes ? size : 0};
    macro->is_defined = unpack_number(&from) != 0;
    macro->value = (uint32_t)unpack_number(&from);
    macro->is_known = !from.failed;
    alloc_free(bytes);
}

static void remember(const struct macro *macro)
{
    struct text text = TEXT_INIT;
    pack_number(&text, macro->is_defined);
    pack_number(&text, macro->value);
    if (!text.failed)
        cache_store(macro->key, text.bytes, text.size);
    text_release(&text);
}

/* ---- asking ---- */

/* Kernel clerk_N is there if macro N is defined, clerk_N_B if its value has bit B. */
static void write_questions(const struct asker *asker, struct text *text)
{
    text_append(text, "__kernel void clerk(void) {}\n");
    for (size_t i = 0; i < asker->count; i++) {
        const struct macro *macro = &asker->macros[i];
        if (macro->is_known)
            continue;
        text_format(text, "#ifdef %s\n__kernel void clerk_%zu(void) {}\n", macro->use.name, i);
        for (unsigned bit = 0; macro->use.has_value && bit < VALUE_BITS; bit++)
            text_format(text,
                        "#if ((%s + 0) >> %u) & 1\n__kernel void clerk_%zu_%u(void) {}\n#endif\n",
                        macro->use.name, bit, i, bit);
        text_append(text, "#endif\n");
    }
}

static void read_answers(struct asker *asker, const char *names)
{
    for (const char *at = names; (at = strstr(at, "clerk_")) != NULL;) {
        char *end;
        const unsigned long long index = strtoull(at + strlen("clerk_"), &end, 10);
        if (index < asker->count) {
            struct macro *macro = &asker->macros[index];
            macro->is_defined = true;
            if (*end == '_')
                macro->value |= UINT32_C(1) << (strtoul(end + 1, &end, 10) % VALUE_BITS);
        }
        at = end;
    }
    for (size_t i = 0; i < asker->count; i++) {
        if (!asker->macros[i].is_known)
            remember(&asker->macros[i]);
        asker->macros[i].is_known = true;
    }
}

static void ask_program(struct asker *asker, uint64_t program)
{
    const uint64_t build[] = {program, 1, (uint64_t)&asker->device, (uint64_t)asker->options, 0, 0};
    size_t size;
    if ((cl_int)api_perform(API_ENTRY_clBuildProgram, layer_targets[API_ENTRY_clBuildProgram],
                            build) != CL_SUCCESS)
        return;
    const char *names = driver_ask_bytes(asker->arena, API_ENTRY_clGetProgramInfo, program,
                                         CL_PROGRAM_KERNEL_NAMES, &size);
    if (names)
        read_answers(asker, names);
}

static void ask_driver(struct asker *asker)
{
    static const uint32_t entries[] = {API_ENTRY_clCreateProgramWithSource,
                                       API_ENTRY_clBuildProgram, API_ENTRY_clReleaseProgram};
    struct text text = TEXT_INIT;
    cl_int status = CL_SUCCESS;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!layer_targets[entries[i]])
            return;
    write_questions(asker, &text);
    const char *source = text.bytes;
    const uint64_t create[] = {asker->context, 1, (uint64_t)&source, 0, (uint64_t)&status};
    const uint64_t program =
        text.failed ? 0 : api_perform(entries[0], layer_targets[entries[0]], create);
    if (program != 0) {
        ask_program(asker, program);
        api_perform(entries[2], layer_targets[entries[2]], &program);
    }
    text_release(&text);
}

/* ---- all of it ---- */

/* Versions of the language, relaxed mathematics and the like. */
static const char *language_options(const char *options, struct arena *arena)
{
    struct text text = TEXT_INIT;
    for (const char *at = options; (at = strstr(at, "-cl-")) != NULL;) {
        const size_t length = strcspn(at, " \t");
        text_append_n(&text, at, length);
        text_append_char(&text, ' ');
        at += length;
    }
    const char *kept = text.failed ? NULL : arena_string(arena, text.bytes);
    text_release(&text);
    return kept;
}

static const char *write_lines(const struct asker *asker)
{
    struct text text = TEXT_INIT;
    for (size_t i = 0; i < asker->count; i++) {
        const struct macro *macro = &asker->macros[i];
        const char *name = macro->use.name;
        if (!macro->is_defined)
            text_format(&text, "#undef %s\n", name);
        else if (macro->use.has_value)
            text_format(&text, "#undef %s\n#define %s %" PRId32 "\n", name, name,
                        (int32_t)macro->value);
        else
            text_format(&text, "#ifndef %s\n#define %s 1\n#endif\n", name, name);
    }
    const char *lines = text.failed ? NULL : arena_string(asker->arena, text.bytes);
    text_release(&text);
    return lines;
}

const char *driver_macros_of(uint64_t program, uint64_t device, struct request *request)
{
    struct asker asker = {.device = device, .arena = &request->arena};
    struct macro_use *uses;
    size_t unknown = 0;
    if (!macros_to_ask(request, asker.arena, &uses, &asker.count))
        return NULL;
    if (asker.count == 0)
        return "";
    asker.options = language_options(request->parts[0].options, asker.arena);
    asker.macros = arena_alloc(asker.arena, asker.count, sizeof *asker.macros);
    if (!asker.options || !asker.macros ||
        !driver_ask(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_CONTEXT, &asker.context,
                    sizeof asker.context, NULL))
        return NULL;
    for (size_t i = 0; i < asker.count; i++) {
        asker.macros[i].use = uses[i];
        identify(&asker, &asker.macros[i]);
        recall(&asker.macros[i]);
        unknown += !asker.macros[i].is_known;
    }
    if (unknown > 0)
        ask_driver(&asker);
    for (size_t i = 0; i < asker.count; i++)
        if (!asker.macros[i].is_known)
            return NULL;
    return write_lines(&asker);
}
