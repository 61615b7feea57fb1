/* Each part of the program becomes a module of SPIR-V, these are linked, and the kernels of the one
 * module that results tell what they are. */
#include "reference/probe/answer.h"

#include "reference/compiler/build_options.h"
#include "reference/compiler/compile.h"
#include "reference/compiler/take.h"
#include "reference/probe/elsewhere.h"
#include "reference/probe/module_facts.h"
#include "reference/probe/part.h"
#include "trace/base/alloc.h"

#include <string.h>

struct making {
    const struct request *request;
    struct compile_target target;
    struct arena arena;
    struct text log;            /* of the compilers and the linker */
    struct link_input *modules; /* by part; bytes are freed with alloc_free */
    uint8_t *linked;
};

static enum status no_memory(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory");
}

/* The first line of the log that is an error becomes the sentence. */
static enum status tell_log(const struct making *making, const char *what, enum status status,
                            struct error *error)
{
    static const char word[] = "error: ";
    const char *at = making->log.bytes;
    const char *found = strstr(at, word);
    for (const char *c = at; found && c < found; c++) {
        if (*c == '\n')
            at = c + 1;
    }
    if (found == at)
        at += strlen(word);
    return error_set(error, status, "%s: %.*s", what, (int)strcspn(at, "\n"), at);
}

static enum status check_macros(struct making *making, const struct request_part *part,
                                const struct sources *sources, struct error *error)
{
    struct text text = TEXT_INIT;
    enum status status = STATUS_OK;
    if (!elsewhere_may_be(part))
        return STATUS_OK;
    if (sources_text(sources, &text))
        status = elsewhere_check(&making->request->device, part, &text, &making->arena, error);
    else
        status = no_memory(error);
    text_release(&text);
    return status;
}

/* OpenCL API 3.0, 5.8.6.5: without -cl-std "the highest OpenCL C 1.x language version supported by
 * each device". */
static const char *usual_standard(uint32_t version)
{
    return version >= 120 ? "CL1.2" : version >= 110 ? "CL1.1" : "CL1.0";
}

static enum status compile_part(struct making *making, const struct request_part *part,
                                struct link_input *module, struct error *error)
{
    struct build_options options;
    struct compile_result result;
    struct compile_header *headers =
        arena_alloc(&making->arena, part->header_count + 1, sizeof *headers);
    if (!headers || !build_options_parse_foreign(part->options, &making->arena, &options))
        return no_memory(error);
    if (options.problem)
        return error_set(error, STATUS_INVALID, "the program's options: %s", options.problem);
    if (!strstr(part->options, "-cl-std="))
        options.standard = usual_standard(making->request->device.version);
    for (size_t i = 0; i < part->header_count; i++)
        headers[i] = (struct compile_header){.name = part->headers[i].name,
                                             .text = part->headers[i].text,
                                             .size = part->headers[i].size};
    const struct compile_request request = {.source = part->bytes,
                                            .source_size = part->size,
                                            .options = &options,
                                            .headers = headers,
                                            .header_count = part->header_count,
                                            .to_be_linked = making->request->is_linked,
                                            .target = &making->target};
    const enum status status = compile_source(&request, &making->log, &result);
    if (status != STATUS_OK)
        return tell_log(making, "the program cannot be compiled", status, error);
    module->bytes = result.spirv;
    module->size = result.spirv_size;
    const enum status checked = check_macros(making, part, result.sources, error);
    sources_drop(result.sources);
    return checked;
}

static enum status take_part(struct making *making, const struct request_part *part,
                             struct link_input *module, struct error *error)
{
    struct take_request request;
    uint8_t *spirv;
    if (!part_take_request(part, &making->arena, &request))
        return no_memory(error);
    if (!validate_is_well_formed(part->bytes, part->size))
        return error_set(error, STATUS_MALFORMED, "the program's IL is not SPIR-V");
    const enum status status = take_spirv(&request, &making->log, &spirv, &module->size);
    if (status != STATUS_OK)
        return tell_log(making, "the program's IL is not valid", status, error);
    module->bytes = spirv;
    return status;
}

static enum status make_modules(struct making *making, struct error *error)
{
    const struct request *request = making->request;
    enum status status = STATUS_OK;
    making->modules = arena_alloc(&making->arena, request->part_count + 1, sizeof *making->modules);
    if (!making->modules)
        return no_memory(error);
    for (size_t i = 0; i < request->part_count && status == STATUS_OK; i++) {
        const struct request_part *part = &request->parts[i];
        status = part->is_il ? take_part(making, part, &making->modules[i], error)
                             : compile_part(making, part, &making->modules[i], error);
    }
    return status;
}

static enum status find_facts(struct making *making, struct facts *facts, struct error *error)
{
    const void *spirv = making->modules[0].bytes;
    size_t size = making->modules[0].size;
    struct sources *sources = NULL;
    if (making->request->is_linked) {
        const enum status status = link_spirv(making->modules, making->request->part_count, false,
                                              &making->log, &making->linked, &size, &sources);
        sources_drop(sources);
        if (status != STATUS_OK)
            return tell_log(making, "the program cannot be linked", status, error);
        spirv = making->linked;
    }
    return module_facts_find(spirv, size, facts, error);
}

/* May the kernels of this program do something else than those that were looked at? */
static bool may_differ(const struct request *request)
{
    bool may = !request->device.is_alone;
    for (size_t i = 0; i < request->part_count && !may; i++) {
        const struct request_part *part = &request->parts[i];
        may = part->is_il && validate_has_spec_constants(part->bytes, part->size);
    }
    return may;
}

static void forget_certain(const struct facts *facts)
{
    for (size_t k = 0; k < facts->kernel_count; k++) {
        for (size_t i = 0; i < facts->kernels[k].argument_count; i++) {
            struct fact_argument *argument = &facts->kernels[k].arguments[i];
            argument->must_read = argument->must_write = (struct clerk_must){0};
            argument->apart = (struct apart){0};
        }
        facts->kernels[k].local_count = 0;
    }
}

/* What no request of the layer is. */
static enum status check(const struct request *request, struct error *error)
{
    if (request->part_count == 0 || (request->part_count > 1 && !request->is_linked))
        return error_set(error, STATUS_INVALID,
                         "the request is of %zu programs that are not linked; it has to be of one",
                         request->part_count);
    if (request->device.address_bits != 32 && request->device.address_bits != 64)
        return error_set(error, STATUS_INVALID,
                         "the device's addresses have %u bits; they have to have 32 or 64",
                         request->device.address_bits);
    return STATUS_OK;
}

static void release(struct making *making)
{
    for (size_t i = 0; making->modules && i < making->request->part_count; i++)
        alloc_free((void *)(uintptr_t)making->modules[i].bytes);
    alloc_free(making->linked);
    text_release(&making->log);
    arena_release(&making->arena);
}

enum status answer_request(const struct request *request, struct facts *facts, struct error *error)
{
    const struct request_device *device = &request->device;
    struct making making = {.request = request,
                            .target = {.extensions = device->extensions,
                                       .version = device->version,
                                       .narrow = device->address_bits == 32,
                                       .embedded = device->is_embedded,
                                       .images = device->has_images,
                                       .big_endian = !device->is_little_endian,
                                       .macros = device->macros},
                            .log = TEXT_INIT};
    enum status status = check(request, error);
    if (status == STATUS_OK)
        status = make_modules(&making, error);
    if (status == STATUS_OK)
        status = find_facts(&making, facts, error);
    if (status == STATUS_OK && may_differ(request))
        forget_certain(facts);
    release(&making);
    return status;
}
