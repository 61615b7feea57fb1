#include "checkers/litmus/parser.h"
#include "trace/base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool starts(const struct lexer *lexer, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(lexer->end - lexer->at) >= length && memcmp(lexer->at, word, length) == 0;
}

static void advance(struct lexer *lexer, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lexer->line += *lexer->at++ == '\n';
    }
}

static void skip_comment(struct lexer *lexer, const char *close)
{
    const uint32_t line = lexer->line;
    advance(lexer, 2);
    while (lexer->at < lexer->end && !starts(lexer, close)) {
        advance(lexer, 1);
    }
    if (lexer->at == lexer->end) {
        lexer_fail(lexer, line, "the comment has no end");
    } else {
        advance(lexer, strlen(close));
    }
}

static void skip_blank(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_space(*lexer->at)) {
            advance(lexer, 1);
        } else if (!lexer->in_thread && starts(lexer, "(*")) {
            skip_comment(lexer, "*)");
        } else if (starts(lexer, "/*")) {
            skip_comment(lexer, "*/");
        } else if (starts(lexer, "//")) {
            while (lexer->at < lexer->end && *lexer->at != '\n') {
                advance(lexer, 1);
            }
        } else {
            return;
        }
    }
}

static int digit_value(char c)
{
    return is_digit(c)              ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                    : 16;
}

static void take_number(struct lexer *lexer)
{
    struct token *token = &lexer->token;
    const bool hex = starts(lexer, "0x") || starts(lexer, "0X");
    const int base = hex ? 16 : 10;
    uint64_t value = 0;
    bool fits = true;
    const char *at = lexer->at + (hex ? 2 : 0);
    const char *const digits = at;
    for (; at < lexer->end && digit_value(*at) < base; at++) {
        const uint64_t digit = (uint64_t)digit_value(*at);
        fits = fits && value <= (UINT64_MAX - digit) / (uint64_t)base;
        value = value * (uint64_t)base + digit;
    }
    const bool some = at > digits;
    static const char suffixes[] = {'u', 'U', 'l', 'L'};
    while (at < lexer->end && memchr(suffixes, *at, sizeof suffixes) != NULL) {
        at++;
    }
    token->kind = TOKEN_NUMBER;
    token->length = (size_t)(at - lexer->at);
    token->number = (int64_t)value;
    if (!some || !fits || (at < lexer->end && (is_letter(*at) || is_digit(*at)))) {
        lexer_fail(lexer, lexer->line, "'%.*s' is not a number of 64 bits", (int)token->length,
                   token->start);
    }
}

static void take_sign(struct lexer *lexer)
{
    static const char *const signs[] = {
        "<<=", ">>=", "/\\", "\\/", "&&", "||", "==", "=>", "!=", "<=", ">=", "<<",
        ">>",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "++", "--"};
    static const char single[] = "{}()[]<>=;:,*&|^~!+-/%@.";
    struct token *token = &lexer->token;
    token->kind = TOKEN_SIGN;
    token->length = 1;
    for (size_t i = sizeof signs / sizeof *signs; i-- > 0;) {
        if (starts(lexer, signs[i])) {
            token->length = strlen(signs[i]);
        }
    }
    if (token->length == 1 && memchr(single, *token->start, sizeof single - 1) == NULL) {
        const unsigned char c = (unsigned char)*token->start;
        if (c > ' ' && c < 127) {
            lexer_fail(lexer, lexer->line, "'%c' has no meaning here", c);
        } else {
            lexer_fail(lexer, lexer->line, "a byte 0x%02x has no meaning here", c);
        }
    }
}

static void take_string(struct lexer *lexer)
{
    struct token *token = &lexer->token;
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && *at != '\n') {
        at++;
    }
    if (at == lexer->end || *at == '\n') {
        lexer_fail(lexer, lexer->line, "the string has no end");
        return;
    }
    token->kind = TOKEN_STRING;
    token->length = (size_t)(at + 1 - lexer->at);
}

void lexer_next(struct lexer *lexer)
{
    struct token *token = &lexer->token;
    lexer->last_line = token->line;
    if (lexer->status == STATUS_OK) {
        skip_blank(lexer);
    }
    *token = (struct token){.kind = TOKEN_END, .start = lexer->at, .line = lexer->line};
    if (lexer->status != STATUS_OK || lexer->at == lexer->end) {
        return;
    }
    if (is_letter(*lexer->at)) {
        token->kind = TOKEN_NAME;
        while (lexer->at + token->length < lexer->end &&
               (is_letter(lexer->at[token->length]) || is_digit(lexer->at[token->length]))) {
            token->length++;
        }
    } else if (is_digit(*lexer->at)) {
        take_number(lexer);
    } else if (*lexer->at == '"') {
        take_string(lexer);
    } else {
        take_sign(lexer);
    }
    if (lexer->status == STATUS_OK) {
        ASSERT(token->length > 0); /* so it comes to an end */
        advance(lexer, token->length);
    }
}

void lexer_start(struct lexer *lexer, const char *text, size_t size, struct error *error)
{
    *lexer = (struct lexer){.at = text, .end = text + size, .line = 1, .error = error};
    lexer_next(lexer);
}

void lexer_take_line(struct lexer *lexer)
{
    if (lexer->status != STATUS_OK || lexer->token.kind == TOKEN_END) {
        return;
    }
    while (lexer->at < lexer->end && *lexer->at != '\n') {
        lexer->at++;
    }
    lexer->token.length = (size_t)(lexer->at - lexer->token.start);
    while (is_space(lexer->token.start[lexer->token.length - 1])) {
        lexer->token.length--;
    }
}

bool token_is(const struct token *token, const char *word)
{
    return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) &&
           strlen(word) == token->length && memcmp(word, token->start, token->length) == 0;
}

bool lexer_is(const struct lexer *lexer, const char *word)
{
    return token_is(&lexer->token, word);
}

bool lexer_accept(struct lexer *lexer, const char *word)
{
    if (!lexer_is(lexer, word)) {
        return false;
    }
    lexer_next(lexer);
    return true;
}

void lexer_expect(struct lexer *lexer, const char *word)
{
    if (!lexer_accept(lexer, word)) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "'%s'", word);
        lexer_want(lexer, wanted);
    }
}

void lexer_fail(struct lexer *lexer, uint32_t line, const char *format, ...)
{
    if (lexer->status != STATUS_OK) {
        return;
    }
    va_list list;
    va_start(list, format);
    lexer->status = error_set_v(lexer->error, STATUS_MALFORMED, format, list);
    va_end(list);
    error_prefix(lexer->error, "line %u", line);
    lexer->token.kind = TOKEN_END;
}

void lexer_want(struct lexer *lexer, const char *wanted)
{
    const struct token *token = &lexer->token;
    if (token->kind == TOKEN_END) {
        lexer_fail(lexer, token->line, "%s is wanted before the end of the file", wanted);
    } else {
        const int shown = token->length > 60 ? 60 : (int)token->length;
        lexer_fail(lexer, token->line, "%s is wanted before '%.*s'", wanted, shown, token->start);
    }
}
