#include "viewer-cli/reporting.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/pager.h"
#include "viewer-cli/report_page.h"

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
    return when && strcmp(when, "warning") == 0 ? SEVERITY_WARNING : SEVERITY_ERROR;
}

enum report_format reporting_format(const struct options *options)
{
    const char *format = options_has(options, "json") ? "json" : options_text(options, "format");
    return format ? report_format_named(format) : REPORT_TEXT;
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
    if (getcwd(directory, sizeof directory)) {
        reporting->style.directory = reporting->directory = alloc_string(directory);
        reporting->style.root = reporting->root = find_root(directory);
    }
    const struct report_options report_options = {
        .max_per_rule = options_number(options, "max-per-rule", REPORT_MAX_PER_RULE),
        .suppressions = reporting->suppressions,
        .baseline = reporting->baseline,
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
}

/* ---- results ---- */

bool reporting_is_for_programs(const struct reporting *reporting)
{
    return reporting->style.format != REPORT_TEXT;
}

void reporting_print(const struct reporting *reporting, int descriptor, struct text *text)
{
    struct report_style style = reporting->style;
    style.color = verb_use_colour(options_text(reporting->options, "color"), descriptor);
    style.width = pager_terminal_width(descriptor);
    report_print(reporting->report, &style, text);
}

/* Writes the text and releases it. */
static enum status write_text(struct text *text, const char *path, struct error *error)
{
    const enum status status = text->failed ? error_no_memory(error, text->size)
                                            : file_write(path, text->bytes, text->size, error);
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
