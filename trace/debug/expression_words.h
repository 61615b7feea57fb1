/* The words of an expression, one after the other, and the types among them. */
#ifndef TRACE_DEBUG_EXPRESSION_WORDS_H
#define TRACE_DEBUG_EXPRESSION_WORDS_H

#include "trace/debug/expression.h"

enum word_kind {
    WORD_END,
    WORD_NAME,
    WORD_REGISTER, /* `text` and `length` are without the $ */
    WORD_INTEGER,
    WORD_FLOATING,
    WORD_SIGN,
};

struct word {
    enum word_kind kind;
    const char *text; /* in the text that is read */
    size_t length;
    uint32_t column;
    bool is_unsigned;
    uint8_t width; /* of a literal, as struct expression has it */
    uint64_t bits;
    double value;
};

/* What has gone wrong first stays; from then on every word is WORD_END. */
struct words {
    const char *text, *at;
    struct word word; /* the one that is looked at */
    struct arena *arena;
    expression_names_type *names_type;
    void *user;
    enum status status;
    struct error *error; /* may be NULL */
};

/* Looks at the first word. */
void words_begin(struct words *words, const char *text);
/* On to the next one. */
void words_next(struct words *words);
bool words_failed(const struct words *words);
/* Keeps the first failure; the sentence says where. */
void words_fail(struct words *words, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void words_fail_memory(struct words *words);

/* Is it this sign, or name? */
bool words_is(const struct words *words, const char *sign);
/* If it is, on to the next one. */
bool words_take(struct words *words, const char *sign);
void words_want(struct words *words, const char *sign);
/* The word in the arena; NULL when memory is out. */
const char *words_copy(struct words *words);

/* Does a type begin here? */
bool words_begin_type(const struct words *words);
void words_take_type(struct words *words, struct expression_type *type);

#endif
