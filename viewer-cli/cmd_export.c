/* clerk export: one launch as a directory that needs nothing of clerk. */
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/export_program.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct option_row export_options[] = {
    {"launch", 0, OPTION_NUMBER, false, "N",
     "the launch of call N, as clerk show launches lists it"},
    {"output", 'o', OPTION_TEXT, false, "DIRECTORY", "where to; it must not exist yet"},
};

static enum status write_bytes(const char *directory, const char *name, const void *bytes,
                               size_t size, struct error *error)
{
    char *path = path_join(directory, name);
    const enum status status =
        path ? file_write(path, bytes, size, error) : error_no_memory(error, strlen(name));
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
    enum status status = trace_open(path, &trace, error);
    if (status == STATUS_OK)
        status = export_launch_load(trace, call_id, &launch, error);
    if (status == STATUS_OK) {
        const char *program = trace_fact(trace, "program");
        origin = alloc_format("The launch of kernel '%s' by call %" PRIu64 " of %s",
                              launch.kernel_name, call_id, path_base(program ? program : path));
        if (!origin)
            status = error_no_memory(error, strlen(path));
    }
    if (status == STATUS_OK && mkdir(directory, 0777) != 0)
        status = error_set_errno(error, "cannot create '%s'", directory);
    if (status == STATUS_OK)
        status = write_directory(&launch, origin, directory, error);
    alloc_free(origin);
    export_launch_release(&launch);
    trace_close(trace);
    return status;
}

static int run_export(const struct options *options)
{
    struct error error;
    const char *directory = options_text(options, "output");
    if (options_operand_count(options) != 1)
        return verb_usage(&verb_export,
                          options_operand_count(options) ? "one trace at a time" : "which trace?");
    if (!options_has(options, "launch"))
        return verb_usage(&verb_export, "--launch N: which launch?");
    if (!directory)
        return verb_usage(&verb_export, "-o DIRECTORY: where to?");
    if (export_launch(options_operand(options, 0), options_number(options, "launch", 0), directory,
                      &error) != STATUS_OK)
        return verb_fail(&verb_export, &error);
    printf("%s: cmake -S . -B build && cmake --build build && build/reproduce\n", directory);
    return verb_finish(&verb_export, VERB_OK);
}

const struct verb verb_export = {
    .name = "export",
    .synopsis = "TRACE --launch N -o DIRECTORY",
    .summary = "write one launch as a C program of its own, for a bug report",
    .options = export_options,
    .option_count = sizeof export_options / sizeof *export_options,
    .help = "Writes the kernel's source, the bytes of its memory and a short C program with a "
            "CMake file\n"
            "that performs the launch again on any OpenCL platform and compares what it leaves. "
            "The run\n"
            "was recorded with --contents all.\n\n"
            "Exit status: 0 written, 2 could not.\n",
    .run = run_export,
};
