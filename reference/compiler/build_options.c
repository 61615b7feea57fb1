/* Build options: split into words as a shell would, quotes and backslashes understood, then looked
 * up in one table. Math options promise the compiler less than IEEE arithmetic; the device computes
 * correctly rounded results all the same, so they change nothing but the macros that the language
 * ties to them. */
#include "reference/compiler/build_options.h"

#include "reference/limits/limits.h"

#include <string.h>

enum option_kind {
    OPTION_IGNORED,  /* accepted, without effect */
    OPTION_PASSED,   /* to clang as it is */
    OPTION_MACRO,    /* defines `argument` */
    OPTION_JOINED,   /* -Dx or -D x: to clang as one word */
    OPTION_STANDARD, /* -cl-std=VERSION */
    OPTION_UNIFORM_GROUPS,
    OPTION_LIBRARY,
    OPTION_LINK_OPTIONS,
};

struct option {
    const char *name;
    enum option_kind kind;
    bool compile, link; /* where it may stand */
    const char *argument;
};

/* clang-format off */
static const struct option options[] = {
    {"-D",                                    OPTION_JOINED,  true,  false, NULL},
    {"-I",                                    OPTION_JOINED,  true,  false, NULL},
    {"-w",                                    OPTION_PASSED,  true,  false, NULL},
    {"-Werror",                               OPTION_PASSED,  true,  false, NULL},
    {"-g",                                    OPTION_IGNORED, true,  false, NULL}, /* always */
    {"-cl-std=",                              OPTION_STANDARD, true, false, NULL},
    {"-cl-kernel-arg-info",                   OPTION_IGNORED, true,  false, NULL}, /* always */
    {"-cl-opt-disable",                       OPTION_IGNORED, true,  false, NULL}, /* always */
    {"-cl-strict-aliasing",                   OPTION_IGNORED, true,  false, NULL},
    {"-cl-uniform-work-group-size",           OPTION_UNIFORM_GROUPS, true, false, NULL},
    {"-cl-no-subgroup-ifp",                   OPTION_IGNORED, true,  true,  NULL},
    {"-cl-single-precision-constant",         OPTION_PASSED,  true,  false, NULL},
    {"-cl-fp32-correctly-rounded-divide-sqrt", OPTION_IGNORED, true, false, NULL}, /* always */
    {"-cl-denorms-are-zero",                  OPTION_IGNORED, true,  true,  NULL},
    {"-cl-mad-enable",                        OPTION_IGNORED, true,  false, NULL},
    {"-cl-no-signed-zeros",                   OPTION_IGNORED, true,  true,  NULL},
    {"-cl-unsafe-math-optimizations",         OPTION_IGNORED, true,  true,  NULL},
    {"-cl-finite-math-only",                  OPTION_IGNORED, true,  true,  NULL},
    /* OpenCL C++ 1.0, 6.3; the device has both all the time. */
    {"-cl-fp16-enable",                       OPTION_IGNORED, true,  false, NULL},
    {"-cl-fp64-enable",                       OPTION_IGNORED, true,  false, NULL},
    {"-cl-fast-relaxed-math",                 OPTION_MACRO,   true,  true,  "-D__FAST_RELAXED_MATH__=1"},
    {"-create-library",                       OPTION_LIBRARY, false, true,  NULL},
    {"-enable-link-options",                  OPTION_LINK_OPTIONS, false, true, NULL},
};
/* clang-format on */

static const char *const standards[] = {"CL1.0", "CL1.1", "CL1.2",    "CL2.0",     "CL3.0",
                                        "CL3.1", "CLC++", "CLC++1.0", "CLC++2021", OPENCL_CPP};

/* The next word of *rest in `arena`, or NULL at the end. *failed when memory is out. */
static char *next_word(const char **rest, struct arena *arena, bool *failed)
{
    const char *at = *rest;
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    if (*at == '\0')
        return NULL;
    char *word = arena_alloc(arena, strlen(at) + 1, 1);
    if (!word) {
        *failed = true;
        return NULL;
    }
    size_t size = 0;
    char quote = '\0';
    for (; *at != '\0'; at++) {
        if (quote == '\0' && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
            break;
        if (*at == '\\' && quote != '\'' && at[1] != '\0') {
            at++;
            word[size++] = *at;
        } else if (quote != '\0' ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? '\0' : *at;
        } else {
            word[size++] = *at;
        }
    }
    word[size] = '\0';
    *rest = at;
    return word;
}

static const struct option *find_option(const char *word, bool link)
{
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct option *option = &options[i];
        const bool prefix = option->kind == OPTION_JOINED || option->kind == OPTION_STANDARD;
        const bool same = prefix ? strncmp(word, option->name, strlen(option->name)) == 0
                                 : strcmp(word, option->name) == 0;
        if (same && (link ? option->link : option->compile))
            return option;
    }
    return NULL;
}

static const char *find_standard(const char *name)
{
    for (size_t i = 0; i < sizeof(standards) / sizeof(standards[0]); i++) {
        if (strcmp(name, standards[i]) == 0)
            return strcmp(name, "CL3.1") != 0 || limits_has_3_1() ? standards[i] : NULL;
    }
    return NULL;
}

/* One option, of which `word` is the text; the value of -D and the like may be the next word. */
static bool apply(const struct option *option, char *word, const char **rest, struct arena *arena,
                  struct build_options *parsed)
{
    bool failed = false;
    switch (option->kind) {
    case OPTION_IGNORED:
        return true;
    case OPTION_PASSED:
        parsed->arguments[parsed->argument_count++] = word;
        return true;
    case OPTION_MACRO:
        parsed->arguments[parsed->argument_count++] = option->argument;
        return true;
    case OPTION_JOINED:
        if (word[2] == '\0') {
            const char *value = next_word(rest, arena, &failed);
            if (failed)
                return false;
            if (!value) {
                parsed->problem = arena_format(arena, "%s needs a value", option->name);
                return parsed->problem != NULL;
            }
            word = arena_format(arena, "%s%s", option->name, value);
            if (!word)
                return false;
        }
        parsed->arguments[parsed->argument_count++] = word;
        return true;
    case OPTION_STANDARD:
        parsed->standard = find_standard(word + strlen(option->name));
        if (!parsed->standard) {
            parsed->standard = "CL1.2";
            parsed->problem = arena_format(
                arena, "%s: the device has CL1.0 to CL3.%d, CLC++1.0, CLC++2021 and " OPENCL_CPP,
                word, limits_has_3_1());
            return parsed->problem != NULL;
        }
        return true;
    case OPTION_UNIFORM_GROUPS:
        parsed->uniform_groups = true;
        return true;
    case OPTION_LIBRARY:
        parsed->create_library = true;
        return true;
    case OPTION_LINK_OPTIONS:
        parsed->enable_link_options = true;
        return true;
    }
    return false;
}

static bool parse(const char *text, bool link, bool foreign, struct arena *arena,
                  struct build_options *parsed)
{
    const char *rest = text ? text : "";
    /* A word has a letter and a blank before the next, and gives one argument at most. */
    struct build_options made = {
        .standard = "CL1.2",
        .arguments = arena_alloc(arena, strlen(rest) / 2 + 1, sizeof(*made.arguments))};
    bool failed = !made.arguments;
    char *word;
    while (!failed && !made.problem && (word = next_word(&rest, arena, &failed)) != NULL) {
        const struct option *option = find_option(word, link);
        if (option) {
            if (!apply(option, word, &rest, arena, &made))
                return false;
        } else if (!foreign) {
            made.problem = arena_format(arena, "unknown option '%s'", word);
            failed = made.problem == NULL;
        }
        if (failed)
            return false;
    }
    if (failed)
        return false;
    if (made.enable_link_options && !made.create_library)
        made.problem = "-enable-link-options needs -create-library";
    *parsed = made;
    return true;
}

bool build_options_parse(const char *text, struct arena *arena, struct build_options *parsed)
{
    return parse(text, false, false, arena, parsed);
}

bool build_options_parse_foreign(const char *text, struct arena *arena,
                                 struct build_options *parsed)
{
    return parse(text, false, true, arena, parsed);
}

bool link_options_parse(const char *text, struct arena *arena, struct build_options *parsed)
{
    return parse(text, true, false, arena, parsed);
}
