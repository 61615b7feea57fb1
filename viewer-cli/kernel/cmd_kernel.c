/* clerk kernel: runs one kernel on the reference device and tells what is wrong with it. By default
 * it runs more than once: kernel_schedules.c. */
#include "viewer-cli/kernel/cmd_kernel.h"
#include "checkers/checks.h"
#include "checkers/finding.h"
#include "trace/api/enumerant.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/file.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORK_ITEMS_MAX (UINT64_C(1) << 40)

static const struct option_row kernel_options[] = {
#include "viewer-cli/kernel/kernel_options.def"
    {"schedule", 0, OPTION_TEXT, false,
     "asc|desc|both|seed:K|items[:ORDER]|turns:N|pct:N:K|hold:K:N",
     "the order of work-groups and work-items (both: ascending, then descending; items: one "
     "work-item at a time, from barrier to barrier, in this order; turns: all in turns of N atomic "
     "operations; pct: by priorities of seed K that change N - 1 times; hold: as items, but "
     "work-item K waits before its Nth atomic operation until no other goes on; default: both, and "
     "if work-items communicate turns:1, items:desc and some pct:3:K)"},
    {"schedules", 0, OPTION_NUMBER, false, "N",
     "without --schedule: also pct:3:1 to pct:3:N if work-items communicate; 0: both alone (of "
     "64 as many as take little time)"},
    {"workers", 0, OPTION_TEXT, false, "auto|N",
     "threads among which the device may divide the work-groups; results do not depend on it "
     "(auto)"},
    {"native", 0, OPTION_WORD, false, "auto|off|always",
     "when clang makes native code of the kernel: once it has executed much, never, or before it "
     "runs"},
    {"assert", 0, OPTION_TEXT, true, "EXPR",
     "what the arguments must hold when the kernel has ended, as in 'all i: out[i] == 2*i'"},
    {"explore", 0, OPTION_FLAG, false, NULL,
     "all executions of a small kernel or a litmus test that the memory model allows"},
    {"choices", 0, OPTION_TEXT, false, "LIST",
     "show the execution that has these choices, as --explore names them"},
    {"sample", 0, OPTION_TEXT, false, "N[:SEED]",
     "explore N executions, chosen at random, instead of all"},
    {"shard", 0, OPTION_TEXT, false, SHARD_VALUE,
     "with --sample: an N-th of its executions, by random numbers of their own" SHARD_AUTO},
    {"merge", 0, OPTION_FLAG, false, NULL,
     "put together what the shards of --sample gave, as lines of JSON: their outputs with --json, "
     "instead of a kernel"},
    {"unroll", 0, OPTION_NUMBER, false, "N",
     "when exploring: rounds of a loop that does not merely wait (4)"},
    {"time", 0, OPTION_NUMBER, false, "SECONDS",
     "when exploring: end after so long, whatever was looked at by then; 0 = never (60)"},
    {"memory", 0, OPTION_NUMBER, false, "MIB",
     "when exploring: end where graphs would take more; 0 = where there is no more (1024)"},
    {"executions", 0, OPTION_NUMBER, false, "N",
     "when exploring: end after so many, those that do not end among them"},
    {"race-values", 0, OPTION_FLAG, false, NULL,
     "when exploring: all values that plain accesses may have in races, also if that makes very "
     "many executions"},
#include "viewer-cli/reporting_options.def"
};

static bool prints_json(const struct kernel_command *command)
{
    return command->reporting.style.format == REPORT_JSON;
}

/* ---- findings ---- */

/* A device that compiled a string calls it "<source>"; here it has a name. */
#define SOURCE_NAME "<source>"

static const char *name_source(const struct kernel_command *command, const char *string,
                               struct arena *arena)
{
    const char *at = string == NULL ? NULL : strstr(string, SOURCE_NAME);
    if (at == NULL) {
        return string;
    }
    const char *named = arena_format(arena, "%.*s%s%s", (int)(at - string), string, command->path,
                                     at + strlen(SOURCE_NAME));
    return named != NULL ? named : string;
}

/* What the kernel prints is shown for the first run only, the others would repeat it; and not among
 * lines of JSON. */
static void take_output(void *user, const char *bytes, size_t size)
{
    struct kernel_command *command = user;
    if (!command->schedules.is_repeated && !command->trial.is_under_way && command->debugger < 0) {
        reporting_print_output(&command->reporting, prints_json(command) ? stderr : stdout, bytes,
                               size);
    }
}

static void take_finding(void *user, const struct finding *found)
{
    struct kernel_command *command = user;
    struct arena arena = {0};
    struct finding finding = *found;
    if (command->trial.is_under_way) {
        kernel_trial_take(&command->trial, found);
        return;
    }
    struct finding_place *places =
        arena_copy(&arena, found->places, found->place_count * sizeof *places);
    for (size_t i = 0; places != NULL && i < found->place_count; i++) {
        places[i].file = name_source(command, places[i].file, &arena);
        const char **frames = arena_alloc(&arena, places[i].frame_count, sizeof *frames);
        for (size_t j = 0; frames != NULL && j < places[i].frame_count; j++) {
            frames[j] = name_source(command, places[i].frames[j], &arena);
        }
        places[i].frames = frames;
        places[i].frame_count = frames != NULL ? places[i].frame_count : 0;
    }
    if (places != NULL) {
        finding.places = places;
    }
    if (kernel_schedules_take(command, &finding, &arena)) {
        report_add(command->reporting.report, &finding);
    }
    arena_release(&arena);
}

/* ---- options ---- */

/* "X[,Y[,Z]]"; *count is how many. */
static bool parse_sizes(const char *text, size_t sizes[3], uint32_t *count)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char *end = NULL;
        errno = 0;
        if (*count == 3 || *at < '0' || *at > '9') {
            return false;
        }
        sizes[(*count)++] = strtoull(at, &end, 0);
        if (errno != 0 || (*end != ',' && *end != '\0')) {
            return false;
        }
        if (*end == '\0') {
            return true;
        }
        at = end;
    }
}

/* *count: 0 where the option is not given. */
static enum status parse_size_option(const struct kernel_command *command, const char *name,
                                     size_t sizes[3], uint32_t *count, struct error *error)
{
    const char *text = options_text(command->options, name);
    const uint32_t dimensions = command->range.dimensions;
    *count = 0;
    if (text != NULL && !parse_sizes(text, sizes, count)) {
        return error_set(error, STATUS_INVALID, "--%s %s: one to three numbers with commas between",
                         name, text);
    }
    if (text != NULL && dimensions != 0 && *count != dimensions) {
        return error_set(error, STATUS_INVALID,
                         "--%s %s has %" PRIu32 " dimensions, and --global has %" PRIu32, name,
                         text, *count, dimensions);
    }
    return STATUS_OK;
}

static enum status parse_range(struct kernel_command *command, struct error *error)
{
    const char *text = options_text(command->options, "global");
    struct kernel_range *range = &command->range;
    uint32_t dimensions;
    uint64_t total = 1;
    enum status status = parse_size_option(command, "global", range->global, &dimensions, error);
    if (status != STATUS_OK || dimensions == 0) {
        return status; /* the kernel is shown, and then it is asked for */
    }
    range->dimensions = dimensions;
    for (uint32_t i = 0; i < range->dimensions; i++) {
        if (range->global[i] == 0) {
            return error_set(error, STATUS_INVALID, "--global %s: there would be no work-item",
                             text);
        }
        if (!size_mul(total, range->global[i], &total) || total > WORK_ITEMS_MAX) {
            return error_set(error, STATUS_INVALID,
                             "--global %s: more than %llu work-items would run for days", text,
                             (unsigned long long)WORK_ITEMS_MAX);
        }
    }
    status = parse_size_option(command, "local", range->local, &dimensions, error);
    range->has_local = dimensions != 0;
    return status == STATUS_OK
               ? parse_size_option(command, "offset", range->offset, &dimensions, error)
               : status;
}

static enum status parse_arguments(struct kernel_command *command, struct error *error)
{
    const size_t count = options_count(command->options, "arg");
    command->arguments = alloc_zero(count, sizeof *command->arguments);
    if (command->arguments == NULL) {
        return error_no_memory(error, count * sizeof *command->arguments);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        status = kernel_argument_parse(options_text_at(command->options, "arg", i),
                                       &command->arguments[i], error);
        command->argument_count += status == STATUS_OK;
        if (status == STATUS_OK) {
            status = kernel_argument_resolve(command->arguments, i + 1, error);
        }
    }
    return status;
}

/* Of --print and --dump: the buffer argument that the text names; "N" or "N=...". */
static enum status parse_index(const struct kernel_command *command, const char *option,
                               const char *text, size_t *index, const char **rest,
                               struct error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (end == NULL || errno != 0) {
        return error_set(error, STATUS_INVALID, "--%s %s: it begins with the number of an argument",
                         option, text);
    }
    if (number >= command->argument_count ||
        (command->arguments[number].kind != KERNEL_ARGUMENT_BUFFER &&
         command->arguments[number].kind != KERNEL_ARGUMENT_IMAGE)) {
        return error_set(error, STATUS_INVALID, "--%s %s: argument %llu is not a buffer", option,
                         text, number);
    }
    if (command->arguments[number].is_null) {
        return error_set(error, STATUS_INVALID, "--%s %s: argument %llu is null", option, text,
                         number);
    }
    *index = (size_t)number;
    *rest = end;
    return STATUS_OK;
}

static enum status check_outputs(struct kernel_command *command, struct error *error)
{
    static const char *const names[] = {"print", "dump"};
    enum status status = STATUS_OK;
    for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
        const size_t count = options_count(command->options, names[name]);
        for (size_t i = 0; status == STATUS_OK && i < count; i++) {
            const char *const text = options_text_at(command->options, names[name], i);
            size_t index = 0;
            const char *rest = NULL;
            status = parse_index(command, names[name], text, &index, &rest, error);
            if (status == STATUS_OK && strcmp(names[name], "dump") == 0 &&
                (*rest != '=' || rest[1] == '\0')) {
                status = error_set(error, STATUS_INVALID,
                                   "--dump %s: the file is missing, as in 0=out.bin", text);
            }
        }
    }
    return status;
}

/* ---- the program ---- */

/* The compiler's words, with the file's name for what it knows as SOURCE_NAME. */
static void print_log(const struct kernel_command *command, const char *log)
{
    struct text named = TEXT_INIT;
    for (const char *at = strstr(log, SOURCE_NAME); at != NULL; at = strstr(log, SOURCE_NAME)) {
        text_append_n(&named, log, (size_t)(at - log));
        text_append(&named, command->path);
        log = at + strlen(SOURCE_NAME);
    }
    text_append(&named, log);
    if (named.size > 0 && named.bytes[named.size - 1] != '\n') {
        text_append_char(&named, '\n');
    }
    visible_print(stderr, named.bytes, named.size);
    text_release(&named);
}

static enum status build_program(struct kernel_command *command, struct error *error)
{
    struct text log = TEXT_INIT;
    const char *const build = options_text(command->options, "build");
    const enum status status = kernel_host_build(command->host, &command->program,
                                                 build != NULL ? build : "", &log, error);
    if (log.size > 0) {
        print_log(command, log.bytes);
    }
    text_release(&log);
    if (status != STATUS_OK) {
        error_prefix(error, "%s", command->path);
    }
    return status;
}

static enum status select_kernel(struct kernel_command *command, struct error *error)
{
    const char *const names = kernel_host_kernel_names(command->host);
    command->kernel = options_text(command->options, "kernel");
    if (command->kernel == NULL) {
        if (*names == '\0') {
            return error_set(error, STATUS_NOT_FOUND, "%s has no kernel", command->path);
        }
        if (strchr(names, ';') != NULL) {
            return error_set(error, STATUS_INVALID,
                             "%s has several kernels, -k NAME says which: %s", command->path,
                             names);
        }
        command->kernel = names;
    }
    return kernel_host_select(command->host, command->kernel, error);
}

static enum status show_kernel(const struct kernel_command *command, const char *name,
                               struct error *error)
{
    const enum status status = kernel_host_select(command->host, name, error);
    if (status == STATUS_OK) {
        kernel_match_show(command, name);
    }
    return status;
}

/* Without --global: the kernel, or all that the file has, with the arguments and a line to copy,
 * and the error says what is missing. */
static enum status show_kernels(struct kernel_command *command, struct error *error)
{
    const char *const wanted = options_text(command->options, "kernel");
    const char *const names = kernel_host_kernel_names(command->host);
    if (options_has(command->options, "global") || *names == '\0') {
        return STATUS_OK;
    }
    enum status status = wanted != NULL ? show_kernel(command, wanted, error) : STATUS_OK;
    for (const char *at = names; wanted == NULL && status == STATUS_OK && *at != '\0';) {
        const size_t length = strcspn(at, ";");
        struct text name = TEXT_INIT;
        text_format(&name, "%.*s", (int)length, at);
        status = show_kernel(command, name.bytes, error);
        text_release(&name);
        at += at[length] == ';' ? length + 1 : length;
    }
    return status != STATUS_OK
               ? status
               : error_set(error, STATUS_INVALID,
                           "how many work-items? -g X[,Y[,Z]] is missing, as in -g 64");
}

/* ---- running ---- */

/* Destructors of program-scope variables run now, and are checked. */
static void end_program(struct kernel_command *command)
{
    command->schedules.is_repeated = false;
    kernel_host_end_program(command->host);
}

/* ---- results ---- */

static void print_headline(struct kernel_command *command)
{
    const struct kernel_range *range = &command->range;
    struct text *text = &command->text;
    text_format(text, "clerk: kernel '%s' on %zu", command->kernel, range->global[0]);
    for (uint32_t i = 1; i < range->dimensions; i++) {
        text_format(text, " x %zu", range->global[i]);
    }
    text_append(text,
                range->dimensions == 1 && range->global[0] == 1 ? " work-item" : " work-items");
    for (uint32_t i = 0; range->has_local && i < range->dimensions; i++) {
        text_format(text, "%s%zu", i == 0 ? " in work-groups of " : " x ", range->local[i]);
    }
    if (kernel_explore_wanted(command->options)) {
        text_append(text, ", explored\n");
    } else if (command->schedules.only != NULL) {
        text_format(text, ", schedule %s\n", command->schedules.only);
    } else {
        text_append(text, ", in ascending and descending order\n");
    }
}

/* What the argument's memory holds after the first run; NULL of an empty one. */
static const uint8_t *output_of(const struct kernel_command *command, size_t index)
{
    const struct kernel_argument *argument = &command->arguments[index];
    return command->schedules.outputs[argument->is_same ? argument->same : index];
}

static void print_outputs(struct kernel_command *command)
{
    struct text *text = &command->text;
    for (size_t i = 0; i < options_count(command->options, "print"); i++) {
        const size_t index = strtoull(options_text_at(command->options, "print", i), NULL, 10);
        const struct kernel_argument *argument = &command->arguments[index];
        const char *const name = kernel_host_parameter(command->host, index)->name;
        if (!prints_json(command)) {
            text_format(text, "argument %zu%s%s:\n", index, *name != '\0' ? ", " : "", name);
        } else if (*name == '\0') { /* as outcomes of an exploration have it */
            text_format(text, "{\"kind\":\"output\",\"argument\":%zu,\"name\":\"arg%zu\"", index,
                        index);
        } else {
            text_format(text, "{\"kind\":\"output\",\"argument\":%zu,\"name\":", index);
            text_append_json(text, name);
        }
        text_append(text, prints_json(command) ? ",\"values\":" : "");
        kernel_argument_print(argument, output_of(command, index), prints_json(command), text);
        text_append(text, prints_json(command) ? "}\n" : "");
    }
}

static enum status dump_outputs(const struct kernel_command *command, struct error *error)
{
    const size_t count = options_count(command->options, "dump");
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        char *end = NULL;
        const size_t index = strtoull(options_text_at(command->options, "dump", i), &end, 10);
        status =
            file_write(end + 1, output_of(command, index), command->arguments[index].size, error);
    }
    return status;
}

static enum verb_status exit_status(const struct kernel_command *command)
{
    const char *fail_on = options_text(command->options, "fail-on");
    const bool tells = fail_on == NULL || strcmp(fail_on, "never") != 0;
    if (tells && command->explored_exit != VERB_OK) {
        return command->explored_exit;
    }
    return reporting_verdict(&command->reporting);
}

static void print_for_people(struct kernel_command *command)
{
    struct text *text = &command->text;
    const bool found = !report_is_empty(command->reporting.report);
    print_headline(command);
    text_append(text, command->explored.bytes);
    print_outputs(command);
    if (found) {
        text_append_char(text, '\n');
    }
    if (found || !kernel_explore_wanted(command->options)) {
        reporting_print(&command->reporting, STDOUT_FILENO, text);
    }
}

static int print_results(struct kernel_command *command)
{
    struct text *text = &command->text;
    struct error error;
    if (options_has(command->options, "choices")) {
        text_append(text, command->explored.bytes);
    } else if (reporting_is_for_programs(&command->reporting)) {
        reporting_print(&command->reporting, STDOUT_FILENO, text);
        if (prints_json(command)) {
            text_append(text, command->explored.bytes);
            print_outputs(command);
        }
    } else {
        print_for_people(command);
    }
    verb_print(text);
    if (reporting_write(&command->reporting, &error) != STATUS_OK) {
        return verb_fail(&verb_kernel, &error);
    }
    return verb_finish(&verb_kernel, (int)exit_status(command));
}

/* ---- the verb ---- */

static enum status open_reporting(struct kernel_command *command, struct error *error)
{
    return reporting_open(command->options, &command->reporting, error);
}

static enum status take_checks(struct kernel_command *command, struct error *error)
{
    struct checks checks;
    const char *const list = options_text(command->options, "checks");
    const enum status status = list != NULL ? checks_parse(list, &checks, error) : STATUS_OK;
    if (status == STATUS_OK) {
        reporting_note_checks(&command->reporting,
                              list != NULL ? list : setting_value(SETTING_CHECKS), true);
    }
    return status;
}

/* The settings that reach the device through its environment. */
static enum status set_environment(struct kernel_command *command, struct error *error)
{
    static const enum setting settings[] = {
        SETTING_CHECKS,         SETTING_OPERATION_LIMIT, SETTING_SCOPE_RULE, SETTING_SEQ_CST_RULE,
        SETTING_SUB_GROUP_SIZE, SETTING_PERSONALITY,     SETTING_NATIVE,     SETTING_WORKERS};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof settings / sizeof *settings; i++) {
        const char *const value = options_text(command->options, setting_get(settings[i])->name);
        status = value != NULL ? setting_put(settings[i], value, error) : STATUS_OK;
    }
    return status;
}

static enum status open_host(struct kernel_command *command, struct error *error)
{
    return kernel_host_create(take_finding, take_output, command, &command->host, error);
}

static enum status attach_debugger(struct kernel_command *command, struct error *error)
{
    return command->debugger < 0 ? STATUS_OK
                                 : kernel_host_debug(command->host, command->debugger, error);
}

static enum status execute(struct kernel_command *command, struct error *error)
{
    if (kernel_explore_wanted(command->options)) {
        return kernel_explore(command, error);
    }
    enum status status = kernel_schedules_run(command, error);
    if (status == STATUS_OK) {
        status = dump_outputs(command, error);
    }
    if (status == STATUS_OK) {
        end_program(command);
        kernel_trial_run(command);
    }
    return status;
}

static enum status check_memory(struct kernel_command *command, struct error *error)
{
    return kernel_host_lacks_memory(command->host)
               ? error_set(error, STATUS_NO_MEMORY,
                           "memory ran out, so nothing is said of what the kernel does")
               : STATUS_OK;
}

/* What is done, one after the other, until something fails. */
static enum status (*const steps[])(struct kernel_command *command, struct error *error) = {
    kernel_explore_check,
    parse_range,
    kernel_schedules_parse,
    parse_arguments,
    open_reporting,
    kernel_program_load,
    take_checks,
    set_environment,
    open_host,
    attach_debugger,
    build_program,
    show_kernels,
    select_kernel,
    kernel_match_arguments,
    check_outputs,
    kernel_assert_parse,
    execute,
    check_memory,
};

static void release(struct kernel_command *command)
{
    kernel_schedules_release(command);
    kernel_assert_release(command);
    kernel_host_destroy(command->host);
    kernel_trial_release(command);
    for (size_t i = 0; i < command->argument_count; i++) {
        kernel_argument_release(&command->arguments[i]);
    }
    alloc_free(command->arguments);
    reporting_close(&command->reporting);
    alloc_free(command->program.bytes);
    text_release(&command->text);
    text_release(&command->explored);
}

static int run_command(const struct verb *verb, const struct options *options, int debugger)
{
    struct error error;
    struct kernel_command command = {
        .options = options,
        .debugger = debugger,
        .range = {.global = {1, 1, 1}, .local = {1, 1, 1}},
        .explored = TEXT_INIT,
        .text = TEXT_INIT,
    };
    if (options_operand_count(options) != 1) {
        return verb_usage(verb, "one file with a kernel is wanted");
    }
    command.path = options_operand(options, 0);
    if (debugger < 0 && path_has_extension(command.path, ".litmus")) {
        return kernel_litmus_run(verb, options, command.path);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof steps / sizeof *steps; i++) {
        status = steps[i](&command, &error);
    }
    const int result = status == STATUS_OK ? print_results(&command) : verb_fail(verb, &error);
    release(&command);
    return result;
}

static int run(const struct options *options)
{
    return options_has(options, "merge") ? kernel_merge(&verb_kernel, options)
                                         : run_command(&verb_kernel, options, -1);
}

int kernel_debug(int word_count, char **words, int socket)
{
    struct verb named = verb_kernel;
    struct options *options = NULL;
    struct error error;
    named.name = "debug";
    if (options_parse(named.options, named.option_count, 0, word_count, words, &options, &error) !=
        STATUS_OK) {
        return verb_fail(&named, &error);
    }
    const int result = run_command(&named, options, socket);
    options_destroy(options);
    return result;
}

const struct verb verb_kernel = {
    .name = "kernel",
    .synopsis = "FILE -g X[,Y[,Z]] [-k NAME] [-a ARG ...] [options]\n"
                "       clerk kernel FILE.litmus [--explore] [options]",
    .summary = "run one kernel of a .cl, .spv or .spvasm file on the reference device",
    .options = kernel_options,
    .option_count = sizeof kernel_options / sizeof *kernel_options,
    .help =
        "Runs the kernel on the reference device, which finds data races, barriers in divergent\n"
        "control flow, accesses out of bounds and uses of undefined values.\n"
        "\n"
        "Arguments are given in the order of the kernel's own:\n"
        "  buf:TYPE[N]=INIT   a buffer of N elements. INIT is a value, or one for each component;\n"
        "                     iota (0, 1, 2 ...); random:SEED; file:PATH (raw bytes); undef, "
        "which\n"
        "                     is the default. A :ro or :wo after it: as CL_MEM_READ_ONLY, ...\n"
        "                     buf:TYPE[0] has no bytes: each access is out of bounds\n"
        "  null               no buffer: the kernel gets a null pointer\n"
        "  same:N             the very buffer, image or pipe of argument N, counted from 0\n"
        "  local:TYPE[N]      local memory of N elements\n"
        "  TYPE=V[,V...]      a scalar, or the components of a vector\n"
        "  struct:SIZE=INIT   a structure of SIZE bytes. INIT is that of a buffer of bytes, or "
        "the\n"
        "                     members with spaces between, 'struct:32=int=1 float4=1,2,3,4':\n"
        "                     TYPE=V[,V...] or TYPE[N]=INIT, each where C would put it\n"
        "  image2d:ORDER:CHANNEL[WxH]=INIT\n"
        "                     an image, or image1d, image3d, image1d_array, image2d_array;\n"
        "                     ORDER and CHANNEL as in rgba:unorm_int8 or r:float; INIT is\n"
        "                     that of a buffer of texels as they lie in memory. [WxH/N]: a\n"
        "                     mipmapped image of up to 16 levels, one after the other\n"
        "  sampler:WORD[,WORD...]\n"
        "                     normalized; none, clamp_to_edge, clamp, repeat or\n"
        "                     mirrored_repeat; nearest or linear; linear_levels\n"
        "  pipe:TYPE[N]       an empty pipe with room for N packets; with an =INIT, as of a\n"
        "                     buffer, it is full of them\n"
        "\n"
        "With --explore no order is chosen: every execution of the work-items that the memory "
        "model\n"
        "allows is looked at, which takes kernels of a few work-items and accesses.\n"
        "\n"
        "A .litmus file is a litmus test: every interleaving of its threads, and with --explore\n"
        "every execution that the memory model allows, is looked at (docs/MEMORY_MODEL.md).\n",
    .examples =
        "  clerk kernel sum.cl -g 1024 -l 64 -a 'buf:float[1024]=iota' -a 'buf:float[16]' \\\n"
        "               -a 'local:float[64]'\n"
        "  clerk kernel lock.cl -g 3 -a 'buf:int[1]=0' --explore\n"
        "  clerk kernel lock.cl -g 8 -a 'buf:int[1]=0' --sample 80000 --shard 2/8 --json >2.json\n"
        "  clerk kernel mp.litmus --explore\n",
    .run = run,
};
