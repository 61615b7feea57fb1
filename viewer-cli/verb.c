#include "viewer-cli/verb.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"
#include "viewer-cli/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By verb_fail: the reason why there is no more. */
static bool told_failure;

int verb_fail(const struct verb *verb, struct error *error)
{
    fflush(stdout);
    reading_explain(error);
    visible_tell("clerk %s: %s\n", verb->name, error->text);
    told_failure = true;
    return VERB_FAILED;
}

int verb_usage(const struct verb *verb, const char *format, ...)
{
    struct error error;
    va_list list;
    va_start(list, format);
    error_set_v(&error, STATUS_INVALID, format, list);
    va_end(list);
    fflush(stdout);
    visible_tell("clerk %s: %s (see clerk %s --help)\n", verb->name, error.text, verb->name);
    return VERB_FAILED;
}

bool verb_print(const struct text *text)
{
    return !alloc_has_failed() && visible_print(stdout, text->bytes, text->size);
}

int verb_finish(const struct verb *verb, int status)
{
    /* A verdict that something is missing is told in what verb_print leaves out then. */
    if (alloc_has_failed() && !told_failure) {
        visible_tell("clerk %s: memory ran out, so nothing is said of what was not told before\n",
                     verb->name);
        return VERB_FAILED;
    }
    const bool broken = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !broken)
        return status;
    struct error error;
    error_set_errno(&error, "cannot write to standard output");
    return verb_fail(verb, &error);
}

bool verb_use_colour(const char *when, int descriptor)
{
    if (when && strcmp(when, "always") == 0)
        return true;
    if (when && strcmp(when, "never") == 0)
        return false;
    const char *no_colour = getenv("NO_COLOR");
    if (no_colour && *no_colour)
        return false;
    const char *terminal = getenv("TERM");
    return isatty(descriptor) && terminal && strcmp(terminal, "dumb") != 0;
}

char *verb_own_path(const char *relative)
{
    char *programs = path_self_directory();
    if (!programs)
        return NULL;
    char *root = path_directory(programs);
    char *path = root ? path_join(root, relative) : NULL;
    alloc_free(root);
    alloc_free(programs);
    return path;
}
