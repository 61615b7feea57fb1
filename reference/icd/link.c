/* Linking. spirv-link reads and writes files only, so the modules go through temporary ones. */
#include "reference/icd/link.h"

#include "reference/icd/header_files.h"
#include "reference/icd/toolchain.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"

#include <string.h>
#include <unistd.h>

enum { MODULE_MAX = 256 << 20, LOG_MAX = 1 << 20 };

static enum status fail(struct text *log, const char *sentence)
{
    text_format(log, "error: %s\n", sentence);
    return STATUS_UNSUPPORTED;
}

static enum status copy_one(const struct link_input *input, struct text *log, uint8_t **spirv,
                            size_t *size)
{
    uint8_t *copy = alloc(input->size);
    if (!copy)
        return fail(log, "out of memory");
    memcpy(copy, input->bytes, input->size);
    *spirv = copy;
    *size = input->size;
    return STATUS_OK;
}

/* arguments: program, options, "-o", output, inputs, NULL. Writes the inputs into files[1..];
 * files[0] is the output. */
static enum status run(char *const *files, size_t count, bool library, struct arena *arena,
                       struct text *log)
{
    const char **arguments = arena_alloc(arena, count + 8, sizeof(*arguments));
    const char *const *environment = toolchain_environment(arena);
    if (!arguments || !environment)
        return fail(log, "out of memory");
    size_t used = 0;
    arguments[used++] = "spirv-link";
    /* Built-in variables and functions are imports that the device resolves; it refuses any other
     * that is left open. */
    arguments[used++] = "--allow-partial-linkage";
    if (library)
        arguments[used++] = "--create-library";
    arguments[used++] = "--target-env";
    arguments[used++] = "spv1.2";
    arguments[used++] = "-o";
    for (size_t i = 0; i <= count; i++)
        arguments[used++] = files[i];
    struct process_result result;
    struct error error;
    const enum status status = process_run(&(struct process_request){.arguments = arguments,
                                                                     .environment = environment,
                                                                     .output_max = LOG_MAX},
                                           &result, &error);
    if (status == STATUS_NOT_FOUND)
        return fail(log,
                    "spirv-link was not found in PATH: install the Debian package spirv-tools");
    if (status != STATUS_OK)
        return fail(log, error.text);
    text_append(log, result.standard_error.bytes);
    const bool linked = result.exit_status == 0;
    if (!linked && result.standard_error.size == 0)
        text_append(log, "error: spirv-link failed\n");
    process_result_release(&result);
    return linked ? STATUS_OK : STATUS_UNSUPPORTED;
}

enum status link_spirv(const struct link_input *inputs, size_t count, bool library,
                       struct text *log, uint8_t **spirv, size_t *size)
{
    if (count == 1)
        return copy_one(&inputs[0], log, spirv, size);
    struct arena arena = {0};
    struct error error;
    char **files = arena_alloc(&arena, count + 1, sizeof(*files));
    enum status status = files ? STATUS_OK : fail(log, "out of memory");
    for (size_t i = 0; status == STATUS_OK && i <= count; i++) {
        files[i] = header_files_temporary();
        if (!files[i])
            status = fail(log, "cannot make a temporary file");
        else if (i > 0 &&
                 file_write(files[i], inputs[i - 1].bytes, inputs[i - 1].size, &error) != STATUS_OK)
            status = fail(log, error.text);
    }
    if (status == STATUS_OK)
        status = run(files, count, library, &arena, log);
    void *made = NULL;
    if (status == STATUS_OK && file_read(files[0], MODULE_MAX, &made, size, &error) != STATUS_OK)
        status = fail(log, error.text);
    if (status == STATUS_OK)
        *spirv = made;
    for (size_t i = 0; files && i <= count; i++) {
        if (files[i])
            unlink(files[i]);
        alloc_free(files[i]);
    }
    arena_release(&arena);
    return status;
}
