/* Variables of the debugger: how they get their values. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/status.h"

#include <string.h>

/* Types of numbers, and the one whose literals have their bits. */
/* clang-format off */
static const struct {
    const char *name, *bits;
    bool is_floating;
} types[] = {
    {"char",   "uchar",  false},
    {"uchar",  "uchar",  false},
    {"short",  "ushort", false},
    {"ushort", "ushort", false},
    {"int",    "uint",   false},
    {"uint",   "uint",   false},
    {"long",   "ulong",  false},
    {"ulong",  "ulong",  false},
    {"half",   "ushort", true},
    {"float",  "uint",   true},
    {"double", "ulong",  true},
};
/* clang-format on */

/* The bits, as `evaluate` gives them, as an expression of the type: "as_float(0x40000000)",
 * "as_int4((uint4)(0x1, 0x2, 0x3, 0x4))". False where it is none of these types, or undefined. */
static bool make_literal(const char *type, const char *bits, struct text *text)
{
    const size_t length = strcspn(type, "0123456789");
    const char *const count = type + length;
    size_t i = 0;
    while (i < sizeof types / sizeof *types && !terminal_word_is(type, length, types[i].name))
        ++i;
    if (i == sizeof types / sizeof *types || bits[strspn(bits, "0123456789abcdefx{}, ")])
        return false;
    if (*count && *bits == '{')
        text_format(text, "as_%s((%s%s)(%.*s))", type, types[i].bits, count, (int)strlen(bits) - 2,
                    bits + 1);
    else if (types[i].is_floating)
        text_format(text, "as_%s((%s)%s)", type, types[i].bits, bits);
    else
        text_format(text, "((%s)%s)", type, bits);
    return true;
}

/* The value of the expression as one of the built-in types, which + makes of it. */
static bool evaluate(struct terminal *terminal, const char *expression, struct text *literal,
                     struct text *shown)
{
    struct text plain = TEXT_INIT;
    text_format(&plain, "+(%s)", expression);
    struct error error;
    struct cJSON *answer = terminal_evaluate(terminal, expression, NULL, NULL);
    struct cJSON *bits = answer ? terminal_evaluate(terminal, plain.bytes, "x", &error) : NULL;
    const struct cJSON *value = json_object_item(bits, "value");
    const char *const type = json_object_text(value, "type");
    const char *const text = json_object_text(value, "value");
    const bool done = type && text && make_literal(type, text, literal);
    if (done)
        text_append(shown, json_object_text(json_object_item(answer, "value"), "value"));
    if (answer && !done)
        terminal_refuse(terminal,
                        "Only defined numbers, and vectors of them, can be kept: '%s' is "
                        "none.",
                        expression);
    json_object_release(bits);
    json_object_release(answer);
    text_release(&plain);
    return done;
}

/* A name that the engine has for something of its own. */
static bool is_register(struct terminal *terminal, const char *name, size_t length)
{
    struct text expression = TEXT_INIT;
    struct error error;
    text_append_char(&expression, '$');
    text_append_n(&expression, name, length);
    struct cJSON *answer = terminal_evaluate(terminal, expression.bytes, NULL, &error);
    json_object_release(answer);
    text_release(&expression);
    return answer != NULL;
}

/* The variable of that name, which is made if need be; NULL, which was said. */
static struct terminal_variable *make(struct terminal *terminal, const char *name, size_t length)
{
    struct terminal_variable *made = terminal_find_variable(terminal, name, length);
    if (made)
        return made;
    if (is_register(terminal, name, length)) {
        terminal_refuse(terminal, "$%.*s is the debugger's own.", (int)length, name);
        return NULL;
    }
    made = alloc_zero(1, sizeof *made);
    if (made)
        made->name = alloc_format("%.*s", (int)length, name);
    if (!made || !made->name) {
        alloc_free(made);
        terminal_refuse(terminal, "Out of memory.");
        return NULL;
    }
    made->next = terminal->variables;
    terminal->variables = made;
    return made;
}

bool terminal_set_variable(struct terminal *terminal, const char *rest)
{
    const size_t length = terminal_variable_length(rest);
    const char *at = rest + 1 + length;
    at += strspn(at, " \t");
    const size_t operator= strcspn(at, "=");
    if (!length || !at[operator] || operator > 2)
        return terminal_refuse(terminal, "Set what? set $count = 3, and then out[$count].");
    struct text expression = TEXT_INIT;
    struct text literal = TEXT_INIT;
    struct text shown = TEXT_INIT;
    struct terminal_variable *variable = NULL;
    if (operator)
        text_format(&expression, "$%.*s %.*s (%s)", (int)length, rest + 1, (int)operator, at,
                    at + operator+ 1);
    else
        text_append(&expression, at + 1 + strspn(at + 1, " \t"));
    if (evaluate(terminal, expression.bytes, &literal, &shown))
        variable = make(terminal, rest + 1, length);
    if (variable) {
        alloc_free(variable->value);
        alloc_free(variable->shown);
        variable->value = alloc_string(literal.bytes);
        variable->shown = alloc_string(shown.bytes);
        text_format(&terminal->text, "$%.*s = %s\n", (int)length, rest + 1, shown.bytes);
    }
    const bool done = variable && variable->value;
    text_release(&shown);
    text_release(&literal);
    text_release(&expression);
    return done;
}

bool terminal_list_variables(struct terminal *terminal)
{
    if (!terminal->variables)
        text_append(&terminal->text, "No variable of the debugger: set $count = 3 makes one.\n");
    for (const struct terminal_variable *at = terminal->variables; at; at = at->next)
        text_format(&terminal->text, "$%s = %s\n", at->name, at->shown ? at->shown : "?");
    return true;
}

void terminal_variables_release(struct terminal *terminal)
{
    while (terminal->variables) {
        struct terminal_variable *first = terminal->variables;
        terminal->variables = first->next;
        alloc_free(first->name);
        alloc_free(first->value);
        alloc_free(first->shown);
        alloc_free(first);
    }
}
