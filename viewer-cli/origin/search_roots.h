/* Where files that kernels are from are looked for, the nearest first: below --source-dir; below
 * the directories of source that the command line names ("python3 run/sum.py"), and of the program;
 * below the current directory, and that in which a recorded program was. The program's comes last
 * where a build made it, since sources there are copies; and where the system has it, nothing is
 * looked for beside it. */
#ifndef VIEWER_CLI_ORIGIN_SEARCH_ROOTS_H
#define VIEWER_CLI_ORIGIN_SEARCH_ROOTS_H

#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/reader.h"
#include "viewer-cli/origin/matches.h"

/* The row of --source-dir. */
#define SEARCH_ROOTS_OPTION                                                                        \
    {                                                                                              \
        "source-dir", 0, OPTION_TEXT, true, "DIRECTORY",                                           \
            "also look below DIRECTORY for the files that kernels are from"                        \
    }
/* Is each a directory? */
enum status search_roots_check(const struct options *options, struct error *error);

enum { SEARCH_ROOTS_MAX = 32 };

struct search_roots {
    const char *directories[SEARCH_ROOTS_MAX];
    size_t count;
    const char *names[SEARCH_ROOTS_MAX];
    struct matches_hint hint; /* of `names` */
};

/* The strings live in the arena, or as long as the options. */
void search_roots_of_command(struct search_roots *roots, const struct options *options,
                             char *const *command, struct arena *arena);
void search_roots_of_trace(struct search_roots *roots, const struct options *options,
                           struct trace *trace, struct arena *arena);

#endif
