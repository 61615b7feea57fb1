/* The clerk program: finds the verb, parses its options, runs it. */
#include "trace/base/visible.h"
#include "viewer-cli/verb.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct verb *const verbs[] = {
#define VERB(symbol) &verb_##symbol,
#include "viewer-cli/verbs.def"
#undef VERB
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static int print_and_release(struct text *text)
{
    const bool printed = verb_print(text);
    text_release(text);
    return printed && fflush(stdout) == 0 ? VERB_OK : VERB_FAILED;
}

static int print_help(void)
{
    struct text text = TEXT_INIT;
    text_append(&text, "clerk checks, records and replays OpenCL programs.\n\n"
                       "usage: clerk VERB [options] [operands]\n\n");
    size_t width = 0;
    for (size_t i = 0; i < VERB_COUNT; ++i)
        if (strlen(verbs[i]->name) > width)
            width = strlen(verbs[i]->name);
    for (size_t i = 0; i < VERB_COUNT; ++i)
        text_format(&text, "  %-*s  %s\n", (int)width, verbs[i]->name, verbs[i]->summary);
    text_append(
        &text,
        "\n`clerk VERB --help` tells more. Exit status: 0 nothing found, 1 findings or\n"
        "differences, 2 clerk could not do it. `clerk --completion` prints a script for bash,\n"
        "`clerk --manual [VERB]` the source of a manual page.\n");
    return print_and_release(&text);
}

static int print_verb_help(const struct verb *verb)
{
    struct text text = TEXT_INIT;
    text_format(&text, "usage: clerk %s %s\n\n", verb->name, verb->synopsis);
    if (verb->help)
        text_format(&text, "%s\n", verb->help);
    text_format(&text, "examples:\n%s\noptions:\n", verb->examples);
    options_print_help(verb->options, verb->option_count, &text);
    verb_print(&text);
    text_release(&text);
    return verb_finish(verb, VERB_OK);
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; ++i)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

static int refuse_verb(const char *name)
{
    const char *names[VERB_COUNT];
    for (size_t i = 0; i < VERB_COUNT; ++i)
        names[i] = verbs[i]->name;
    const char *near = nearest_word(name, names, VERB_COUNT);
    const char *what = name[0] == '-' ? "option" : "verb";
    if (near)
        visible_tell("clerk: unknown %s '%s'; did you mean '%s'? (see clerk --help)\n", what, name,
                     near);
    else
        visible_tell("clerk: unknown %s '%s' (see clerk --help)\n", what, name);
    return VERB_FAILED;
}

static int print_manual(const char *name)
{
    const struct verb *verb = name ? find_verb(name) : NULL;
    struct text text = TEXT_INIT;
    if (name && !verb)
        return refuse_verb(name);
    if (verb)
        pages_print_verb_manual(verb, &text);
    else
        pages_print_manual(verbs, VERB_COUNT, &text);
    return print_and_release(&text);
}

static int print_completion(void)
{
    struct text text = TEXT_INIT;
    pages_print_completion(verbs, VERB_COUNT, &text);
    return print_and_release(&text);
}

/* What is said where options_parse does not know the option. */
static const char *explain(const struct verb *verb, const char *refusal)
{
    for (const struct absent_option *absent = verb->absent; absent && absent->name; ++absent) {
        char unknown[64];
        snprintf(unknown, sizeof unknown, "unknown option '--%s'", absent->name);
        if (strncmp(refusal, unknown, strlen(unknown)) == 0)
            return absent->instead;
    }
    return refusal;
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
    struct options *options = NULL;
    struct error error;
    if (options_parse(verb->options, verb->option_count, verb->option_flags, argc, argv, &options,
                      &error))
        return verb_usage(verb, "%s", explain(verb, error.text));
    const int status = options_wants_help(options) ? print_verb_help(verb) : verb->run(options);
    options_destroy(options);
    return status;
}

/* Where files may not grow (ulimit -f) writing fails, which is told, instead of ending clerk. */
static void keep_writing(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
    keep_writing();
    if (argc < 2) {
        print_help();
        return VERB_FAILED;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("clerk %s\n", CLERK_VERSION);
        return fflush(stdout) == 0 ? VERB_OK : VERB_FAILED;
    }
    if (strcmp(name, "--completion") == 0)
        return print_completion();
    if (strcmp(name, "--manual") == 0)
        return print_manual(argv[2]);
    const bool asks_help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (asks_help || strcmp(name, "help") == 0) {
        if (asks_help || argc < 3)
            return print_help();
        const struct verb *verb = find_verb(argv[2]);
        return verb ? print_verb_help(verb) : refuse_verb(argv[2]);
    }
    const struct verb *verb = find_verb(name);
    return verb ? run_verb(verb, argc - 2, argv + 2) : refuse_verb(name);
}
