#include "reference/probe/options.h"

#include "trace/base/text.h"

#include <stdbool.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* How long the word is, as it stands, quotes and backslashes included. */
static size_t word_length(const char *word)
{
    size_t length = 0;
    char quote = '\0';
    for (; word[length] != '\0' && (quote != '\0' || !is_blank(word[length])); length++) {
        const char c = word[length];
        if (c == '\\' && quote != '\'' && word[length + 1] != '\0')
            length++;
        else if (quote != '\0' ? c == quote : c == '"' || c == '\'')
            quote = quote != '\0' ? '\0' : c;
    }
    return length;
}

const char *options_of_copy(const char *options, struct arena *arena)
{
    struct text kept = TEXT_INIT;
    bool is_value = false; /* of the option before */
    for (const char *at = options; *at != '\0';) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        const size_t length = word_length(at);
        const bool is_obeyed = strncmp(at, "-D", 2) == 0 || strncmp(at, "-I", 2) == 0;
        const bool is_error = length == 7 && strncmp(at, "-Werror", 7) == 0;
        if (!is_value && !is_obeyed && !is_error) {
            text_append(&kept, kept.size > 0 ? " " : "");
            text_append_n(&kept, at, length);
        }
        is_value = !is_value && is_obeyed && length == 2;
        at += length;
    }
    const char *made = kept.failed ? NULL : arena_string_n(arena, kept.bytes, kept.size);
    text_release(&kept);
    return made;
}
