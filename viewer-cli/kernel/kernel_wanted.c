/* Which executions of a test or a kernel are asked for. */
#include "viewer-cli/kernel/cmd_kernel.h"

#include "checkers/litmus/machine.h"
#include "trace/base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000 };

/* "i0.1.0", the choices of an interleaving, "w0.3", those of a weak execution, or "b1.0.1", those
 * of one with load buffering. */
static enum status parse_choices(struct executions_wanted *wanted, const char *text,
                                 struct error *error)
{
    struct litmus_choices *choices = &wanted->choices;
    bool good = *text == 'i' || *text == 'w' || *text == 'b';
    const char *at = text + (good ? 1 : 0);
    wanted->replays = true;
    choices->weak = *text != 'i';
    choices->buffered = *text == 'b';
    choices->choices = alloc_zero(strlen(text) + 1, sizeof *choices->choices);
    if (choices->choices == NULL) {
        return error_no_memory(error, strlen(text));
    }
    while (good && *at != '\0') {
        char *end = NULL;
        errno = 0;
        const unsigned long choice = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        good = end != NULL && errno == 0 && choice <= UINT32_MAX &&
               (*end == '\0' || (*end == '.' && end[1] != '\0'));
        if (good) {
            choices->choices[choices->count++] = (uint32_t)choice;
            at = end + (*end == '.');
        }
    }
    return good
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "--choices %s: an i, w or b and numbers are wanted, as in w0.1.0", text);
}

/* "N" or "N:SEED" */
static enum status parse_sample(struct executions_wanted *wanted, const char *text,
                                struct error *error)
{
    char *end = NULL;
    errno = 0;
    struct litmus_options *search = &wanted->search;
    search->samples = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    bool good = search->samples > 0 && (*end == '\0' || *end == ':');
    if (good && *end == ':') {
        good = end[1] >= '0' && end[1] <= '9';
        search->seed = strtoull(end + 1, &end, 10);
        good = good && *end == '\0';
    }
    return good && errno == 0
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "--sample %s: a number of executions is wanted, as in 10000, or with a "
                           "seed, as in 10000:7",
                           text);
}

/* Takes the part of the samples that is the shard's: as many as the others, or one more, from
 * numbers that no other draws. */
static enum status parse_shard(struct executions_wanted *wanted, const char *text,
                               struct error *error)
{
    static const uint64_t between_seeds = UINT64_C(0xd1342543de82ef95);
    struct litmus_options *search = &wanted->search;
    struct shard *shard = &wanted->shard;
    if (search->samples == 0) {
        return error_set(error, STATUS_INVALID,
                         "--shard divides the executions of --sample: all executions of --explore "
                         "are looked at by one process");
    }
    const enum status status = shard_parse("kernel", text, shard, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (search->samples < shard->count) {
        return error_set(error, STATUS_INVALID,
                         "--sample %" PRIu64 " has fewer executions than there are shards",
                         search->samples);
    }
    const uint64_t rest = search->samples % shard->count;
    search->samples = search->samples / shard->count + (shard->index <= rest);
    search->seed += shard->index * between_seeds;
    return STATUS_OK;
}

/* Always the same line of a terminal. */
static void print_progress(void *user, uint64_t graphs, uint64_t executions)
{
    struct executions_wanted *wanted = user;
    wanted->tells_progress = true;
    fprintf(stderr, "\r%" PRIu64 " graphs, %" PRIu64 " executions\033[K", graphs, executions);
}

void executions_clear_progress(struct executions_wanted *wanted)
{
    if (wanted->tells_progress) {
        fputs("\r\033[K", stderr);
    }
    wanted->tells_progress = false;
}

void executions_release(struct executions_wanted *wanted)
{
    alloc_free(wanted->choices.choices);
    wanted->choices = (struct litmus_choices){0};
}

enum status executions_parse(const struct options *options, struct executions_wanted *wanted,
                             struct error *error)
{
    const char *const rule = options_text(options, "scope-rule");
    const char *const seq_cst = options_text(options, "seq-cst-rule");
    const char *const seq_cst_scope = options_text(options, "seq-cst-scope");
    const char *const choices = options_text(options, "choices");
    const char *const sample = options_text(options, "sample");
    const char *const shard = options_text(options, "shard");
    const uint64_t rounds = options_number(options, "unroll", LITMUS_ROUNDS);
    const uint64_t seconds = options_number(options, "time", LITMUS_SECONDS);
    const uint64_t memory = options_number(options, "memory", LITMUS_MEMORY / EXECUTIONS_MIB);
    enum status status = STATUS_OK;
    if (seconds > UINT32_MAX) {
        status = error_set(error, STATUS_INVALID, "--time %" PRIu64 ": more than %" PRIu32, seconds,
                           UINT32_MAX);
    }
    if (memory > UINT64_MAX / EXECUTIONS_MIB) {
        status = error_set(error, STATUS_INVALID, "--memory %" PRIu64 ": more than %" PRIu64,
                           memory, UINT64_MAX / EXECUTIONS_MIB);
    }
    if (rounds > ROUNDS_MAX) {
        status = error_set(error, STATUS_INVALID, "--unroll %" PRIu64 ": more than %d", rounds,
                           ROUNDS_MAX);
    }
    *wanted = (struct executions_wanted){
        .search = {.scope_rule = rule != NULL && strcmp(rule, "3.0") == 0
                                     ? ORACLE_SCOPES_EQUAL
                                     : ORACLE_SCOPES_WIDE_ENOUGH,
                   .seq_cst_alone = seq_cst != NULL && strcmp(seq_cst, "one") == 0,
                   .seq_cst_all = seq_cst_scope != NULL && strcmp(seq_cst_scope, "all") == 0,
                   .weak = options_has(options, "explore"),
                   .seconds = (uint32_t)seconds,
                   .memory = memory * EXECUTIONS_MIB,
                   .executions = options_number(options, "executions", 0),
                   .progress = isatty(STDERR_FILENO) ? print_progress : NULL,
                   .progress_user = wanted,
                   .race_values = options_has(options, "race-values"),
                   .rounds = (uint32_t)rounds},
    };
    if (status == STATUS_OK && sample != NULL) {
        status = parse_sample(wanted, sample, error);
    }
    if (status == STATUS_OK && shard != NULL) {
        status = parse_shard(wanted, shard, error);
    }
    if (status == STATUS_OK && choices != NULL) {
        status = parse_choices(wanted, choices, error);
    }
    return status;
}
