/* The parts of the program are linked; what the module needs is compiled from the text of the
 * checks, and linked with it; then calls are written into it. */
#include "reference/probe/module/checked_module.h"

#include "reference/compiler/build_options.h"
#include "reference/compiler/compile.h"
#include "reference/compiler/take.h"
#include "reference/probe/checks.h"
#include "reference/probe/module/woven.h"
#include "reference/probe/options.h"
#include "reference/probe/part.h"
#include "reference/spirv/debug_info.h"
#include "trace/base/alloc.h"

#include <string.h>

struct making {
    const struct request *request;
    struct checked *checked;
    struct arena arena;         /* of what is needed while it is made */
    struct text log;            /* of compilers, linker and validator */
    struct link_input *modules; /* by part; bytes are freed with alloc_free */
    uint8_t *program, *checks, *linked;
    size_t program_size, checks_size, linked_size;
};

bool checked_module_is_one(const struct request *request)
{
    for (size_t i = 0; i < request->part_count; i++)
        if (!request->parts[i].is_il)
            return false;
    return request->part_count > 0;
}

/* The first line of the log without what it begins with. */
static enum status tell_log(const struct making *making, const char *what, enum status status,
                            struct error *error)
{
    static const char word[] = "error: ";
    const char *at = strstr(making->log.bytes, word);
    at = at ? at + strlen(word) : making->log.bytes;
    return error_set(error, status == STATUS_NO_MEMORY ? status : STATUS_UNSUPPORTED, "%s: %.*s",
                     what, (int)strcspn(at, "\n"), at);
}

/* ---- the program ---- */

static enum status take_part(struct making *making, const struct request_part *part,
                             struct link_input *module, struct error *error)
{
    struct take_request request;
    uint8_t *spirv;
    if (!part_take_request(part, &making->arena, &request))
        return error_no_memory(error, part->constant_count);
    if (!validate_is_well_formed(part->bytes, part->size))
        return error_set(error, STATUS_UNSUPPORTED, "its IL is not SPIR-V");
    const enum status status = take_spirv(&request, &making->log, &spirv, &module->size);
    if (status != STATUS_OK)
        return tell_log(making, "its IL is not valid", status, error);
    module->size = debug_info_strip(spirv, module->size);
    module->bytes = spirv;
    return STATUS_OK;
}

static enum status link_program(struct making *making, struct error *error)
{
    const struct request *request = making->request;
    struct sources *sources = NULL;
    enum status status = STATUS_OK;
    making->modules = arena_alloc(&making->arena, request->part_count, sizeof *making->modules);
    if (!making->modules)
        return error_no_memory(error, request->part_count);
    for (size_t i = 0; i < request->part_count && status == STATUS_OK; i++)
        status = take_part(making, &request->parts[i], &making->modules[i], error);
    if (status != STATUS_OK)
        return status;
    status = link_spirv(making->modules, request->part_count, false, &making->log, &making->program,
                        &making->program_size, &sources);
    sources_drop(sources);
    return status == STATUS_OK ? STATUS_OK
                               : tell_log(making, "its parts cannot be linked", status, error);
}

/* ---- the checks ---- */

static void append_checks(const struct woven *woven, const char *standard, struct text *text)
{
    const struct insertion_program program = {
        .site_count = woven->site_count,
        .global_count = woven->global_count,
        .constant_count = woven->constant_count,
        .local_count = woven->local_count + woven->local_variable_count,
        .uses_local = woven->uses_local,
        .uses_constant = woven->uses_constant,
        .uses_generic = woven->uses_generic,
        .has_constants = woven->has_constants,
    };
    text_format(text, "#define clerk_STATE_WORDS %u\n", woven_state_words(woven));
    checks_append(&program, standard, text);
    text_append(text, woven_text);
}

static enum status compile_checks(struct making *making, const struct woven *woven,
                                  struct error *error)
{
    const struct request_device *device = &making->request->device;
    const struct compile_target target = {.extensions = device->extensions,
                                          .version = device->version,
                                          .narrow = woven->module->narrow,
                                          .embedded = device->is_embedded,
                                          .images = device->has_images,
                                          .big_endian = !device->is_little_endian,
                                          .macros = ""};
    const char *standard = woven->uses_generic ? "CL2.0" : "CL1.2";
    struct build_options options;
    struct compile_result result;
    struct text text = TEXT_INIT;
    if (!build_options_parse_foreign("", &making->arena, &options))
        return error_no_memory(error, 0);
    options.standard = standard;
    append_checks(woven, standard, &text);
    const struct compile_request request = {.source = text.bytes,
                                            .source_size = text.size,
                                            .options = &options,
                                            .to_be_linked = true,
                                            .target = &target};
    enum status status = text.failed ? error_no_memory(error, text.size)
                                     : compile_source(&request, &making->log, &result);
    text_release(&text);
    if (status != STATUS_OK)
        return tell_log(making, "its checks cannot be compiled", status, error);
    sources_drop(result.sources);
    making->checks = result.spirv;
    making->checks_size = result.spirv_size;
    return STATUS_OK;
}

/* Ids of the program stay below its bound, and what is the same in both keeps the program's. */
static enum status link_checks(struct making *making, struct error *error)
{
    const struct link_input inputs[] = {
        {.bytes = making->program, .size = making->program_size},
        {.bytes = making->checks, .size = making->checks_size},
    };
    struct sources *sources = NULL;
    const enum status status =
        link_spirv(inputs, 2, false, &making->log, &making->linked, &making->linked_size, &sources);
    sources_drop(sources);
    return status == STATUS_OK
               ? STATUS_OK
               : tell_log(making, "it cannot be linked with its checks", status, error);
}

/* ---- the copy ---- */

static enum status keep(struct making *making, const uint32_t *words, size_t size,
                        struct error *error)
{
    struct checked *checked = making->checked;
    struct checked_part *part = arena_alloc(&checked->arena, 1, sizeof *part);
    if (!part)
        return error_no_memory(error, size);
    *part = (struct checked_part){
        .text = arena_copy(&checked->arena, words, size),
        .size = size,
        .options = options_of_copy(making->request->parts[0].options, &checked->arena),
        .is_il = true};
    if (!part->text || !part->options)
        return error_no_memory(error, size);
    checked->parts = part;
    checked->part_count = 1;
    return STATUS_OK;
}

/* What is known of the module, of which `woven` becomes the owner. */
static enum status look(struct making *making, const uint8_t *spirv, size_t size, uint32_t bound,
                        struct woven *woven, struct error *error)
{
    struct spv_module *module;
    const enum status status = spv_module_parse(spirv, size, &module, error);
    if (status != STATUS_OK)
        return status;
    *woven = (struct woven){.arena = &making->arena,
                            .module = module,
                            .program_bound = bound,
                            .checked = making->checked};
    return woven_survey(woven, error);
}

static enum status write(struct making *making, struct woven *woven, struct error *error)
{
    uint32_t *words = NULL;
    size_t size = 0;
    enum status status = woven_write(woven, &words, &size, error);
    if (status != STATUS_OK)
        return status;
    text_clear(&making->log); /* of what was said of the program, which is valid by now */
    status = validate_spirv(words, size, &making->log);
    status = status == STATUS_OK ? keep(making, words, size, error)
                                 : tell_log(making, "its checked copy is not valid", status, error);
    alloc_free(words);
    return status;
}

static enum status make(struct making *making, struct error *error)
{
    struct woven alone = {0}, linked = {0};
    enum status status = link_program(making, error);
    if (status == STATUS_OK)
        status = look(making, making->program, making->program_size, UINT32_MAX, &alone, error);
    if (status == STATUS_OK)
        status = compile_checks(making, &alone, error);
    if (status == STATUS_OK)
        status = link_checks(making, error);
    if (status == STATUS_OK)
        status =
            look(making, making->linked, making->linked_size, alone.module->bound, &linked, error);
    if (status == STATUS_OK)
        status = write(making, &linked, error);
    spv_module_destroy((struct spv_module *)(uintptr_t)alone.module);
    spv_module_destroy((struct spv_module *)(uintptr_t)linked.module);
    return status;
}

static void release(struct making *making)
{
    for (size_t i = 0; making->modules && i < making->request->part_count; i++)
        alloc_free((void *)(uintptr_t)making->modules[i].bytes);
    alloc_free(making->program);
    alloc_free(making->checks);
    alloc_free(making->linked);
    text_release(&making->log);
    arena_release(&making->arena);
}

enum status checked_module_make(const struct request *request, struct checked *checked,
                                struct error *error)
{
    struct making making = {.request = request, .checked = checked, .log = TEXT_INIT};
    struct error why = {0};
    *checked = (struct checked){.reason = ""};
    const enum status status = make(&making, &why);
    release(&making);
    return checked_conclude(checked, status, &why, error);
}
