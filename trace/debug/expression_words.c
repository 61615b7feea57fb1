#include "trace/debug/expression_words.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer text is not said again. */
enum { QUOTED_MAX = 80 };

/* ---- failures ---- */

bool words_failed(const struct words *words)
{
    return words->status != STATUS_OK;
}

static void end(struct words *words)
{
    words->word = (struct word){.kind = WORD_END, .text = "", .column = words->word.column};
}

void words_fail(struct words *words, uint32_t column, const char *format, ...)
{
    if (words_failed(words))
        return;
    va_list list;
    va_start(list, format);
    words->status = error_set_v(words->error, STATUS_INVALID, format, list);
    va_end(list);
    if (strlen(words->text) <= QUOTED_MAX)
        error_prefix(words->error, "column %u of '%s'", column + 1, words->text);
    else
        error_prefix(words->error, "column %u", column + 1);
    end(words);
}

void words_fail_memory(struct words *words)
{
    if (!words_failed(words))
        words->status = error_no_memory(words->error, strlen(words->text));
    end(words);
}

/* ---- words ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool goes_on(char c)
{
    return begins_name(c) || is_digit(c);
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (goes_on(at[length]))
        length++;
    return length;
}

/* How long a number of C is: everything that could belong to it, so that a wrong one is told as a
 * whole. "2..9" is a number and a sign. */
static size_t number_length(const char *at)
{
    const bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    size_t length = 0;
    for (; at[length]; length++) {
        const char c = at[length];
        const char before = length ? at[length - 1] : 0;
        const bool is_exponent =
            is_hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
        if (goes_on(c) || (c == '.' && at[length + 1] != '.' && before != '.'))
            continue;
        if ((c == '+' || c == '-') && is_exponent)
            continue;
        break;
    }
    return length;
}

static bool is_floating(const char *at, size_t length)
{
    const bool is_hex = length > 1 && (at[1] == 'x' || at[1] == 'X');
    for (size_t i = 0; i < length; i++) {
        if (at[i] == '.' || (is_hex ? at[i] == 'p' || at[i] == 'P' : at[i] == 'e' || at[i] == 'E'))
            return true;
    }
    return false;
}

/* False: it is no number. */
static bool read_floating(const char *digits, struct word *word)
{
    char *rest;
    word->kind = WORD_FLOATING;
    word->value = text_read_double(digits, &rest);
    word->width = *rest == 'f' || *rest == 'F' ? 4 : *rest == 'h' || *rest == 'H' ? 2 : 8;
    const char *end = word->width == 8 ? rest : rest + 1;
    return rest != digits && *end == '\0' && isfinite(word->value);
}

/* C11, 6.4.4.1, where int has 32 bits and long 64: the first type that holds it. */
static bool read_integer(const char *digits, struct word *word)
{
    char *rest;
    bool is_long = false;
    bool is_unsigned = false;
    const bool is_decimal = digits[0] != '0';
    errno = 0;
    word->kind = WORD_INTEGER;
    word->bits = strtoull(digits, &rest, 0);
    if (errno != 0 || rest == digits)
        return false;
    for (; *rest; rest++) {
        const bool is_l = *rest == 'l' || *rest == 'L';
        if (is_l ? is_long : is_unsigned || (*rest != 'u' && *rest != 'U'))
            return false;
        is_long |= is_l;
        is_unsigned |= !is_l;
    }
    const uint64_t int_max = is_unsigned ? UINT32_MAX : is_decimal ? INT32_MAX : UINT32_MAX;
    word->width = is_long || word->bits > int_max ? 8 : 4;
    word->is_unsigned =
        is_unsigned || word->bits > (word->width == 8 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX);
    return true;
}

static void take_number(struct words *words, struct word *word)
{
    char digits[128];
    word->length = number_length(word->text);
    const bool fits = word->length < sizeof digits;
    const size_t length = fits ? word->length : sizeof digits - 1;
    memcpy(digits, word->text, length);
    digits[length] = '\0';
    if (!fits ||
        !(is_floating(digits, length) ? read_floating(digits, word) : read_integer(digits, word)))
        words_fail(words, word->column, "'%.*s' is no number of OpenCL C", (int)word->length,
                   word->text);
}

static char escaped(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case '0':
        return '\0';
    default:
        return c;
    }
}

/* OpenCL C 3.0, 6.2.4: a char, not an int as in C. */
static void take_character(struct words *words, struct word *word)
{
    const bool is_escaped = word->text[1] == '\\';
    const char *close = word->text + (is_escaped ? 3 : 2);
    word->kind = WORD_INTEGER;
    word->width = 1;
    if (word->text[1] == '\0' || (is_escaped && word->text[2] == '\0') || word->text[1] == '\'' ||
        *close != '\'') {
        words_fail(words, word->column, "a character between two ' is wanted");
        return;
    }
    word->length = (size_t)(close - word->text) + 1;
    const signed char value = (signed char)(is_escaped ? escaped(word->text[2]) : word->text[1]);
    word->bits = (uint64_t)(int64_t)value;
}

static void take_sign(struct words *words, struct word *word)
{
    /* The longer ones first. */
    static const char *const signs[] = {
        "<<=", ">>=", "->", "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
        "*=",  "/=",  "%=", "&=", "|=", "^=", "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",
        "~",   "!",   "<",  ">",  "=",  "?",  ":",  ",",  ".",  "(",  ")",  "[",  "]"};
    word->kind = WORD_SIGN;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        word->length = strlen(signs[i]);
        if (strncmp(word->text, signs[i], word->length) == 0)
            return;
    }
    uint32_t code;
    const size_t size = utf8_decode(word->text, strlen(word->text), &code);
    if (*word->text == '@') {
        words_fail(words, word->column, "'@' is gdb's: several elements are a[2..5]");
        return;
    }
    words_fail(words, word->column, "'%.*s' has no meaning here", size ? (int)size : 1, word->text);
}

static void take_word(struct words *words)
{
    struct word word = {.text = words->at, .column = (uint32_t)(words->at - words->text)};
    const char c = *word.text;
    words->word.column = word.column;
    if (c == '\0') {
        word.kind = WORD_END;
    } else if (begins_name(c)) {
        word.kind = WORD_NAME;
        word.length = name_length(word.text);
    } else if (c == '$' && begins_name(word.text[1])) {
        word.kind = WORD_REGISTER;
        word.text++;
        word.length = name_length(word.text);
    } else if (is_digit(c) || (c == '.' && is_digit(word.text[1]))) {
        take_number(words, &word);
    } else if (c == '\'') {
        take_character(words, &word);
    } else {
        take_sign(words, &word);
    }
    if (words_failed(words))
        return;
    words->word = word;
    words->at = word.text + word.length;
}

void words_next(struct words *words)
{
    if (words_failed(words))
        return;
    while (*words->at == ' ' || *words->at == '\t' || *words->at == '\n' || *words->at == '\r')
        words->at++;
    take_word(words);
}

void words_begin(struct words *words, const char *text)
{
    words->text = words->at = text;
    words->word = (struct word){.kind = WORD_END, .text = ""};
    words_next(words);
}

static bool is_text(const struct word *word, const char *text)
{
    return word->length == strlen(text) && strncmp(word->text, text, word->length) == 0;
}

bool words_is(const struct words *words, const char *sign)
{
    return (words->word.kind == WORD_SIGN || words->word.kind == WORD_NAME) &&
           is_text(&words->word, sign);
}

bool words_take(struct words *words, const char *sign)
{
    if (!words_is(words, sign))
        return false;
    words_next(words);
    return true;
}

void words_want(struct words *words, const char *sign)
{
    if (words_take(words, sign))
        return;
    if (words->word.kind == WORD_END)
        words_fail(words, words->word.column, "it ends where '%s' is wanted", sign);
    else
        words_fail(words, words->word.column, "'%s' is wanted, not '%.*s'", sign,
                   (int)words->word.length, words->word.text);
}

const char *words_copy(struct words *words)
{
    const char *copy = arena_string_n(words->arena, words->word.text, words->word.length);
    if (!copy)
        words_fail_memory(words);
    return copy;
}

/* ---- types ---- */

/* OpenCL C 3.0, 6.3.1 and 6.3.2: what may have a number of components, and what its name is as one
 * word. */
static const struct scalar {
    const char *name;
    const char *is; /* NULL: the same */
    bool is_vector;
} scalars[] = {
    {"char", NULL, true},       {"uchar", NULL, true},     {"short", NULL, true},
    {"ushort", NULL, true},     {"int", NULL, true},       {"uint", NULL, true},
    {"long", NULL, true},       {"ulong", NULL, true},     {"half", NULL, true},
    {"float", NULL, true},      {"double", NULL, true},    {"bool", NULL, false},
    {"_Bool", "bool", false},   {"void", NULL, false},     {"size_t", NULL, false},
    {"ptrdiff_t", NULL, false}, {"intptr_t", NULL, false}, {"uintptr_t", NULL, false},
};

static const char *const components[] = {"2", "3", "4", "8", "16"};

static bool is_among(const struct word *word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_text(word, names[i]))
            return true;
    }
    return false;
}

static const char *address_space(const struct word *word)
{
    static const char *const spaces[] = {"global", "local", "constant", "private", "generic"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const bool has_lines = word->length > 2 && memcmp(word->text, "__", 2) == 0;
        const struct word bare = {.text = word->text + (has_lines ? 2 : 0),
                                  .length = word->length - (has_lines ? 2 : 0)};
        if (is_text(&bare, spaces[i]))
            return spaces[i];
    }
    return NULL;
}

static bool is_qualifier(const struct word *word)
{
    static const char *const qualifiers[] = {"const", "volatile", "restrict"};
    return is_among(word, qualifiers, sizeof qualifiers / sizeof *qualifiers);
}

static bool is_tag(const struct word *word)
{
    static const char *const tags[] = {"struct", "union", "enum"};
    return is_among(word, tags, sizeof tags / sizeof *tags);
}

static bool is_sign_word(const struct word *word)
{
    return is_text(word, "unsigned") || is_text(word, "signed");
}

static const struct scalar *find_scalar(const struct word *word)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        const struct scalar *scalar = &scalars[i];
        const size_t length = strlen(scalar->name);
        if (word->length < length || memcmp(word->text, scalar->name, length) != 0)
            continue;
        const struct word rest = {.text = word->text + length, .length = word->length - length};
        if (rest.length == 0 ||
            (scalar->is_vector &&
             is_among(&rest, components, sizeof components / sizeof *components)))
            return scalar;
    }
    return NULL;
}

static bool is_typedef(const struct words *words)
{
    char name[256];
    const struct word *word = &words->word;
    if (!words->names_type || word->length >= sizeof name)
        return false;
    memcpy(name, word->text, word->length);
    name[word->length] = '\0';
    return words->names_type(words->user, name);
}

bool words_begin_type(const struct words *words)
{
    const struct word *word = &words->word;
    return word->kind == WORD_NAME &&
           (is_qualifier(word) || address_space(word) || is_tag(word) || is_sign_word(word) ||
            find_scalar(word) || is_typedef(words));
}

static void take_qualifiers(struct words *words, const char **space)
{
    while (words->word.kind == WORD_NAME) {
        const char *named = address_space(&words->word);
        if (!named && !is_qualifier(&words->word))
            return;
        if (named)
            *space = named;
        words_next(words);
    }
}

/* "struct node", as one name. */
static void take_tagged(struct words *words, struct expression_type *type)
{
    const struct word tag = words->word;
    words_next(words);
    if (words->word.kind != WORD_NAME) {
        words_fail(words, words->word.column, "the name of a %.*s is wanted", (int)tag.length,
                   tag.text);
        return;
    }
    type->name = arena_format(words->arena, "%.*s %.*s", (int)tag.length, tag.text,
                              (int)words->word.length, words->word.text);
    if (!type->name)
        words_fail_memory(words);
    words_next(words);
}

/* "unsigned", "unsigned int", "int unsigned"; a second "long" or "int" is none of OpenCL C. */
static void take_scalar(struct words *words, struct expression_type *type)
{
    const struct scalar *scalar = NULL;
    bool is_unsigned = false;
    bool is_signed = false;
    while (words->word.kind == WORD_NAME) {
        const struct scalar *found = scalar ? NULL : find_scalar(&words->word);
        if (found) {
            scalar = found;
            type->name = found->is ? found->is : words_copy(words);
        } else if (is_sign_word(&words->word) && !is_unsigned && !is_signed) {
            is_unsigned = is_text(&words->word, "unsigned");
            is_signed = !is_unsigned;
        } else {
            break;
        }
        words_next(words);
    }
    if (!type->name)
        type->name = "int";
    if (is_unsigned && !words_failed(words)) {
        type->name = arena_format(words->arena, "u%s", type->name);
        const struct word whole = {.text = type->name,
                                   .length = type->name ? strlen(type->name) : 0};
        if (!type->name)
            words_fail_memory(words);
        else if (!find_scalar(&whole))
            words_fail(words, words->word.column, "there is no unsigned %s", type->name + 1);
    }
}

void words_take_type(struct words *words, struct expression_type *type)
{
    const char *space = NULL;
    *type = (struct expression_type){.name = NULL};
    take_qualifiers(words, &space);
    if (words->word.kind != WORD_NAME)
        words_fail(words, words->word.column, "a type is wanted");
    else if (is_tag(&words->word))
        take_tagged(words, type);
    else if (is_sign_word(&words->word) || find_scalar(&words->word))
        take_scalar(words, type);
    else if (is_typedef(words)) {
        type->name = words_copy(words);
        words_next(words);
    } else
        words_fail(words, words->word.column, "'%.*s' is no type", (int)words->word.length,
                   words->word.text);
    take_qualifiers(words, &space);
    while (words_take(words, "*")) {
        const char *of_pointer = NULL;
        type->pointer_count++;
        take_qualifiers(words, &of_pointer);
    }
    type->address_space = type->pointer_count ? space : NULL;
}
