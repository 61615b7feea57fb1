#include "viewer-cli/kernel/cmd_kernel.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"

#include <string.h>

enum { FILE_SIZE_MAX = 1 << 28 };

/* The version of SPIR-V that a comment of the text states, as spirv-dis writes it; else 1.2, in
 * which entry points need not list all the variables that they use. */
static const char *assembly_target(const struct kernel_program *assembly)
{
    static char target[] = "spv1.2";
    static const char comment[] = "; Version: 1.";
    const size_t length = sizeof comment - 1;
    const char *const end = (const char *)assembly->bytes + assembly->size;
    const char *const found = memmem(assembly->bytes, assembly->size, comment, length);
    if (found != NULL && found + length < end && found[length] >= '0' && found[length] <= '6') {
        target[sizeof target - 2] = found[length];
    }
    return target;
}

/* Text form to words, by SPIRV-Tools' assembler. */
static enum status assemble(const char *path, struct kernel_program *program, struct error *error)
{
    const char *const arguments[] = {
        "spirv-as", "--target-env", assembly_target(program), "-o", "-", "-", NULL};
    const struct process_request request = {
        .arguments = arguments,
        .input = program->bytes,
        .input_size = program->size,
        .output_max = FILE_SIZE_MAX,
    };
    struct process_result result;
    const enum status status = process_run(&request, &result, error);
    if (status == STATUS_NOT_FOUND) {
        return error_set(error, status, "a .spvasm file needs spirv-as (Debian: spirv-tools)");
    }
    if (status != STATUS_OK) {
        return status;
    }
    enum status assembled = STATUS_OK;
    if (result.exit_status != 0) {
        assembled = error_set(error, STATUS_MALFORMED, "spirv-as cannot assemble %s: %s", path,
                              result.standard_error.bytes);
    } else {
        void *words = alloc(result.standard_output.size);
        if (words == NULL) {
            assembled = error_no_memory(error, result.standard_output.size);
        } else {
            memcpy(words, result.standard_output.bytes, result.standard_output.size);
            alloc_free(program->bytes);
            program->bytes = words;
            program->size = result.standard_output.size;
        }
    }
    process_result_release(&result);
    return assembled;
}

enum status kernel_program_load(struct kernel_command *command, struct error *error)
{
    const char *const path = command->path;
    struct kernel_program *program = &command->program;
    const bool text = path_has_extension(path, ".spvasm");
    *program = (struct kernel_program){.il = text || path_has_extension(path, ".spv")};
    if (!program->il && !path_has_extension(path, ".cl")) {
        return error_set(error, STATUS_INVALID,
                         "%s: a .cl, .spv, .spvasm or .litmus file is wanted", path);
    }
    const enum status status =
        file_read(path, FILE_SIZE_MAX, &program->bytes, &program->size, error);
    return status == STATUS_OK && text ? assemble(path, program, error) : status;
}
