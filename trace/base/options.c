#include "trace/base/options.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct given {
    const struct option_row *row;
    const char *value; /* NULL for a flag */
};

struct options {
    const struct option_row *rows;
    size_t row_count;
    struct given *given;
    size_t given_count;
    char **operands; /* with a NULL after the last */
    size_t operand_count;
    bool wants_help;
};

/* ---- nearest word ---- */

/* Optimal string alignment distance (a swap of neighbours counts one), two words of at most 63
 * bytes. */
static unsigned edit_distance(const char *a, const char *b)
{
    enum { LENGTH = 64 };
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    if (a_size >= LENGTH || b_size >= LENGTH)
        return UINT_MAX;
    unsigned rows[3][LENGTH];
    unsigned *before = rows[0];
    unsigned *last = rows[1];
    unsigned *next = rows[2];
    for (size_t j = 0; j <= b_size; ++j)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; ++i) {
        next[0] = (unsigned)i;
        for (size_t j = 1; j <= b_size; ++j) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (next[j - 1] + 1 < best)
                best = next[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            next[j] = best;
        }
        unsigned *const oldest = before;
        before = last;
        last = next;
        next = oldest;
    }
    return last[b_size];
}

bool number_take(const char **text, uint64_t *number)
{
    const size_t length = strspn(*text, "0123456789");
    if (length == 0 || length > 18)
        return false;
    *number = strtoull(*text, NULL, 10);
    *text += length;
    return true;
}

bool word_within(const char *word, const char *words, char separator)
{
    const char ends[] = {separator, 0};
    const size_t length = strlen(word);
    while (*words) {
        const size_t size = strcspn(words, ends);
        if (size > 0 && size == length && memcmp(words, word, size) == 0)
            return true;
        words += size;
        words += *words == separator;
    }
    return false;
}

bool range_parse(const char *text, uint64_t *first, uint64_t *last)
{
    uint64_t numbers[2];
    if (!number_take(&text, &numbers[0]))
        return false;
    numbers[1] = numbers[0];
    if (*text == '-') {
        ++text;
        if (!number_take(&text, &numbers[1]))
            return false;
    }
    if (*text || numbers[0] > numbers[1])
        return false;
    *first = numbers[0];
    *last = numbers[1];
    return true;
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    /* A third of the word may differ; beyond that a guess annoys. */
    unsigned best_distance = (unsigned)(strlen(word) / 3) + 1;
    for (size_t i = 0; i < count; ++i) {
        const unsigned distance = edit_distance(word, words[i]);
        if (distance < best_distance || (distance == best_distance && !best)) {
            best = words[i];
            best_distance = distance;
        }
    }
    return best;
}

/* ---- parsing ---- */

static const struct option_row *row_find(const struct options *options, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < options->row_count; ++i) {
        const struct option_row *row = &options->rows[i];
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

static const struct option_row *row_get(const struct options *options, const char *name)
{
    const struct option_row *row = row_find(options, name, strlen(name));
    ASSERT(row);
    return row;
}

static enum status unknown_option(const struct options *options, const char *name, size_t length,
                                  struct error *error)
{
    const char *near = NULL;
    char *word = alloc_format("%.*s", (int)length, name);
    const char **names = alloc_zero(options->row_count + 1, sizeof *names);
    if (word && names) {
        for (size_t i = 0; i < options->row_count; ++i)
            names[i] = options->rows[i].name;
        names[options->row_count] = "help";
        near = nearest_word(word, names, options->row_count + 1);
    }
    alloc_free(names);
    alloc_free(word);
    if (near)
        return error_set(error, STATUS_INVALID, "unknown option '--%.*s'; did you mean '--%s'?",
                         (int)length, name, near);
    return error_set(error, STATUS_INVALID, "unknown option '--%.*s'", (int)length, name);
}

static bool number_parse(const char *value, uint64_t *number)
{
    if (*value < '0' || *value > '9')
        return false;
    char *end;
    errno = 0;
    const unsigned long long parsed =
        strtoull(value, &end, value[0] == '0' && (value[1] | 32) == 'x' ? 16 : 10);
    if (errno || *end || parsed > INT64_MAX)
        return false;
    *number = parsed;
    return true;
}

static enum status give(struct options *options, const struct option_row *row, const char *value,
                        struct error *error)
{
    uint64_t number;
    if (row->kind == OPTION_WORD && !word_within(value, row->value, '|'))
        return error_set(error, STATUS_INVALID, "--%s must be one of %s, not '%s'", row->name,
                         row->value, value);
    if (row->kind == OPTION_NUMBER && !number_parse(value, &number))
        return error_set(error, STATUS_INVALID, "--%s needs a number, not '%s'", row->name, value);
    options->given[options->given_count++] = (struct given){.row = row, .value = value};
    return STATUS_OK;
}

/* argv[*index] starts with "--" and has more after it. */
static enum status parse_long(struct options *options, int argc, char **argv, int *index,
                              struct error *error)
{
    const char *name = argv[*index] + 2;
    const size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    if (length == 4 && memcmp(name, "help", 4) == 0 && !value) {
        options->wants_help = true;
        return STATUS_OK;
    }
    const struct option_row *row = row_find(options, name, length);
    if (!row)
        return unknown_option(options, name, length, error);
    if (row->kind == OPTION_FLAG) {
        if (value)
            return error_set(error, STATUS_INVALID, "--%s takes no value ('%s')", row->name, value);
    } else if (!value) {
        if (*index + 1 >= argc)
            return error_set(error, STATUS_INVALID, "--%s needs a value: %s", row->name,
                             row->value);
        value = argv[++*index];
    }
    return give(options, row, value, error);
}

/* argv[*index] is "-x..."; several flags may share one dash. */
static enum status parse_short(struct options *options, int argc, char **argv, int *index,
                               struct error *error)
{
    for (const char *letter = argv[*index] + 1; *letter; ++letter) {
        const struct option_row *row = NULL;
        for (size_t i = 0; i < options->row_count && !row; ++i)
            if (options->rows[i].letter == *letter)
                row = &options->rows[i];
        if (!row && *letter == 'h') {
            options->wants_help = true;
            continue;
        }
        if (!row)
            return error_set(error, STATUS_INVALID, "unknown option '-%c'", *letter);
        if (row->kind != OPTION_FLAG) {
            if (!letter[1] && *index + 1 >= argc)
                return error_set(error, STATUS_INVALID, "-%c needs a value: %s", *letter,
                                 row->value);
            return give(options, row, letter[1] ? letter + 1 : argv[++*index], error);
        }
        const enum status status = give(options, row, NULL, error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

enum status options_parse(const struct option_row *rows, size_t row_count, unsigned flags, int argc,
                          char **argv, struct options **options, struct error *error)
{
    enum status status = STATUS_OK;
    /* Each word gives one option at most, but for flags that share a dash. */
    size_t given_max = 0;
    for (int i = 0; i < argc; ++i)
        given_max += argv[i][0] == '-' && argv[i][1] != '-' ? strlen(argv[i]) : 1;
    struct options *made = alloc_zero(1, sizeof *made);
    if (made) {
        made->given = alloc_zero(given_max, sizeof *made->given);
        made->operands = alloc_zero((size_t)argc + 1, sizeof *made->operands);
    }
    if (!made || !made->given || !made->operands) {
        status = error_no_memory(error, given_max * sizeof *made->given);
        goto out;
    }
    made->rows = rows;
    made->row_count = row_count;
    bool only_operands = false;
    for (int i = 0; i < argc; ++i) {
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            made->operands[made->operand_count++] = argv[i];
            only_operands |= (flags & OPTIONS_STOP_AT_OPERAND) != 0;
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (argv[i][1] == '-') {
            status = parse_long(made, argc, argv, &i, error);
        } else {
            status = parse_short(made, argc, argv, &i, error);
        }
        if (status)
            goto out;
    }
    *options = made;
    made = NULL;
out:
    options_destroy(made);
    return status;
}

void options_destroy(struct options *options)
{
    if (!options)
        return;
    alloc_free(options->given);
    alloc_free(options->operands);
    alloc_free(options);
}

/* ---- answers ---- */

bool options_wants_help(const struct options *options)
{
    return options->wants_help;
}

bool options_has(const struct options *options, const char *name)
{
    return options_count(options, name) != 0;
}

size_t options_count(const struct options *options, const char *name)
{
    const struct option_row *row = row_get(options, name);
    size_t count = 0;
    for (size_t i = 0; i < options->given_count; ++i)
        count += options->given[i].row == row;
    return count;
}

const char *options_text(const struct options *options, const char *name)
{
    const size_t count = options_count(options, name);
    return count ? options_text_at(options, name, count - 1) : NULL;
}

uint64_t options_number(const struct options *options, const char *name, uint64_t otherwise)
{
    const char *value = options_text(options, name);
    uint64_t number = otherwise;
    if (value)
        number_parse(value, &number);
    return number;
}

const char *options_text_at(const struct options *options, const char *name, size_t index)
{
    const struct option_row *row = row_get(options, name);
    for (size_t i = 0; i < options->given_count; ++i)
        if (options->given[i].row == row && index-- == 0)
            return options->given[i].value;
    return NULL;
}

bool options_given(const struct options *options, size_t index, const struct option_row **row,
                   const char **value)
{
    if (index >= options->given_count)
        return false;
    *row = options->given[index].row;
    *value = options->given[index].value;
    return true;
}

size_t options_operand_count(const struct options *options)
{
    return options->operand_count;
}

const char *options_operand(const struct options *options, size_t index)
{
    return index < options->operand_count ? options->operands[index] : NULL;
}

char **options_operands(const struct options *options)
{
    return options->operands;
}

/* ---- help ---- */

enum { HELP_WIDTH = 80, HELP_LEFT_MAX = 30 };

static void row_print_left(const struct option_row *row, struct text *text)
{
    if (row->letter)
        text_format(text, "  -%c, --%s", row->letter, row->name);
    else
        text_format(text, "      --%s", row->name);
    if (row->kind != OPTION_FLAG)
        text_format(text, " %s", row->value);
}

static void pad_to(struct text *text, size_t line_start, size_t column)
{
    while (!text->failed && text->size - line_start < column)
        text_append_char(text, ' ');
}

/* Words of `help` from `column` on, wrapped. */
static void print_wrapped(struct text *text, size_t line_start, size_t column, const char *help)
{
    bool first = true;
    while (*help) {
        const size_t length = strcspn(help, " ");
        if (!first && text->size - line_start + 1 + length > HELP_WIDTH) {
            text_append_char(text, '\n');
            line_start = text->size;
            pad_to(text, line_start, column);
        } else if (!first) {
            text_append_char(text, ' ');
        }
        first = false;
        text_append_n(text, help, length);
        help += length;
        help += strspn(help, " ");
    }
    text_append_char(text, '\n');
}

void options_print_help(const struct option_row *rows, size_t row_count, struct text *text)
{
    static const struct option_row help = {
        .name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "print this help"};
    size_t column = 0;
    struct text left = TEXT_INIT;
    for (size_t i = 0; i < row_count; ++i) {
        text_clear(&left);
        row_print_left(&rows[i], &left);
        if (left.size > column && left.size <= HELP_LEFT_MAX)
            column = left.size;
    }
    text_release(&left);
    column += 2;
    if (column < 14)
        column = 14;
    for (size_t i = 0; i <= row_count; ++i) {
        const struct option_row *row = i < row_count ? &rows[i] : &help;
        size_t line_start = text->size;
        row_print_left(row, text);
        if (text->size - line_start + 2 > column) {
            text_append_char(text, '\n');
            line_start = text->size;
        }
        pad_to(text, line_start, column);
        print_wrapped(text, line_start, column, row->help);
    }
}
