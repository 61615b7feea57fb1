#include "viewer-cli/origin/search_roots.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "viewer-cli/origin/tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct search_roots *roots, const char *directory)
{
    if (directory && roots->count < SEARCH_ROOTS_MAX)
        roots->directories[roots->count++] = directory;
}

static void add_options(struct search_roots *roots, const struct options *options)
{
    for (size_t i = 0; options && i < options_count(options, "source-dir"); ++i)
        add(roots, options_text_at(options, "source-dir", i));
}

/* Programs of the system are not made of sources beside them. */
static bool is_of_system(const char *directory)
{
    static const char *const systems[] = {"/usr/", "/bin/", "/sbin/", "/lib/", "/opt/"};
    char real[PATH_MAX];
    if (!realpath(directory, real))
        return true;
    const size_t length = strlen(real);
    for (size_t i = 0; i < sizeof systems / sizeof *systems; ++i)
        if (strncmp(real, systems[i], strlen(systems[i])) == 0 ||
            (length + 1 == strlen(systems[i]) && strncmp(real, systems[i], length) == 0))
            return true;
    return false;
}

static const char *directory_of(const char *path, struct arena *arena)
{
    char *directory = path_directory(path);
    const char *kept = directory ? arena_string(arena, directory) : NULL;
    alloc_free(directory);
    return kept;
}

static void add_name(struct search_roots *roots, const char *path)
{
    if (roots->hint.count < SEARCH_ROOTS_MAX)
        roots->names[roots->hint.count++] = path_base(path);
    roots->hint.names = roots->names;
}

/* A word of the command line after the first. */
static void add_word(struct search_roots *roots, const char *word, struct arena *arena)
{
    if (!tree_is_source(word) || !file_exists(word))
        return;
    add_name(roots, word);
    add(roots, directory_of(word, arena));
}

/* `program` as a path; NULL: it is not known. */
static void add_all(struct search_roots *roots, const struct options *options, const char *program,
                    const char *const *words, const char *directory, struct arena *arena)
{
    const char *own = program ? directory_of(program, arena) : NULL;
    if (own && is_of_system(own))
        own = NULL;
    const bool is_built = own && tree_is_built(own);
    add_options(roots, options);
    if (program)
        add_name(roots, program);
    for (; words && *words; ++words)
        add_word(roots, *words, arena);
    if (!is_built)
        add(roots, own);
    add(roots, ".");
    add(roots, directory);
    if (is_built)
        add(roots, own);
}

void search_roots_of_command(struct search_roots *roots, const struct options *options,
                             char *const *command, struct arena *arena)
{
    char *found = process_find_program(command[0]);
    const char *program = found ? arena_string(arena, found) : NULL;
    alloc_free(found);
    add_all(roots, options, program, (const char *const *)command + 1, NULL, arena);
}

static bool is_of_this_host(struct trace *trace)
{
    char host[256] = "";
    const char *recorded = trace_fact(trace, "host");
    gethostname(host, sizeof host - 1);
    return recorded && strcmp(recorded, host) == 0;
}

/* A fact of the trace, which lives on. */
static const char *fact(struct trace *trace, const char *name, struct arena *arena)
{
    const char *value = trace_fact(trace, name);
    return value ? arena_string(arena, value) : NULL;
}

/* The words of the recorded command line that are files, as seen from where it was given. */
static const char **split_command(char *command, const char *directory, struct arena *arena)
{
    const char **words = arena_alloc(arena, SEARCH_ROOTS_MAX + 1, sizeof *words);
    size_t count = 0;
    char *rest;
    char *word = words ? strtok_r(command, " ", &rest) : NULL;
    while (word && (word = strtok_r(NULL, " ", &rest)) != NULL && count < SEARCH_ROOTS_MAX) {
        const char *path = *word == '/' ? word : arena_format(arena, "%s/%s", directory, word);
        if (path)
            words[count++] = path;
    }
    return words;
}

void search_roots_of_trace(struct search_roots *roots, const struct options *options,
                           struct trace *trace, struct arena *arena)
{
    if (!is_of_this_host(trace)) {
        add_options(roots, options);
        add(roots, ".");
        return;
    }
    const char *program = fact(trace, "program", arena);
    const char *directory = fact(trace, "directory", arena);
    const char *told = trace_fact(trace, "command");
    char *command = told && directory ? arena_string(arena, told) : NULL;
    const char **words = command ? split_command(command, directory, arena) : NULL;
    add_all(roots, options, program, words, directory, arena);
}

enum status search_roots_check(const struct options *options, struct error *error)
{
    for (size_t i = 0; i < options_count(options, "source-dir"); ++i) {
        const char *directory = options_text_at(options, "source-dir", i);
        if (!file_is_directory(directory))
            return error_set(error, STATUS_NOT_FOUND, "--source-dir: '%s' is not a directory",
                             directory);
    }
    return STATUS_OK;
}
