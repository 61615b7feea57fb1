#include "reference/probe/clang.h"

#include "reference/compiler/pair.h"
#include "reference/compiler/tool.h"

#include <string.h>

/* OpenCL API 3.0, 5.8.6.5: without -cl-std "the highest OpenCL C 1.x language version supported by
 * each device". */
static const char *usual_standard(uint32_t version)
{
    return version >= 120 ? "CL1.2" : version >= 110 ? "CL1.1" : "CL1.0";
}

enum status clang_init(struct clang *clang, struct arena *arena, const struct request *request,
                       const struct request_part *part, struct error *error)
{
    const struct request_device *device = &request->device;
    *clang = (struct clang){.arena = arena,
                            .target = {.extensions = device->extensions,
                                       .version = device->version,
                                       .narrow = device->address_bits == 32,
                                       .embedded = device->is_embedded,
                                       .images = device->has_images,
                                       .big_endian = !device->is_little_endian,
                                       .macros = device->macros}};
    if (!build_options_parse_foreign(part->options, arena, &clang->options))
        return error_no_memory(error, strlen(part->options));
    if (clang->options.problem)
        return error_set(error, STATUS_INVALID, "its options: %s", clang->options.problem);
    if (!strstr(part->options, "-cl-std="))
        clang->options.standard = usual_standard(device->version);
    if (pair_choose(arena, &clang->tools, NULL) != STATUS_OK)
        return error_set(error, STATUS_NOT_FOUND, "the compilers that clerk needs are not there");
    return STATUS_OK;
}

static bool is_c_3_1(const struct clang *clang)
{
    return strcmp(clang->options.standard, "CL3.1") == 0;
}

void clang_append_prelude(const struct clang *clang, struct text *text)
{
    target_append_prelude(&clang->target, is_c_3_1(clang), TARGET_ALL_SUB_GROUPS, text);
}

static bool is_done_by_preprocessing(const char *argument)
{
    return strncmp(argument, "-D", 2) == 0 || strncmp(argument, "-I", 2) == 0;
}

const char *const *clang_arguments(const struct clang *clang, bool own_options,
                                   const char *const *more)
{
    static const char *const fixed[] = {"-x", "cl", "-fno-color-diagnostics",
                                        "-fno-crash-diagnostics"};
    enum { FIXED = sizeof fixed / sizeof fixed[0], REST = 9 };
    const struct build_options *options = &clang->options;
    struct text claims = TEXT_INIT;
    size_t count = 0, more_count = 0;
    while (more && more[more_count])
        more_count++;
    const char **all =
        arena_alloc(clang->arena, FIXED + REST + options->argument_count + more_count, sizeof *all);
    target_append_claims(&clang->target, strncmp(options->standard, "CL3", 3) == 0, &claims);
    const char *claimed = claims.failed ? NULL : arena_string(clang->arena, claims.bytes);
    const char *standard =
        arena_format(clang->arena, "-cl-std=%s", is_c_3_1(clang) ? "CL3.0" : options->standard);
    text_release(&claims);
    if (!all || !claimed || !standard)
        return NULL;
    all[count++] = clang->tools.clang;
    for (size_t i = 0; i < FIXED; i++)
        all[count++] = fixed[i];
    all[count++] = "-target";
    all[count++] = target_name(&clang->target);
    all[count++] = standard;
    all[count++] = "-Xclang";
    all[count++] = claimed;
    for (size_t i = 0; i < options->argument_count; i++) {
        if (own_options || !is_done_by_preprocessing(options->arguments[i]))
            all[count++] = options->arguments[i];
    }
    all[count++] = "-Wno-error";
    for (size_t i = 0; i < more_count; i++)
        all[count++] = more[i];
    all[count++] = "-";
    return all;
}

enum status clang_tell(const struct process_result *result, const char *what, struct error *error)
{
    static const char word[] = "error: ";
    struct text said = TEXT_INIT;
    tool_tell("clang", result, &said);
    const char *found = strstr(said.bytes, word);
    const char *at = found ? found : said.bytes;
    while (at > said.bytes && at[-1] != '\n')
        at--;
    if (found == at)
        at += strlen(word);
    const enum status status =
        error_set(error, STATUS_UNSUPPORTED, "%s: %.*s", what, (int)strcspn(at, "\n"), at);
    text_release(&said);
    return status;
}
