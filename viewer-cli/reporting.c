#include "viewer-cli/reporting.h"

#include "checkers/checks.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/base/visible.h"
#include "trace/claim.h"
#include "viewer-cli/pager.h"
#include "viewer-cli/report_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options ---- */

/* The directory of the repository that `directory` is in; itself when it is in none. */
static char *find_root(const char *directory)
{
    char *root = alloc_string(directory);
    for (char *slash = root; slash;) {
        char *mark = path_join(root, ".git");
        const bool found = mark && file_exists(mark);
        alloc_free(mark);
        if (found)
            return root;
        slash = strrchr(root, '/');
        if (slash)
            *slash = 0;
    }
    alloc_free(root);
    return alloc_string(directory);
}

static enum severity fails_from(const struct options *options)
{
    const char *when = options_text(options, "fail-on");
    const bool with_warnings = when ? strcmp(when, "warning") == 0 : options_has(options, "strict");
    return with_warnings ? SEVERITY_WARNING : SEVERITY_ERROR;
}

/* What is reported on, for findings that no place of a source is known of. */
static char *find_program(const struct options *options)
{
    const char *name = options_operand_count(options) ? options_operand(options, 0) : NULL;
    if (!name)
        return NULL;
    return file_exists(name) ? alloc_string(name) : process_find_program(name);
}

enum report_format reporting_format(const struct options *options)
{
    const char *format = options_has(options, "json") ? "json" : options_text(options, "format");
    return format ? report_format_named(format) : REPORT_TEXT;
}

bool reporting_is_unfolded(const struct options *options)
{
    const char *stack = options_text(options, "stack");
    return stack && strcmp(stack, "all") == 0;
}

enum status reporting_open(const struct options *options, struct reporting *reporting,
                           struct error *error)
{
    enum { PATH_SIZE = 4096 };
    char directory[PATH_SIZE];
    *reporting = (struct reporting){
        .options = options,
        .style = {.format = reporting_format(options), .fails_from = fails_from(options)},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < options_count(options, "suppress") && !status; ++i)
        status = suppressions_load(options_text_at(options, "suppress", i),
                                   &reporting->suppressions, error);
    const char *baseline = options_text(options, "baseline");
    if (!status && baseline)
        status = baseline_load(baseline, &reporting->baseline, error);
    if (status)
        return status;
    reporting->style.has_baseline = baseline != NULL;
    reporting->style.begin_time = time(NULL);
    reporting->style.program = reporting->program = find_program(options);
    if (CLERK_RULES_URI[0])
        reporting->style.rules_uri = CLERK_RULES_URI;
    if (getcwd(directory, sizeof directory)) {
        reporting->style.directory = reporting->directory = alloc_string(directory);
        reporting->style.root = reporting->root = find_root(directory);
    }
    const struct report_options report_options = {
        .max_per_rule = options_number(options, "max-per-rule", REPORT_MAX_PER_RULE),
        .suppressions = reporting->suppressions,
        .baseline = reporting->baseline,
        .strict = options_has(options, "strict"),
        .tells_of_warnings = !options_has(options, "strict") && !options_has(options, "fail-on"),
        .unfolded = reporting_is_unfolded(options),
    };
    reporting->report = report_create(&report_options);
    return reporting->report ? STATUS_OK : error_no_memory(error, 1);
}

void reporting_close(struct reporting *reporting)
{
    report_destroy(reporting->report);
    suppressions_destroy(reporting->suppressions);
    baseline_destroy(reporting->baseline);
    alloc_free(reporting->directory);
    alloc_free(reporting->root);
    alloc_free(reporting->program);
}

void reporting_add_gap(const struct reporting *reporting, enum severity severity,
                       const char *sentence)
{
    if (sentence)
        report_add_gap(reporting->report,
                       &(struct report_gap){.sentence = sentence, .severity = severity});
}

void reporting_note_checks(const struct reporting *reporting, const char *list, bool with_kernels)
{
    struct checks checks;
    if (checks_parse(list, &checks, NULL) != STATUS_OK ||
        checks_has_any(&checks, RULE_WHERE_HOST) ||
        (with_kernels && checks_has_any(&checks, RULE_WHERE_KERNEL)))
        return;
    const bool has_none = !checks_has_any(&checks, RULE_WHERE_KERNEL);
    reporting_add_gap(reporting, SEVERITY_WARNING,
                      has_none ? "no rule was checked (--checks)"
                               : "no rule was checked: --checks has none about calls, and kernels "
                                 "are checked on the reference device alone");
}

/* ---- results ---- */

static void add_unused(void *report, const char *sentence)
{
    report_add_gap(report, &(struct report_gap){.sentence = sentence, .severity = SEVERITY_NOTE});
}

/* Once all findings are there. Equal sentences are one, so it may be told again. */
static void tell_unused(const struct reporting *reporting)
{
    if (options_has(reporting->options, "unused-suppressions"))
        suppressions_each_unused(reporting->suppressions, add_unused, reporting->report);
}

bool reporting_is_for_programs(const struct reporting *reporting)
{
    return reporting->style.format != REPORT_TEXT;
}

void reporting_print(const struct reporting *reporting, int descriptor, struct text *text)
{
    struct report_style style = reporting->style;
    tell_unused(reporting);
    style.color = verb_use_colour(options_text(reporting->options, "color"), descriptor);
    style.width = pager_terminal_width(descriptor);
    report_print(reporting->report, &style, text);
}

/* Writes the text and releases it. */
static enum status write_text(struct text *text, const char *path, struct error *error)
{
    enum status status =
        text->failed ? error_no_memory(error, text->size) : claim_spare_trace(path, error);
    if (!status)
        status = file_write(path, text->bytes, text->size, error);
    text_release(text);
    return status;
}

/* In the form of the file's ending. */
static void print_file(const struct reporting *reporting, const char *path, struct text *text)
{
    struct report_style style = reporting->style;
    const char *what = options_operand_count(reporting->options)
                           ? options_operand(reporting->options, 0)
                           : "clerk";
    style.format = report_format_of_path(path);
    if (path_has_extension(path, ".html"))
        report_page_print(reporting->report, path_base(what), text);
    else
        report_print(reporting->report, &style, text);
}

enum status reporting_write(const struct reporting *reporting, struct error *error)
{
    const struct options *options = reporting->options;
    const char *path = options_text(options, "gen-suppressions");
    enum status status = STATUS_OK;
    struct text text = TEXT_INIT;
    tell_unused(reporting);
    if (path) {
        report_print_suppressions(reporting->report, &text);
        status = write_text(&text, path, error);
    }
    for (size_t i = 0; i < options_count(options, "report") && !status; ++i) {
        path = options_text_at(options, "report", i);
        print_file(reporting, path, &text);
        status = write_text(&text, path, error);
    }
    return status;
}

/* A kernel may print in pieces what visible_print takes out where it stands in one. */
static void append_no_command(struct reporting *reporting, const char *bytes, size_t size,
                              struct text *text)
{
    for (size_t i = 0; i < size; ++i) {
        const char last = reporting->printed_last;
        if ((bytes[i] == ':' && last == ':') || (bytes[i] == '#' && last == '#'))
            text_format(text, "\\x%02x", bytes[i]);
        else
            text_append_char(text, bytes[i]);
        reporting->printed_last = bytes[i];
    }
}

void reporting_print_output(struct reporting *reporting, FILE *stream, const char *bytes,
                            size_t size)
{
    struct text text = TEXT_INIT;
    if (reporting->style.format == REPORT_GITHUB || getenv("GITHUB_ACTIONS") || getenv("TF_BUILD"))
        append_no_command(reporting, bytes, size, &text);
    else
        text_append_n(&text, bytes, size);
    visible_print(stream, text.bytes, text.size);
    fflush(stream);
    text_release(&text);
}

bool reporting_fails(const struct reporting *reporting)
{
    const char *when = options_text(reporting->options, "fail-on");
    if (when && strcmp(when, "never") == 0)
        return false;
    uint64_t count = 0;
    for (int severity = reporting->style.fails_from; severity <= SEVERITY_ERROR; ++severity)
        count += report_count(reporting->report, (enum severity)severity);
    return count > 0;
}

enum verb_status reporting_verdict(const struct reporting *reporting)
{
    if (reporting_fails(reporting))
        return VERB_FOUND;
    return report_has_gap(reporting->report, SEVERITY_ERROR) ? VERB_FAILED : VERB_OK;
}
