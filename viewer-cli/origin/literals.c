#include "viewer-cli/origin/literals.h"

#include "trace/base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
    const char *at, *end;
    const char *line_begin;
    uint32_t line;
    bool is_python;
    struct literal_piece piece; /* what was read of neighbours so far */
    bool has_string;            /* there is one */
    size_t least;
    literal_visit *visit;
    void *user;
};

/* ---- pieces ---- */

static void clear_piece(struct literal_piece *piece)
{
    text_clear(&piece->text);
    piece->count = 0;
}

static void release_piece(struct literal_piece *piece)
{
    text_release(&piece->text);
    alloc_free(piece->runs);
}

/* The next byte of the piece stands at that place. */
static void begin_run(struct literal_piece *piece, uint32_t line, size_t column)
{
    if (piece->count && piece->runs[piece->count - 1].at == piece->text.size)
        --piece->count;
    struct literal_run *runs =
        alloc_grow(piece->runs, piece->count, &piece->capacity, sizeof *piece->runs);
    if (!runs) {
        piece->failed = true;
        return;
    }
    piece->runs = runs;
    runs[piece->count++] =
        (struct literal_run){.at = piece->text.size, .line = line, .column = (uint32_t)column};
}

void literals_whole(const char *bytes, size_t size, literal_visit *visit, void *user)
{
    struct literal_piece piece = {.text = TEXT_INIT};
    const char *at = bytes;
    const char *const end = bytes + size;
    for (uint32_t line = 1; at < end; ++line) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        begin_run(&piece, line, 1);
        text_append_n(&piece.text, at, (size_t)(next - at));
        at = next;
    }
    if (!piece.failed && !piece.text.failed && piece.count)
        visit(user, &piece);
    release_piece(&piece);
}

/* ---- bytes of the file ---- */

static bool ahead(const struct scanner *scanner, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(scanner->end - scanner->at) >= length && memcmp(scanner->at, word, length) == 0;
}

static void step(struct scanner *scanner)
{
    if (*scanner->at++ == '\n') {
        ++scanner->line;
        scanner->line_begin = scanner->at;
    }
}

static void step_to(struct scanner *scanner, const char *where)
{
    while (scanner->at < where)
        step(scanner);
}

static void mark(struct scanner *scanner)
{
    begin_run(&scanner->piece, scanner->line, (size_t)(scanner->at - scanner->line_begin) + 1);
}

/* The byte is part of the string as it stands. */
static void take(struct scanner *scanner)
{
    const bool ends_line = *scanner->at == '\n';
    text_append_char(&scanner->piece.text, *scanner->at);
    step(scanner);
    if (ends_line)
        mark(scanner);
}

/* ---- strings ---- */

static void take_number(struct scanner *scanner, int base, int digits_max)
{
    unsigned value = 0;
    for (int i = 0; i < digits_max && scanner->at < scanner->end; ++i) {
        const unsigned char digit = (unsigned char)*scanner->at;
        if (base == 16 ? !isxdigit(digit) : digit < '0' || digit > '7')
            break;
        value = value * (unsigned)base +
                (isdigit(digit) ? (unsigned)digit - '0' : ((unsigned)tolower(digit) - 'a') + 10);
        ++scanner->at;
    }
    text_append_char(&scanner->piece.text, (char)value);
}

/* At the backslash. An escape that both languages do not know alike stands for itself. */
static void take_escape(struct scanner *scanner)
{
    static const char names[] = "abfnrtv\\'\"?";
    static const char values[] = "\a\b\f\n\r\t\v\\'\"?";
    ++scanner->at;
    if (scanner->at == scanner->end)
        return;
    const char *name = *scanner->at ? strchr(names, *scanner->at) : NULL;
    if (*scanner->at == '\n') {
        step(scanner);
    } else if (name) {
        text_append_char(&scanner->piece.text, values[name - names]);
        ++scanner->at;
    } else if (*scanner->at == 'x') {
        ++scanner->at;
        take_number(scanner, 16, 2);
    } else if (*scanner->at >= '0' && *scanner->at <= '7') {
        take_number(scanner, 8, 3);
    } else {
        text_append_char(&scanner->piece.text, '\\');
    }
    mark(scanner);
}

/* At the first byte after the opening quotes. A string that is still open at the end of its line is
 * not read. */
static void read_string(struct scanner *scanner, const char *quotes, bool is_raw)
{
    const bool is_long = strlen(quotes) == 3;
    mark(scanner);
    while (scanner->at < scanner->end && !ahead(scanner, quotes)) {
        if (*scanner->at == '\n' && !is_long)
            return;
        if (*scanner->at == '\\' && !is_raw) {
            take_escape(scanner);
            continue;
        }
        if (*scanner->at == '\\' && scanner->at + 1 < scanner->end)
            take(scanner); /* of Python's raw strings: the quote behind it ends nothing */
        take(scanner);
    }
    if (scanner->at < scanner->end)
        scanner->at += strlen(quotes);
}

/* R"delimiter( ... )delimiter", at the quote. */
static void read_raw(struct scanner *scanner)
{
    enum { DELIMITER_MAX = 16 };
    char closing[DELIMITER_MAX + 3] = ")";
    size_t length = 1;
    ++scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '(' && length <= DELIMITER_MAX)
        closing[length++] = *scanner->at++;
    if (scanner->at == scanner->end || *scanner->at != '(')
        return;
    closing[length] = '"';
    ++scanner->at;
    mark(scanner);
    while (scanner->at < scanner->end && !ahead(scanner, closing))
        take(scanner);
    if (scanner->at < scanner->end)
        scanner->at += strlen(closing);
}

static void end_piece(struct scanner *scanner)
{
    struct literal_piece *piece = &scanner->piece;
    if (scanner->has_string && piece->text.size >= scanner->least && !piece->failed &&
        !piece->text.failed)
        scanner->visit(scanner->user, piece);
    if (scanner->has_string)
        clear_piece(piece);
    scanner->has_string = false;
}

/* ---- what stands between ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void skip_to(struct scanner *scanner, const char *word)
{
    const char *found =
        memmem(scanner->at, (size_t)(scanner->end - scanner->at), word, strlen(word));
    step_to(scanner, found ? found : scanner->end);
}

/* Comments and blanks, between which strings are neighbours. False when there are none. */
static bool skip_blank(struct scanner *scanner)
{
    if (isspace((unsigned char)*scanner->at) || ahead(scanner, "\\\n")) {
        step(scanner);
        return true;
    }
    if (scanner->is_python ? *scanner->at == '#' : ahead(scanner, "//")) {
        skip_to(scanner, "\n");
        return true;
    }
    if (scanner->is_python || !ahead(scanner, "/*"))
        return false;
    scanner->at += 2;
    skip_to(scanner, "*/");
    step_to(scanner, scanner->end - scanner->at > 2 ? scanner->at + 2 : scanner->end);
    return true;
}

/* A name, a number with its ticks, or the prefix of a string. */
static void read_word(struct scanner *scanner)
{
    const char *begin = scanner->at;
    while (scanner->at < scanner->end &&
           (is_word(*scanner->at) ||
            (*scanner->at == '\'' && !scanner->is_python && isdigit((unsigned char)*begin))))
        ++scanner->at;
    const size_t length = (size_t)(scanner->at - begin);
    const bool before_quote = scanner->at < scanner->end &&
                              (*scanner->at == '"' || (scanner->is_python && *scanner->at == '\''));
    const bool is_prefix =
        before_quote && length <= 3 && *begin != '\0' && strchr("rRuULbBfF", *begin);
    const bool is_raw = memchr(begin, 'R', length) || memchr(begin, 'r', length);
    if (!is_prefix) {
        end_piece(scanner);
        return;
    }
    scanner->has_string = true;
    if (is_raw && !scanner->is_python) {
        read_raw(scanner);
        return;
    }
    char quotes[4] = {*scanner->at, *scanner->at, *scanner->at};
    if (!scanner->is_python || !ahead(scanner, quotes))
        quotes[1] = 0;
    scanner->at += strlen(quotes);
    read_string(scanner, quotes, is_raw);
}

static void read_quoted(struct scanner *scanner)
{
    const char quote = *scanner->at;
    char quotes[4] = {quote, quote, quote};
    const bool is_character = quote == '\'' && !scanner->is_python;
    if (is_character)
        end_piece(scanner);
    if (!scanner->is_python || !ahead(scanner, quotes))
        quotes[1] = 0;
    scanner->at += strlen(quotes);
    read_string(scanner, quotes, false);
    if (is_character)
        clear_piece(&scanner->piece);
    else
        scanner->has_string = true;
}

void literals_each(const char *bytes, size_t size, bool is_python, size_t least,
                   literal_visit *visit, void *user)
{
    struct scanner scanner = {.at = bytes,
                              .end = bytes + size,
                              .line_begin = bytes,
                              .line = 1,
                              .is_python = is_python,
                              .piece = {.text = TEXT_INIT, .is_literal = true},
                              .least = least,
                              .visit = visit,
                              .user = user};
    literals_whole(bytes, size, visit, user);
    while (scanner.at < scanner.end) {
        if (skip_blank(&scanner))
            continue;
        if (*scanner.at == '"' || *scanner.at == '\'') {
            read_quoted(&scanner);
        } else if (is_word(*scanner.at)) {
            read_word(&scanner);
        } else {
            end_piece(&scanner);
            ++scanner.at;
        }
    }
    end_piece(&scanner);
    release_piece(&scanner.piece);
}
