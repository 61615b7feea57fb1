#include "tests/fuzz/optimise.h"

#include "trace/base/process.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUTPUT_MAX = 1 << 26 };

/* Returns whether the tool succeeded, with its output. */
static bool run_tool(const char *const *arguments, const char *input, size_t input_size,
                     struct process_result *result)
{
    struct error error;
    const struct process_request request = {
        .arguments = arguments, .input = input, .input_size = input_size, .output_max = OUTPUT_MAX};
    if (process_run(&request, result, &error) != STATUS_OK) {
        fprintf(stderr, "fuzz_kernels: %s\n", error.text);
        exit(2);
    }
    return result->exit_status == 0;
}

/* With the first `passes` of the optimiser. */
static bool optimise_some(const char *source, const char *level, const char *standard,
                          const char *passes, struct text *module)
{
    const char *const compile[] = {FUZZ_CLANG,
                                   "-c",
                                   "-target",
                                   "spir64",
                                   level,
                                   "-x",
                                   "cl",
                                   standard,
                                   "-w",
                                   "-Xclang",
                                   "-finclude-default-header",
                                   "-ffp-contract=off",
                                   "-mllvm",
                                   passes,
                                   "-emit-llvm",
                                   "-o",
                                   "-",
                                   "-",
                                   NULL};
    const char *const translate[] = {
        FUZZ_LLVM_SPIRV, "--spirv-max-version=1.2", "-o", "-", "-", NULL};
    struct process_result bitcode = {0};
    struct process_result spirv = {0};
    size_t size = 0;
    while (source[size] != '\0')
        size++;
    if (!run_tool(compile, source, size, &bitcode)) {
        fprintf(stderr, "%.2000s\nfuzz_kernels: clang does not take the program\n",
                bitcode.standard_error.bytes);
        exit(1);
    }
    const bool translated =
        run_tool(translate, bitcode.standard_output.bytes, bitcode.standard_output.size, &spirv);
    if (translated)
        text_append_n(module, spirv.standard_output.bytes, spirv.standard_output.size);
    process_result_release(&bitcode);
    process_result_release(&spirv);
    return translated;
}

bool optimise(const char *source, const char *level, const char *standard, struct text *module)
{
    /* All of them; those that come before instructions are combined into odd widths. */
    return optimise_some(source, level, standard, "-opt-bisect-limit=-1", module) ||
           optimise_some(source, level, standard, "-opt-bisect-limit=150", module);
}
