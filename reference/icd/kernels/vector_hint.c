/* A scan of the program's words: a hint counts until the end of a function or declaration, or until
 * the name of the kernel. A hint that comes out of a macro is not seen, and stays signed. */
#include "reference/icd/kernels/build.h"

#include <ctype.h>
#include <string.h>

enum { TYPE_MAX = 16 }; /* "ulong16" and its NUL fit */

static const char hint_name[] = "vec_type_hint";

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool word_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* What stands in the parentheses after a hint's name. */
static void read_type(const char *at, char type[TYPE_MAX])
{
    at += strspn(at, " \t(");
    const size_t length = word_length(at);
    type[0] = '\0';
    if (length < TYPE_MAX) {
        memcpy(type, at, length);
        type[length] = '\0';
    }
}

/* One line. True at the kernel's name, before which `type` is the last hint's. */
static bool scan_line(const char *at, const char *kernel, char type[TYPE_MAX])
{
    while (*at != '\0') {
        const size_t length = word_length(at);
        if (length == 0) {
            if (*at == ';' || *at == '}')
                type[0] = '\0';
            at++;
            continue;
        }
        if (word_is(at, length, hint_name) || word_is(at, length, "__vec_type_hint__"))
            read_type(at + length, type);
        else if (word_is(at, length, kernel) && at[length + strspn(at + length, " \t")] == '(')
            return true;
        at += length;
    }
    return false;
}

const char *vector_hint_with_sign(const char *attributes, const struct sources *sources,
                                  const char *kernel, struct arena *arena)
{
    const char *hint = strstr(attributes, hint_name);
    char type[TYPE_MAX] = "";
    const char *line;
    bool found = false;
    if (!hint || !sources)
        return attributes;
    for (uint32_t i = 1; !found && (line = sources_line(sources, SOURCES_PROGRAM, i)) != NULL; i++)
        found = scan_line(line, kernel, type);
    const char *made = hint + strlen(hint_name) + 1; /* after the parenthesis */
    if (!found || type[0] != 'u' || !word_is(made, word_length(made), type + 1))
        return attributes;
    return arena_format(arena, "%.*su%s", (int)(made - attributes), attributes, made);
}
