/* The words of a litmus test. A token points into the text. */
#ifndef CHECKERS_LITMUS_LEXER_H
#define CHECKERS_LITMUS_LEXER_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    uint32_t line;
    int64_t number;
};

struct lexer {
    const char *at, *end;
    uint32_t line;
    uint32_t last_line; /* of the token before the current one */
    /* In a thread "(*" is a parenthesis before a pointer, elsewhere it begins a comment. */
    bool in_thread;
    struct token token; /* the next one */
    enum status status; /* the first failure; from then on all tokens are TOKEN_END */
    struct error *error;
};

void lexer_start(struct lexer *lexer, const char *text, size_t size, struct error *error);
/* Goes on to the next token. */
void lexer_next(struct lexer *lexer);
/* The rest of the line as it stands, without spaces around it, which becomes the current token; the
 * one that was current is part of it. */
void lexer_take_line(struct lexer *lexer);

/* Is the current token that sign or name? */
bool lexer_is(const struct lexer *lexer, const char *word);
/* The same, and goes on behind it. */
bool lexer_accept(struct lexer *lexer, const char *word);
/* The same; another token is a failure. */
void lexer_expect(struct lexer *lexer, const char *word);

bool token_is(const struct token *token, const char *word);

/* Fails, unless it has failed already: "line N: SENTENCE". */
void lexer_fail(struct lexer *lexer, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails at the current token: "line N: WANTED is wanted before 'token'". */
void lexer_want(struct lexer *lexer, const char *wanted);

#endif
