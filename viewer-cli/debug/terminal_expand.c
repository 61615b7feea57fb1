/* Variables of the debugger, $name, in expressions. The engine knows none: a variable's value is
 * put in the place of its name, as bits of its type. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"

#include <ctype.h>
#include <string.h>

static bool is_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

size_t terminal_variable_length(const char *at)
{
    size_t length = 0;
    if (*at != '$' || isdigit((unsigned char)at[1]))
        return 0;
    while (is_of_name(at[1 + length]))
        ++length;
    return length;
}

struct terminal_variable *terminal_find_variable(const struct terminal *terminal, const char *name,
                                                 size_t length)
{
    struct terminal_variable *at = terminal->variables;
    while (at && !terminal_word_is(name, length, at->name))
        at = at->next;
    return at;
}

void terminal_expand(const struct terminal *terminal, const char *expression, struct text *text)
{
    for (const char *at = expression; *at;) {
        const size_t length = terminal_variable_length(at);
        const struct terminal_variable *variable =
            length ? terminal_find_variable(terminal, at + 1, length) : NULL;
        if (variable && variable->value)
            text_append(text, variable->value);
        else
            text_append_n(text, at, 1 + length);
        at += 1 + length;
    }
}

void terminal_put_expression(const struct terminal *terminal, struct text *request, const char *key,
                             const char *expression)
{
    struct text expanded = TEXT_INIT;
    if (!expression)
        return;
    terminal_expand(terminal, expression, &expanded);
    json_string(request, key, expanded.bytes);
    text_release(&expanded);
}
