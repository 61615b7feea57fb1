/* llvm-spirv, the repairs of what it does not take, and the search for the line at fault. */
#include "reference/compiler/translate.h"

#include "reference/compiler/repairs.h"
#include "reference/compiler/tool.h"

#include <string.h>

struct translation {
    const struct translate_request *request;
    struct arena *arena;
    struct text *log;
};

static enum status run(const struct translation *translation, const char *const *arguments,
                       const struct text *input, struct process_result *result)
{
    struct error error;
    const enum status status =
        tool_run(arguments, input->bytes, input->size, translation->arena, result, &error);
    if (status != STATUS_OK)
        text_format(translation->log, "error: %s\n", error.text);
    return status;
}

enum { SPIRV_ARGUMENTS = 9 };

/* Where a variable is, LLVM may say with words that the instruction set lacks; llvm-spirv stops at
 * them unless it is told to put them as they are. */
static void make_arguments(const struct toolchain *tools, bool debugging,
                           const char *arguments[SPIRV_ARGUMENTS])
{
    const char *const made[SPIRV_ARGUMENTS] = {
        tools->llvm_spirv,
        tools->max_version,
        "--spirv-ext=+SPV_KHR_bit_instructions,"
        "+SPV_KHR_integer_dot_product,"
        "+SPV_KHR_expect_assume,"
        "+SPV_EXT_shader_atomic_float_add,"
        "+SPV_EXT_shader_atomic_float_min_max,"
        "+SPV_KHR_subgroup_rotate,"
        "+SPV_INTEL_subgroups",
        "--preserve-ocl-kernel-arg-type-metadata-through-string",
        "-o",
        "-",
        "-",
        debugging ? "--spirv-allow-extra-diexpressions" : NULL,
        NULL};
    memcpy(arguments, made, sizeof made);
}

static enum status run_llvm_spirv(const struct translation *translation, const struct text *bitcode,
                                  struct process_result *result)
{
    const char *arguments[SPIRV_ARGUMENTS];
    make_arguments(translation->request->tools, translation->request->debugging, arguments);
    return run(translation, arguments, bitcode, result);
}

struct process *translate_start(const struct toolchain *tools, struct arena *arena)
{
    const char **arguments = arena_alloc(arena, SPIRV_ARGUMENTS, sizeof *arguments);
    struct process *process = NULL;
    if (!arguments)
        return NULL;
    make_arguments(tools, false, arguments);
    return tool_start(arguments, arena, &process, NULL) == STATUS_OK ? process : NULL;
}

static enum status translate_first(const struct translation *translation,
                                   struct process_result *result)
{
    const struct translate_request *request = translation->request;
    struct error error;
    if (!request->ahead)
        return run_llvm_spirv(translation, request->bitcode, result);
    const enum status status = process_finish(request->ahead, request->bitcode->bytes,
                                              request->bitcode->size, result, &error);
    if (status != STATUS_OK)
        text_format(translation->log, "error: %s\n", error.text);
    return status;
}

/* LLVM's text to bitcode. */
static enum status run_assembler(const struct translation *translation, const struct text *ir,
                                 struct process_result *result)
{
    const char *const arguments[] = {translation->request->tools->clang,
                                     "-x",
                                     "ir",
                                     "-target",
                                     translation->request->target,
                                     "-c",
                                     "-emit-llvm",
                                     "-O0",
                                     "-Xclang",
                                     "-disable-llvm-passes",
                                     "-o",
                                     "-",
                                     "-",
                                     NULL};
    return run(translation, arguments, ir, result);
}

/* Translates LLVM's text. STATUS_MALFORMED = it is not such. */
static enum status translate_text(const struct translation *translation, const struct text *ir,
                                  struct process_result *result)
{
    struct process_result bitcode = {0};
    enum status status = run_assembler(translation, ir, &bitcode);
    if (status == STATUS_OK && !tool_succeeded(&bitcode))
        status = STATUS_MALFORMED;
    if (status == STATUS_OK)
        status = run_llvm_spirv(translation, &bitcode.standard_output, result);
    process_result_release(&bitcode);
    return status;
}

/* Repairs the module with all that is known; false where there is nothing to repair. */
static bool repair_text(struct text *ir)
{
    static bool (*const repairs[])(const char *ir, struct text *repaired) = {
        repair_built_ins, repair_destructors, repair_ir,      repair_fences,
        repair_halves,    repair_constants,   repair_handles, repair_initialisers};
    bool any = false;
    for (size_t i = 0; i < sizeof(repairs) / sizeof(repairs[0]); i++) {
        struct text repaired = TEXT_INIT;
        if (repairs[i](ir->bytes, &repaired)) {
            const struct text before = *ir;
            *ir = repaired;
            repaired = before;
            any = true;
        }
        text_release(&repaired);
    }
    return any;
}

/* Does the translator fail at the first `count` instructions? */
static enum status fails(const struct translation *translation, const struct text *ir, size_t count,
                         bool *failed)
{
    struct process_result result = {0};
    struct text cut = TEXT_INIT;
    culprit_cut(ir->bytes, count, &cut);
    const enum status status = translate_text(translation, &cut, &result);
    if (status == STATUS_OK) {
        *failed = !tool_succeeded(&result);
        process_result_release(&result);
    }
    text_release(&cut);
    return status;
}

/* Appends where the instruction stands that the translator fails at; nothing where there is none,
 * or it cannot be found. */
static void find_place(const struct translation *translation, const struct text *ir,
                       struct text *place)
{
    size_t good = 0, bad = culprit_count(ir->bytes);
    bool failed;
    if (fails(translation, ir, 0, &failed) != STATUS_OK || failed)
        return;
    while (bad > good + 1) {
        const size_t middle = good + (bad - good) / 2;
        if (fails(translation, ir, middle, &failed) != STATUS_OK)
            return;
        if (failed)
            bad = middle;
        else
            good = middle;
    }
    culprit_place(ir->bytes, good, place);
}

/* Tries once more, or finds out what is wrong. */
static enum status retry(const struct translation *translation, struct process_result *result,
                         struct text *place)
{
    struct text ir = TEXT_INIT;
    enum status status = STATUS_OK;
    if (!translation->request->make_text(translation->request->user, &ir))
        goto out;
    if (repair_text(&ir)) {
        struct process_result again = {0};
        status = translate_text(translation, &ir, &again);
        if (status == STATUS_MALFORMED) {
            status = STATUS_OK; /* then as if there had been nothing to repair */
        } else if (status == STATUS_OK) {
            process_result_release(result);
            *result = again;
        }
    }
    if (status == STATUS_OK && !tool_succeeded(result) && !tool_limited(result))
        find_place(translation, &ir, place);
out:
    text_release(&ir);
    return status;
}

enum status translate_bitcode(const struct translate_request *request, struct arena *arena,
                              struct text *log, struct text *spirv)
{
    const struct translation translation = {request, arena, log};
    struct process_result result = {0};
    struct text place = TEXT_INIT;
    enum status status = translate_first(&translation, &result);
    const bool failed = !tool_succeeded(&result) && !tool_limited(&result);
    if (status == STATUS_OK && (failed || repair_lacks_built_ins(&result.standard_output) ||
                                repair_misread_fences(&result.standard_output)))
        status = retry(&translation, &result, &place);
    if (status == STATUS_OK) {
        tool_tell_at(request->tools->llvm_spirv, &result, place.bytes, log);
        if (tool_succeeded(&result)) {
            *spirv = result.standard_output;
            result.standard_output = (struct text)TEXT_INIT;
        } else {
            status = STATUS_UNSUPPORTED;
        }
    }
    text_release(&place);
    process_result_release(&result);
    return status;
}
