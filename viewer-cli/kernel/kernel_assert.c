/* --assert: what of it is told, of runs by findings and of explorations by verdicts. */
#include "viewer-cli/kernel/cmd_kernel.h"

#include "checkers/finding.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <string.h>

/* Of the rank of an explored location (reference/explore/places.c): its argument, and where it is
 * in that. */
enum { RANK_OFFSET_BITS = 40 };

/* ---- options ---- */

enum status kernel_assert_parse(struct kernel_command *command, struct error *error)
{
    struct kernel_asserts *asserts = &command->asserts;
    const size_t count = options_count(command->options, "assert");
    const char **names =
        arena_alloc(&asserts->arena, command->argument_count, sizeof(const char *));
    asserts->list = arena_alloc(&asserts->arena, count, sizeof *asserts->list);
    if (names == NULL || asserts->list == NULL) {
        return error_no_memory(error, count * sizeof *asserts->list);
    }
    for (size_t i = 0; i < command->argument_count; i++) {
        names[i] = kernel_host_parameter(command->host, i)->name;
    }
    const struct kernel_assertion_scope scope = {command->arguments, names,
                                                 command->argument_count};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = kernel_assertion_parse(options_text_at(command->options, "assert", i), &scope,
                                        &asserts->arena, &asserts->list[i], error);
        asserts->count += status == STATUS_OK;
    }
    return status;
}

void kernel_assert_release(struct kernel_command *command)
{
    arena_release(&command->asserts.arena);
}

/* ---- runs ---- */

static void tell_violation(struct kernel_command *command, const char *text,
                           const struct kernel_assertion_result *result)
{
    struct arena arena = {0};
    /* Of each assertion one: by their places findings are told apart. */
    const struct finding_place place = {
        .kind = FINDING_PLACE_KERNEL,
        .file = command->path,
        .function = arena_format(&arena, "--assert '%s'", text),
    };
    struct finding finding = {
        .rule = RULE_ASSERTION,
        .message =
            arena_format(&arena, "'%s' does not hold when kernel '%s' has ended%s%s", text,
                         command->kernel, result->where.size > 0 ? ": " : "", result->where.bytes),
        .reason = result->cases > 1 ? arena_format(&arena,
                                                   "it does not hold in %" PRIu64 " of %" PRIu64
                                                   " cases, of which this is the first",
                                                   result->violated, result->cases)
                                    : NULL,
        .places = &place,
        .place_count = 1,
        .kernel = command->kernel,
        .count = 1,
    };
    if (finding.message != NULL && place.function != NULL &&
        kernel_schedules_take(command, &finding, &arena)) {
        report_add(command->reporting.report, &finding);
    }
    arena_release(&arena);
}

enum status kernel_assert_check(struct kernel_command *command, uint8_t *const *outputs,
                                struct error *error)
{
    struct kernel_asserts *asserts = &command->asserts;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < asserts->count; i++) {
        struct kernel_assertion_result result = {.where = TEXT_INIT};
        status = kernel_assertion_check(asserts->list[i], (const uint8_t *const *)outputs, &result,
                                        error);
        if (status == STATUS_OK && result.violated > 0) {
            tell_violation(command, kernel_assertion_text(asserts->list[i]), &result);
        }
        text_release(&result.where);
    }
    return status;
}

/* ---- explorations ---- */

/* Room for the buffers as they are at the end. False: memory is out. */
static bool make_bytes(struct kernel_command *command)
{
    struct kernel_asserts *asserts = &command->asserts;
    uint8_t **bytes = arena_alloc(&asserts->arena, command->argument_count, sizeof(uint8_t *));
    for (size_t i = 0; bytes != NULL && i < command->argument_count; i++) {
        const struct kernel_argument *argument = &command->arguments[i];
        if (argument->kind != KERNEL_ARGUMENT_BUFFER) {
            continue;
        }
        bytes[i] = arena_alloc(&asserts->arena, argument->size, 1);
        if (bytes[i] == NULL) {
            return false;
        }
    }
    asserts->bytes = bytes;
    return bytes != NULL;
}

/* Buffers as they are before the kernel runs, but for what the outcome has. */
static void put_outcome(const struct kernel_command *command, const struct litmus_test *test,
                        const struct litmus_result *result, const struct litmus_outcome *outcome)
{
    uint8_t *const *bytes = command->asserts.bytes;
    for (size_t i = 0; i < command->argument_count; i++) {
        if (bytes[i] != NULL && command->arguments[i].bytes != NULL) {
            memcpy(bytes[i], command->arguments[i].bytes, command->arguments[i].size);
        }
    }
    for (size_t i = 0; i < result->observed_count; i++) {
        const struct litmus_location *location = &test->locations[result->observed[i].index];
        const uint64_t argument = location->rank >> RANK_OFFSET_BITS;
        const uint64_t offset = location->rank & ((UINT64_C(1) << RANK_OFFSET_BITS) - 1);
        if (argument < command->argument_count && bytes[argument] != NULL) {
            memcpy(bytes[argument] + offset, &outcome->values[i], location->type.size);
        }
    }
}

static enum status check_outcome(struct kernel_command *command,
                                 const struct kernel_assertion *assertion,
                                 const struct litmus_test *test, const struct litmus_result *result,
                                 const struct litmus_outcome *outcome,
                                 struct kernel_assertion_result *checked, struct error *error)
{
    if (command->asserts.bytes == NULL && !make_bytes(command)) {
        return error_no_memory(error, 0);
    }
    put_outcome(command, test, result, outcome);
    return kernel_assertion_check(assertion, (const uint8_t *const *)command->asserts.bytes,
                                  checked, error);
}

static bool fails(void *user, size_t claim, const struct litmus_test *test,
                  const struct litmus_result *result, const struct litmus_outcome *outcome)
{
    struct kernel_command *command = user;
    struct kernel_assertion_result checked = {.where = TEXT_INIT};
    const enum status status =
        check_outcome(command, command->asserts.list[claim], test, result, outcome, &checked, NULL);
    text_release(&checked.where);
    return status == STATUS_OK && checked.violated > 0;
}

void kernel_assert_claim(struct kernel_command *command, struct litmus_claims *claims)
{
    *claims = (struct litmus_claims){command->asserts.count, fails, command};
}

/* The first outcome, in their order, in which it does not hold. */
static enum status judge_outcomes(struct kernel_command *command,
                                  const struct kernel_assertion *assertion,
                                  const struct executions *executions,
                                  struct executions_assertion *judged, struct error *error)
{
    const struct litmus_result *result = executions->result;
    struct litmus_verdicts verdicts;
    litmus_judge(executions->test, result, &verdicts);
    *judged = (struct executions_assertion){
        .text = kernel_assertion_text(assertion), .where = "", .verdict = verdicts.more};
    for (size_t i = 0; i < result->outcome_count; i++) {
        struct kernel_assertion_result checked = {.where = TEXT_INIT};
        const enum status status = check_outcome(command, assertion, executions->test, result,
                                                 &result->outcomes[i], &checked, error);
        if (status == STATUS_OK && checked.violated > 0) {
            judged->verdict = LITMUS_FOUND;
            judged->outcome = &result->outcomes[i];
            judged->where = arena_string(&command->asserts.arena, checked.where.bytes);
        }
        text_release(&checked.where);
        if (status != STATUS_OK || judged->verdict == LITMUS_FOUND) {
            return judged->where != NULL ? status : error_no_memory(error, 0);
        }
    }
    return STATUS_OK;
}

enum status kernel_assert_explored(struct kernel_command *command, struct executions *executions,
                                   struct error *error)
{
    struct kernel_asserts *asserts = &command->asserts;
    struct executions_assertion *judged =
        arena_alloc(&asserts->arena, asserts->count, sizeof *judged);
    enum status status = judged != NULL ? STATUS_OK : error_no_memory(error, sizeof *judged);
    for (size_t i = 0; status == STATUS_OK && i < asserts->count; i++) {
        status = judge_outcomes(command, asserts->list[i], executions, &judged[i], error);
    }
    executions->assertions = judged;
    executions->assertion_count = status == STATUS_OK ? asserts->count : 0;
    return status;
}
