#include "viewer-cli/debug/dap_launch.h"

#include "trace/api/settings.h"
#include "trace/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum dap_kind dap_launch_kind(const struct cJSON *arguments)
{
    return json_object_text(arguments, "trace")     ? DAP_TRACE
           : json_object_text(arguments, "program") ? DAP_PROGRAM
                                                    : DAP_KERNEL;
}

/* 64, [64, 8] or "64,8". */
static enum status add_sizes(const struct cJSON *arguments, const char *name,
                             struct kernel_words *words, struct error *error)
{
    const struct cJSON *const item = json_object_item(arguments, name);
    const char *const string = json_item_text(item);
    if (!item)
        return STATUS_OK;
    if (string)
        return *string ? kernel_words_add_option(words, name, string, error) : STATUS_OK;
    struct text text = TEXT_INIT;
    uint64_t number;
    bool good = json_item_number(item, &number);
    if (good)
        text_format(&text, "%" PRIu64, number);
    for (const struct cJSON *at = json_array_first(item); at; at = json_array_next(at)) {
        good = json_item_number(at, &number);
        if (!good)
            break;
        text_format(&text, "%s%" PRIu64, text.size ? "," : "", number);
    }
    const enum status status =
        good ? kernel_words_add_option(words, name, text.bytes, error)
             : error_set(error, STATUS_INVALID,
                         "\"%s\" is a number, an array of numbers, or a string as \"64,8\"", name);
    text_release(&text);
    return status;
}

static enum status add_strings(const struct cJSON *arguments, struct kernel_words *words,
                               struct error *error)
{
    static const char *const names[] = {"kernel", "build", "schedule", "checks", "personality"};
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < sizeof names / sizeof *names; ++i) {
        const char *const value = json_object_text(arguments, names[i]);
        if (value && *value)
            status = kernel_words_add_option(words, names[i], value, error);
    }
    return status;
}

/* Each string of the array, as an option's value or, where there is no option, as a word. */
static enum status add_array(const struct cJSON *arguments, const char *key, const char *option,
                             struct kernel_words *words, struct error *error)
{
    const struct cJSON *at = json_array_first(json_object_item(arguments, key));
    enum status status = STATUS_OK;
    for (; !status && at; at = json_array_next(at)) {
        const char *const value = json_item_text(at);
        if (!value)
            status = error_set(error, STATUS_INVALID, "\"%s\" is an array of strings", key);
        else if (option)
            status = kernel_words_add_option(words, option, value, error);
        else
            status = kernel_words_add(words, value, error);
    }
    return status;
}

static enum status words_of_kernel(const struct cJSON *arguments, struct kernel_words *words,
                                   struct error *error)
{
    static const char *const sizes[] = {"global", "local", "offset"};
    const char *const file = json_object_text(arguments, "file");
    if (!file)
        return error_set(error, STATUS_INVALID,
                         "\"file\" is missing, the kernel's .cl or .spv; or \"trace\", or "
                         "\"program\"");
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < sizeof sizes / sizeof *sizes; ++i)
        status = add_sizes(arguments, sizes[i], words, error);
    if (!status)
        status = add_strings(arguments, words, error);
    if (!status)
        status = add_array(arguments, "arguments", "arg", words, error);
    if (!status)
        status = add_array(arguments, "options", NULL, words, error);
    if (!status)
        status = kernel_words_add(words, "--", error);
    return status ? status : kernel_words_add(words, file, error);
}

enum status dap_launch_threads(const struct cJSON *arguments, const char **by, struct error *error)
{
    static const char *const known[] = {"cohorts", "vectors", "items"};
    const char *const wanted = json_object_text(arguments, "threads");
    *by = NULL;
    for (size_t i = 0; wanted && i < sizeof known / sizeof *known; ++i)
        if (strcmp(wanted, known[i]) == 0)
            *by = known[i];
    return *by || !json_object_item(arguments, "threads")
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "\"threads\" is \"cohorts\", \"vectors\" or \"items\"");
}

enum status dap_launch_finding(const struct cJSON *arguments, struct recorded_finding *finding,
                               struct error *error)
{
    uint64_t number = 0;
    if (dap_launch_kind(arguments) != DAP_TRACE || !json_object_item(arguments, "finding"))
        return STATUS_OK;
    if (!json_object_number(arguments, "finding", &number))
        return error_set(error, STATUS_INVALID, "\"finding\" is a number");
    return recorded_finding_read(json_object_text(arguments, "trace"), number, finding, error);
}

static enum status words_of_trace(const struct cJSON *arguments, struct kernel_words *words,
                                  struct error *error)
{
    const char *const personality = json_object_text(arguments, "personality");
    struct recorded_finding finding = {.launch = 0};
    /* The launch to begin with, which a finding has. */
    enum status status = dap_launch_finding(arguments, &finding, error);
    if (!status && !finding.launch && json_object_item(arguments, "launch") &&
        !json_object_number(arguments, "launch", &finding.launch))
        status = error_set(error, STATUS_INVALID, "\"launch\" is a number");
    if (!status)
        status =
            recorded_words(words, json_object_text(arguments, "trace"),
                           personality && *personality ? personality : NULL, finding.launch, error);
    recorded_finding_release(&finding);
    return status;
}

static enum status words_of_program(const struct cJSON *arguments, struct kernel_words *words,
                                    struct error *error)
{
    enum status status = kernel_words_add_option(words, "device", "reference", error);
    if (!status)
        status = add_array(arguments, "options", NULL, words, error);
    if (!status)
        status = kernel_words_add(words, "--", error);
    if (!status)
        status = kernel_words_add(words, json_object_text(arguments, "program"), error);
    return status ? status : add_array(arguments, "args", NULL, words, error);
}

enum status dap_launch_words(const struct cJSON *arguments, struct kernel_words *words,
                             struct error *error)
{
    const char *const variables = json_object_text(arguments, "variables");
    if (variables && setting_put(SETTING_VARIABLES, variables, error) != STATUS_OK)
        return STATUS_INVALID;
    switch (dap_launch_kind(arguments)) {
    case DAP_TRACE:
        return words_of_trace(arguments, words, error);
    case DAP_PROGRAM:
        return words_of_program(arguments, words, error);
    default:
        return words_of_kernel(arguments, words, error);
    }
}
