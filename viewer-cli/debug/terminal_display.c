/* Values that are shown at each stop, and text as scripts print it. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/status.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- display ---- */

struct terminal_display {
    struct terminal_display *next;
    uint64_t number;
    char format[2]; /* as of print; "" = none */
    char expression[];
};

static bool show_display(struct terminal *terminal, const struct terminal_display *display,
                         struct error *error)
{
    struct cJSON *answer = terminal_evaluate(terminal, display->expression,
                                             *display->format ? display->format : NULL, error);
    const char *value = json_object_text(json_object_item(answer, "value"), "value");
    if (answer)
        text_format(&terminal->text, "%" PRIu64 ": %s = %s\n", display->number, display->expression,
                    value ? value : "?");
    json_object_release(answer);
    return answer != NULL;
}

/* In the order of their numbers; what is not in scope has its turn where it is. */
static void show_from(struct terminal *terminal, const struct terminal_display *last)
{
    for (uint64_t number = 1; number <= terminal->display_number; ++number) {
        for (const struct terminal_display *at = last; at; at = at->next) {
            struct error error;
            if (at->number == number)
                show_display(terminal, at, &error);
        }
    }
}

void terminal_show_displays(struct terminal *terminal)
{
    show_from(terminal, terminal->session ? terminal->displays : NULL);
}

bool terminal_list_displays(struct terminal *terminal)
{
    if (!terminal->displays)
        text_append(&terminal->text, "Nothing is displayed.\n");
    for (uint64_t number = 1; number <= terminal->display_number; ++number)
        for (const struct terminal_display *at = terminal->displays; at; at = at->next)
            if (at->number == number)
                text_format(&terminal->text, "%" PRIu64 ": %s%s%s%s\n", number,
                            *at->format ? "/" : "", at->format, *at->format ? " " : "",
                            at->expression);
    return true;
}

bool terminal_display(struct terminal *terminal, const char *rest)
{
    char letter[2] = "";
    if (!*rest) {
        terminal_show_displays(terminal);
        return true;
    }
    if (!terminal_take_format(terminal, &rest, letter))
        return false;
    if (!*rest)
        return terminal_refuse(terminal, "Display what? An expression, as acc + 1 or in[3].");
    const size_t size = strlen(rest) + 1;
    struct terminal_display *made = alloc(sizeof *made + size);
    if (!made)
        return terminal_refuse(terminal, "Out of memory.");
    *made = (struct terminal_display){.number = terminal->display_number + 1};
    memcpy(made->format, letter, sizeof letter);
    memcpy(made->expression, rest, size);
    /* What is misspelt is refused; it would never be shown. */
    if (!show_display(terminal, made, NULL)) {
        alloc_free(made);
        return false;
    }
    ++terminal->display_number;
    made->next = terminal->displays;
    terminal->displays = made;
    return true;
}

static bool forget(struct terminal *terminal, uint64_t number)
{
    struct terminal_display **at = &terminal->displays;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    struct terminal_display *found = *at;
    if (!found)
        return terminal_refuse(terminal, "There is no display %" PRIu64 ".", number);
    *at = found->next;
    alloc_free(found);
    return true;
}

bool terminal_undisplay(struct terminal *terminal, const char *rest)
{
    bool done = true;
    if (!*rest)
        terminal_display_release(terminal);
    while (*rest) {
        uint64_t number;
        done = terminal_take_number(terminal, &rest, "display", &number) &&
               forget(terminal, number) && done;
        if (!done)
            break;
    }
    return done;
}

void terminal_display_release(struct terminal *terminal)
{
    while (terminal->displays) {
        struct terminal_display *first = terminal->displays;
        terminal->displays = first->next;
        alloc_free(first);
    }
}

/* ---- text ---- */

/* What a backslash and the letter at *at mean, as in C; moves to the last byte of it. */
static void append_escaped(const char **at, struct text *text)
{
    static const char letters[] = "ntrae\"\\";
    static const char meanings[] = "\n\t\r\a\033\"\\";
    const char *found = **at ? strchr(letters, **at) : NULL;
    if (found)
        text_append_char(text, meanings[found - letters]);
    else if (**at)
        text_append_n(text, *at, 1);
    else
        --*at;
}

bool terminal_echo(struct terminal *terminal, const char *rest)
{
    for (; *rest; ++rest) {
        if (*rest == '\\') {
            ++rest;
            append_escaped(&rest, &terminal->text);
        } else {
            text_append_char(&terminal->text, *rest);
        }
    }
    return true;
}

/* ---- printf ---- */

enum { CONVERSION_MAX = 32 };

/* "%-8.3f" of a format: the flags and widths as they stand, the letter apart. */
struct conversion {
    char flags[CONVERSION_MAX];
    char letter;
};

/* Moves behind it; sizes as "ll" are left out, since each value has its own. False where it is
 * none. */
static bool take_conversion(const char **at, struct conversion *conversion)
{
    const size_t length = strspn(*at, "-+ #0123456789.");
    if (length >= CONVERSION_MAX)
        return false;
    memcpy(conversion->flags, *at, length);
    conversion->flags[length] = 0;
    *at += length;
    *at += strspn(*at, "hlvzjt");
    conversion->letter = **at;
    *at += **at != 0;
    return conversion->letter && strchr("diuxXocfFeEgGaAsp", conversion->letter);
}

/* Widths above this would be a mistake, and much memory. */
static bool is_modest(const struct conversion *conversion)
{
    enum { WIDTH_MAX = 1000 };
    for (const char *at = conversion->flags; *at;) {
        if (isdigit((unsigned char)*at) && strtoul(at, NULL, 10) > WIDTH_MAX)
            return false;
        at += isdigit((unsigned char)*at) ? strspn(at, "0123456789") : 1;
    }
    return true;
}

/* How `evaluate` is to give what the letter prints. */
static const char *format_of(char letter)
{
    return strchr("dic", letter) ? "d" : letter == 'u' ? "u" : strchr("xXo", letter) ? "x" : NULL;
}

/* What is no such number (undefined, out of bounds, a vector) is printed as `print` does. */
static void append_value(const struct conversion *conversion, const char *value, struct text *text)
{
    char format[CONVERSION_MAX + 8];
    char *end = NULL;
    const char letter = conversion->letter;
    if (strchr("fFeEgGaA", letter)) {
        const double number = strtod(value, &end);
        snprintf(format, sizeof format, "%%%s%c", conversion->flags, letter);
        if (!*end) {
            text_format(text, format, number);
            return;
        }
    } else if (!strchr("sp", letter)) {
        const long long number =
            value[0] == '-' ? strtoll(value, &end, 0) : (long long)strtoull(value, &end, 0);
        snprintf(format, sizeof format, letter == 'c' ? "%%%s%c" : "%%%sll%c", conversion->flags,
                 letter);
        if (!*end && letter == 'c') {
            text_format(text, format, (int)number);
            return;
        }
        if (!*end) {
            text_format(text, format, number);
            return;
        }
    }
    text_append(text, value);
}

/* The next of the expressions, which commas part: those outside brackets and quotes. */
static bool take_argument(const char **at, struct text *argument)
{
    int depth = 0;
    char quote = 0;
    const char *end = *at + strspn(*at, " \t,");
    *at = end;
    for (; *end && (depth || quote || *end != ','); ++end) {
        if (quote)
            quote = *end == quote ? 0 : quote;
        else if (strchr("'\"", *end))
            quote = *end;
        else
            depth += strchr("([{", *end) ? 1 : strchr(")]}", *end) ? -1 : 0;
    }
    text_clear(argument);
    text_append_n(argument, *at, (size_t)(end - *at));
    *at = end;
    return argument->size > 0;
}

/* The quote that ends the text from `at` on; NULL where none does. */
static const char *end_of_quoted(const char *at)
{
    while (*at && *at != '"')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at : NULL;
}

static bool print_argument(struct terminal *terminal, const struct conversion *conversion,
                           const char **arguments, struct text *text)
{
    struct text argument = TEXT_INIT;
    struct cJSON *answer = NULL;
    const bool given = take_argument(arguments, &argument);
    const char *const end =
        given && *argument.bytes == '"' ? end_of_quoted(argument.bytes + 1) : NULL;
    if (end) { /* a text, which no expression knows */
        text_append_n(text, argument.bytes + 1, (size_t)(end - argument.bytes - 1));
        text_release(&argument);
        return true;
    }
    if (given)
        answer = terminal_evaluate(terminal, argument.bytes, format_of(conversion->letter), NULL);
    else
        terminal_refuse(terminal, "There are fewer values than the text has places for.");
    const char *value = json_object_text(json_object_item(answer, "value"), "value");
    if (answer)
        append_value(conversion, value ? value : "?", text);
    json_object_release(answer);
    text_release(&argument);
    return answer != NULL;
}

/* Between the quotes from `at` on; returns what stands behind them, NULL where it is wrong, which
 * was said. */
static const char *print_format(struct terminal *terminal, const char *at, const char *arguments,
                                struct text *text)
{
    for (; *at != '"'; ++at) {
        struct conversion conversion;
        if (*at == '\\') {
            ++at;
            append_escaped(&at, text);
        } else if (*at != '%') {
            text_append_char(text, *at);
        } else if (at[1] == '%') {
            text_append_char(text, *at++);
        } else {
            ++at;
            if (!take_conversion(&at, &conversion) || !is_modest(&conversion)) {
                terminal_refuse(terminal, "printf knows %%d %%u %%x %%o %%c %%f %%e %%g and %%s, "
                                          "with widths; %%%% is a sign of percent.");
                return NULL;
            }
            --at;
            if (!print_argument(terminal, &conversion, &arguments, text))
                return NULL;
        }
    }
    return arguments + strspn(arguments, " \t,");
}

bool terminal_printf(struct terminal *terminal, const char *rest)
{
    const char *const end = *rest == '"' ? end_of_quoted(rest + 1) : NULL;
    if (!end)
        return terminal_refuse(terminal, "Print what? printf \"sum of %%d: %%f\\n\", item, acc");
    struct text text = TEXT_INIT;
    const char *left = print_format(terminal, rest + 1, end + 1, &text);
    const bool done = left && (!*left || terminal_refuse(terminal,
                                                         "There are more values than the text has "
                                                         "places for: %s",
                                                         left));
    if (done)
        text_append_n(&terminal->text, text.bytes, text.size);
    text_release(&text);
    return done;
}
