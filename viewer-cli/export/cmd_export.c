/* clerk export: a run in a form that other programs show, or one launch as a directory that needs
 * nothing of clerk. */
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"
#include "viewer-cli/export/export_program.h"
#include "viewer-cli/export_run.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const struct option_row export_options[] = {
    {"format", 0, OPTION_WORD, false, "html|perfetto|chrome|csv", "the whole run, in this form"},
    {"from", 0, OPTION_NUMBER, false, "ID", "of the run: from this call on"},
    {"to", 0, OPTION_NUMBER, false, "ID", "of the run: up to this call"},
    {"launch", 0, OPTION_NUMBER, false, "N",
     "instead: the launch of call N, as clerk show launches lists it, as a C program"},
    {"output", 'o', OPTION_TEXT, false, "FILE",
     "where to; of a launch a directory, which must not exist yet"},
    SEARCH_ROOTS_OPTION,
};

static const struct {
    const char *name;
    export_form *write;
} forms[] = {
    {"html", export_html},
    {"perfetto", export_perfetto},
    {"chrome", export_chrome},
    {"csv", export_csv},
};

/* ---- a launch ---- */

static enum status write_bytes(const char *directory, const char *name, const void *bytes,
                               size_t size, struct error *error)
{
    char *path = path_join(directory, name);
    const enum status status =
        path ? file_write_private(path, bytes, size, error) : error_no_memory(error, strlen(name));
    alloc_free(path);
    return status;
}

static enum status write_text(const char *directory, const char *name, struct text *text,
                              struct error *error)
{
    const enum status status = text->failed
                                   ? error_no_memory(error, text->size)
                                   : write_bytes(directory, name, text->bytes, text->size, error);
    text_clear(text);
    return status;
}

static enum status write_memory(const char *directory, const char *variable, const char *suffix,
                                const struct trace_memory *memory, struct error *error)
{
    if (!memory->piece_count || !memory->bytes)
        return STATUS_OK;
    char *name = alloc_format("%s%s", variable, suffix);
    const enum status status =
        name ? write_bytes(directory, name, memory->bytes, memory->size, error)
             : error_no_memory(error, strlen(variable));
    alloc_free(name);
    return status;
}

static enum status write_directory(const struct export_launch *launch, const char *origin,
                                   const char *directory, struct error *error)
{
    struct text text = TEXT_INIT;
    enum status status =
        launch->source
            ? write_bytes(directory, "kernel.cl", launch->source, strlen(launch->source), error)
            : write_bytes(directory, "kernel.spv", launch->il, launch->il_size, error);
    export_print_program(launch, origin, &text);
    if (status == STATUS_OK)
        status = write_text(directory, "reproduce.c", &text, error);
    export_print_cmake(&text);
    if (status == STATUS_OK)
        status = write_text(directory, "CMakeLists.txt", &text, error);
    export_print_readme(launch, origin, &text);
    if (status == STATUS_OK)
        status = write_text(directory, "README.txt", &text, error);
    for (size_t i = 0; status == STATUS_OK && i < launch->object_count; ++i) {
        const struct export_object *object = launch->objects[i];
        status = write_memory(directory, object->variable, ".found", &object->found, error);
        if (status == STATUS_OK)
            status = write_memory(directory, object->variable, ".left", &object->left, error);
    }
    text_release(&text);
    return status;
}

static enum status export_launch(const char *path, uint64_t call_id, const char *directory,
                                 struct error *error)
{
    struct trace *trace = NULL;
    struct export_launch launch = {0};
    char *origin = NULL;
    enum status status = reading_open(path, &trace, error);
    if (status == STATUS_OK)
        status = export_launch_load(trace, call_id, &launch, error);
    if (status == STATUS_OK) {
        const char *program = trace_fact(trace, "program");
        origin = alloc_format("The launch of kernel '%s' by call %" PRIu64 " of %s",
                              launch.kernel_name, call_id, path_base(program ? program : path));
        if (!origin)
            status = error_no_memory(error, strlen(path));
    }
    if (status == STATUS_OK && mkdir(directory, 0700) != 0)
        status = error_set_errno(error, "cannot create '%s'", directory);
    if (status == STATUS_OK)
        status = write_directory(&launch, origin, directory, error);
    alloc_free(origin);
    export_launch_release(&launch);
    trace_close(trace);
    return status;
}

/* ---- a run ---- */

static enum status export_whole(const char *path, const struct options *options,
                                struct error *error)
{
    const char *format = options_text(options, "format");
    struct trace *trace = NULL;
    struct export_run run = {.options = options};
    size_t form = 0;
    while (strcmp(forms[form].name, format) != 0)
        ++form;
    enum status status = search_roots_check(options, error);
    if (!status)
        status = reading_open(path, &trace, error);
    if (!status)
        status = export_run_load(trace, options_number(options, "from", 0),
                                 options_number(options, "to", 0), &run, error);
    if (!status)
        status = export_write(&run, forms[form].write, options_text(options, "output"), error);
    export_run_release(&run);
    trace_close(trace);
    return status;
}

static int run_export(const struct options *options)
{
    struct error error;
    const char *output = options_text(options, "output");
    const bool is_launch = options_has(options, "launch");
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_export,
                          options_operand_count(options) ? "one trace at a time" : "which trace?");
    if (is_launch == options_has(options, "format"))
        return verb_usage(
            &verb_export,
            is_launch ? "--format is of a run, --launch of one launch"
                      : "what? --format FORM writes the run, --launch N one launch as a program");
    if (options_has(options, "source-dir") &&
        (is_launch || strcmp(options_text(options, "format"), "html") != 0))
        return verb_usage(&verb_export, "--source-dir names files in pages alone (--format html)");
    if (!output)
        return verb_usage(&verb_export, "-o %s: where to?", is_launch ? "DIRECTORY" : "FILE");
    const char *path = options_operand(options, 0);
    if (is_launch
            ? export_launch(path, options_number(options, "launch", 0), output, &error) != STATUS_OK
            : export_whole(path, options, &error) != STATUS_OK)
        return verb_fail(&verb_export, &error);
    if (is_launch) {
        struct text text = TEXT_INIT;
        text_append_visible(&text, output, VISIBLE_ONE_LINE);
        text_append(&text, ": cmake -S . -B build && cmake --build build && build/reproduce\n");
        verb_print(&text);
        text_release(&text);
    }
    return verb_finish(&verb_export, VERB_OK);
}

const struct verb verb_export = {
    .name = "export",
    .synopsis = "TRACE --format FORM -o FILE | TRACE --launch N -o DIRECTORY",
    .summary = "write a run as a page or for other viewers, or one launch as a C program",
    .options = export_options,
    .option_count = sizeof export_options / sizeof *export_options,
    .help =
        "Forms of a run:\n"
        "  html      one page with summary, timeline, findings, launches, calls and programs, "
        "for\n"
        "            any browser; it loads nothing from elsewhere\n"
        "  perfetto  for ui.perfetto.dev and its trace processor\n"
        "  chrome    JSON trace events, for chrome://tracing, speedscope and others\n"
        "  csv       a line a call, for spreadsheets\n\n"
        "With --launch: the kernel's source, the bytes of its memory and a short C program with "
        "a\n"
        "CMake file that performs the launch again on any OpenCL platform and compares what it\n"
        "leaves. The run was recorded with --contents all.\n\n"
        "Exit status: 0 written, 2 could not.\n",
    .examples = "  clerk export app.db --format html -o app.html\n"
                "  clerk export app.db --launch 117 -o bug     a launch, for a bug report\n",
    .run = run_export,
};
