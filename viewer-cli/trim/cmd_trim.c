/* clerk trim: a part of a recording as a recording of its own. */
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/trim/trim.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static const struct option_row trim_options[] = {
    {"launches", 0, OPTION_TEXT, false, "A-B",
     "the launches of calls A to B, as clerk show launches numbers them, and the calls between"},
    {"finding", 0, OPTION_NUMBER, false, "N",
     "the smallest part that still shows finding N, as clerk show findings numbers them"},
    {"device", 0, OPTION_WORD, false, "reference|system",
     "with --launches: which device performs what is before them (reference)"},
    {"output", 'o', OPTION_TEXT, false, "FILE", "the new trace, which must not exist yet"},
};

/* "A-B" or "A". */
static bool parse_range(const char *text, uint64_t *first, uint64_t *last)
{
    char *end;
    *first = strtoull(text, &end, 10);
    *last = *first;
    if (end == text || *text < '0' || *text > '9')
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        if (*second < '0' || *second > '9')
            return false;
        *last = strtoull(second, &end, 10);
    }
    return !*end && *first && *first <= *last && *last <= INT64_MAX;
}

/* Calls and launches of a trace, and the bytes of its file. */
struct extent {
    int64_t calls, launches;
    uint64_t size;
};

static enum status measure(struct trace *trace, const char *path, struct extent *extent,
                           struct error *error)
{
    struct rows *rows = NULL;
    struct stat facts;
    enum status status = rows_open(trace,
                                   "SELECT (SELECT count(*) FROM call WHERE NOT flags & 4),"
                                   " (SELECT count(*) FROM launch)",
                                   &rows, error);
    if (rows_next(rows, &status, error)) {
        extent->calls = rows_number(rows, 0);
        extent->launches = rows_number(rows, 1);
    }
    rows_close(rows);
    extent->size = stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    return status;
}

static enum status tell(struct trace *trace, const char *path, const char *output, uint64_t tries,
                        struct error *error)
{
    struct extent before = {0};
    struct extent after = {0};
    struct trace *made = NULL;
    struct text text = TEXT_INIT;
    enum status status = measure(trace, path, &before, error);
    if (!status)
        status = trace_open(output, &made, error);
    if (!status)
        status = measure(made, output, &after, error);
    trace_close(made);
    text_append_visible(&text, output, VISIBLE_ONE_LINE);
    text_append(&text, ": ");
    print_count((uint64_t)after.calls, &text);
    text_append(&text, " of ");
    print_count((uint64_t)before.calls, &text);
    text_append(&text, " calls, ");
    print_count((uint64_t)after.launches, &text);
    text_append(&text, " of ");
    print_count((uint64_t)before.launches, &text);
    text_append(&text, " launches, ");
    print_size(after.size, &text);
    text_append(&text, " of ");
    print_size(before.size, &text);
    if (tries)
        text_format(&text, "; %" PRIu64 " parts were tried", tries);
    text_append_char(&text, '\n');
    if (!status)
        verb_print(&text);
    text_release(&text);
    return status;
}

static enum status trim(const struct options *options, const char *path, const char *output,
                        uint64_t first, uint64_t last, struct error *error)
{
    struct trace *trace = NULL;
    uint64_t tries = 0;
    enum status status =
        file_exists(output) ? error_set(error, STATUS_INVALID,
                                        "'%s' exists already: clerk trim writes a new file", output)
                            : trace_open(path, &trace, error);
    if (!status && trace_is_live(trace))
        status = error_set(error, STATUS_UNSUPPORTED, "'%s' is still being recorded", path);
    if (!status)
        status = first ? trim_range(trace, options, first, last, output, error)
                       : trim_finding(trace, path, (int64_t)options_number(options, "finding", 0),
                                      output, &tries, error);
    if (!status)
        status = tell(trace, path, output, tries, error);
    trace_close(trace);
    return status;
}

static int run_trim(const struct options *options)
{
    struct error error;
    const char *output = options_text(options, "output");
    const char *launches = options_text(options, "launches");
    uint64_t first = 0;
    uint64_t last = 0;
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_trim,
                          options_operand_count(options) ? "one trace at a time" : "which trace?");
    if (options_has(options, "finding") == (launches != NULL))
        return verb_usage(&verb_trim, "which part? --launches A-B, or --finding N");
    if (!launches && options_has(options, "device"))
        return verb_usage(&verb_trim, "--finding asks the reference device alone");
    if (launches && !parse_range(launches, &first, &last))
        return verb_usage(&verb_trim, "--launches is A-B, two numbers of calls, not '%s'",
                          launches);
    if (options_number(options, "finding", 1) == 0 ||
        options_number(options, "finding", 1) > INT64_MAX)
        return verb_usage(&verb_trim, "--finding is a number, as clerk show findings has it");
    if (!output)
        return verb_usage(&verb_trim, "-o FILE: where to?");
    if (trim(options, options_operand(options, 0), output, first, last, &error) != STATUS_OK)
        return verb_fail(&verb_trim, &error);
    return verb_finish(&verb_trim, VERB_OK);
}

const struct verb verb_trim = {
    .name = "trim",
    .synopsis = "TRACE --launches A-B -o FILE | TRACE --finding N -o FILE",
    .summary = "write a part of a recorded run, or what shows a finding, as a trace of its own",
    .options = trim_options,
    .option_count = sizeof trim_options / sizeof *trim_options,
    .help =
        "The new trace can be shown, checked and replayed like any other. Of what came before it "
        "has\n"
        "the calls that made what is alive at its beginning (objects, programs with their "
        "sources,\n"
        "arguments of kernels), and what memory holds there, which is found out by performing the\n"
        "run up to that place. Calls keep their numbers.\n\n"
        "With --launches it has all calls from the first of the launches on, up to the launch "
        "after\n"
        "the last. With --finding, parts of the run are tried, smaller and smaller, and those are\n"
        "kept that the reference device performs to their end with the finding among what it "
        "finds\n"
        "(or in which clerk check finds it, of a finding about calls).\n\n"
        "Exit status: 0 written, 2 could not.\n",
    .examples = "  clerk trim app.db --launches 4012-4420 -o part.db\n"
                "  clerk trim app.db --finding 3 -o small.db     for a bug report\n",
    .run = run_trim,
};
