/* Command-line options from a table.
 *
 *     --name VALUE, --name=VALUE, -o VALUE, -oVALUE, --flag; "--" ends the options.
 *
 * What is not an option is an operand. With OPTIONS_STOP_AT_OPERAND parsing ends at the first
 * operand, so that the options of a program to be run stay its own. */
#ifndef TRACE_BASE_OPTIONS_H
#define TRACE_BASE_OPTIONS_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* takes no value */
    OPTION_TEXT,   /* any text */
    OPTION_WORD,   /* one of the words in `value`: "text|json" */
    OPTION_NUMBER, /* a number from 0 to 2^63-1; 0x.. is understood */
};

struct option_row {
    const char *name; /* without "--" */
    char letter;      /* of the short form; 0 = none */
    enum option_kind kind;
    bool repeatable; /* may be given more than once; otherwise the last one counts */
    const char
        *value; /* what the help shows for the value: "FILE"; of a WORD its words; flags: NULL */
    const char *help; /* one line, without a full stop */
};

enum options_flags { OPTIONS_STOP_AT_OPERAND = 1 };

struct options; /* borrows the strings of argv and the rows */

/* Parses argv[0..argc), from which the program's and verb's names were removed. "--help" and "-h"
 * are known without a row: options_wants_help. STATUS_INVALID names what is wrong and the nearest
 * option there is. */
enum status options_parse(const struct option_row *rows, size_t row_count, unsigned flags, int argc,
                          char **argv, struct options **options, struct error *error);
void options_destroy(struct options *options);
bool options_wants_help(const struct options *options);

/* `name` must be in the table. The last value given, or NULL (`otherwise`). */
bool options_has(const struct options *options, const char *name);
const char *options_text(const struct options *options, const char *name);
uint64_t options_number(const struct options *options, const char *name, uint64_t otherwise);
/* Of a repeatable option: how often, and the i-th value in the order given. */
size_t options_count(const struct options *options, const char *name);
const char *options_text_at(const struct options *options, const char *name, size_t index);
/* Every option given, in the order of the command line: for tables of settings. False after the
 * last. */
bool options_given(const struct options *options, size_t index, const struct option_row **row,
                   const char **value);

size_t options_operand_count(const struct options *options);
const char *options_operand(const struct options *options, size_t index);
/* The operands as an argv with a NULL after the last; owned by the options. */
char **options_operands(const struct options *options);

/* The digits at *text, at most 18 so that the number cannot overflow; moves after them. */
bool number_take(const char **text, uint64_t *number);
/* Is the word one of those in the list "a|b|c", or with another separator? An empty one is not. */
bool word_within(const char *word, const char *words, char separator);

/* "3" or "3-7": two numbers of at most 18 digits, the first not greater. */
bool range_parse(const char *text, uint64_t *first, uint64_t *last);

/* The rows as help, aligned, wrapped at 80 columns. */
void options_print_help(const struct option_row *rows, size_t row_count, struct text *text);

/* Of `words` the one nearest to `word` (for "did you mean"), or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
