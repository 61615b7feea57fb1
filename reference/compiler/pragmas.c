#include "reference/compiler/pragmas.h"

#include "reference/limits/limits.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name;
    bool language; /* clang is told of it */
    enum kept kept;
} extensions[] = {
#define EXTENSION(name, major, minor, patch, language, kept) {#name, language, KEPT_##kept},
#include "reference/limits/extensions.def"
#undef EXTENSION
};

/* What is left of a line. */
struct words {
    char *at, *end;
};

static void skip_spaces(struct words *words)
{
    while (words->at < words->end && (*words->at == ' ' || *words->at == '\t'))
        words->at++;
}

static bool take(struct words *words, const char *expected)
{
    const size_t size = strlen(expected);
    skip_spaces(words);
    if ((size_t)(words->end - words->at) < size || memcmp(words->at, expected, size) != 0)
        return false;
    words->at += size;
    return true;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool take_extension(struct words *words)
{
    skip_spaces(words);
    const char *name = words->at;
    while (words->at < words->end && is_of_name(*words->at))
        words->at++;
    const size_t size = (size_t)(words->at - name);
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (!extensions[i].language && strlen(extensions[i].name) == size &&
            memcmp(extensions[i].name, name, size) == 0)
            return limits_keep(extensions[i].kept);
    }
    return false;
}

static void blank_line(struct words line)
{
    skip_spaces(&line);
    char *start = line.at;
    if (take(&line, "#") && take(&line, "pragma") && take(&line, "OPENCL") &&
        take(&line, "EXTENSION") && take_extension(&line) && take(&line, ":") &&
        (take(&line, "enable") || take(&line, "disable")) &&
        (line.at == line.end || !is_of_name(*line.at)))
        memset(start, ' ', (size_t)(line.at - start));
}

void pragmas_blank(char *text, size_t size)
{
    char *const end = text + size;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        blank_line((struct words){.at = text, .end = newline ? newline : end});
        text = newline ? newline + 1 : end;
    }
}
