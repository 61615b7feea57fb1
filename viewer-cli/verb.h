/* A verb of the `clerk` program: one file (cmd_VERB.c) and one row (verbs.def) each. Help, option
 * parsing and dispatch come from the row. */
#ifndef VIEWER_CLI_VERB_H
#define VIEWER_CLI_VERB_H

#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses of every verb. */
enum verb_status {
    VERB_OK = 0,
    VERB_FOUND = 1,  /* findings, or differences */
    VERB_FAILED = 2, /* could not do it */
};

/* An option that people may look for, and a verb does not have. */
struct absent_option {
    const char *name;
    const char *instead; /* a sentence: what it has */
};

struct verb {
    const char *name;
    const char *synopsis; /* after the name: "TRACE [WHAT] [options]" */
    const char *summary;  /* one line for `clerk --help`, without a full stop */
    const struct option_row *options;
    size_t option_count;
    unsigned option_flags;              /* enum options_flags */
    const struct absent_option *absent; /* ends with a name of NULL; NULL = none */
    const char *help;     /* paragraphs for `clerk VERB --help`, between synopsis and options */
    const char *examples; /* command lines, indented by two, each with what it does or does not */
    /* Returns the exit status. Options were parsed; --help was handled. */
    int (*run)(const struct options *options);
};

#define VERB(symbol) extern const struct verb verb_##symbol;
#include "viewer-cli/verbs.def"
#undef VERB

/* ---- what verbs share ---- */

/* "clerk VERB: SENTENCE" on standard error; returns VERB_FAILED, so that a verb can end with it. */
int verb_fail(const struct verb *verb, struct error *error);
/* The same with a sentence of its own, for wrong usage: adds "(see clerk VERB --help)". */
int verb_usage(const struct verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes to standard output; a failed write (a full disk) becomes a sentence and VERB_FAILED, a
 * closed pipe ends the program silently. Nothing is written any more when a request for memory has
 * failed: it could be half of the truth. Returns false when nothing more can be written. */
bool verb_print(const struct text *text);
/* Flushes standard output: the status to return, `status` itself unless output, or a request for
 * memory, has failed, which is told. */
int verb_finish(const struct verb *verb, int status);

/* Should output on this descriptor be coloured? By --color auto|always|never (NULL = auto) and
 * NO_COLOR. */
bool verb_use_colour(const char *when, int descriptor);

/* A file of clerk's own installation, relative to bin/clerk:
 * verb_own_path("lib/clerk/libclerk_layer.so"). Freed with alloc_free; NULL when memory is out. It
 * need not exist. */
char *verb_own_path(const char *relative);

/* ---- tables for people: cells are collected, columns aligned, then printed ---- */

struct table;
enum table_align { TABLE_LEFT, TABLE_RIGHT };
struct table_column {
    const char *title;
    enum table_align align;
};
struct table *table_create(const struct table_column *columns, size_t column_count);
void table_destroy(struct table *table);
/* Adds the next cell, row by row; copies the string (NULL = empty), made visible on one line. */
void table_cell(struct table *table, const char *string);
void table_cell_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Lines are no wider than this, in characters, if it is not 0: the widest columns of words become
 * narrower, and where that is not enough the last columns are left out. */
void table_limit(struct table *table, size_t width);
/* For a terminal that knows colours. */
void table_embolden_titles(struct table *table);
/* Rows collected. Long lists are printed in pages (table_print, then table_clear), so memory is
 * bounded. */
size_t table_row_count(const struct table *table);
/* Appends the rows to `text`, the title line first when `with_titles`. Columns become no
 * narrower from one page to the next where lines are not cut. False when memory ran out. */
bool table_print(struct table *table, bool with_titles, struct text *text);
void table_clear(struct table *table);

/* "4.0 KiB", "3.2 ms": three digits at most before the unit. */
void print_size(uint64_t bytes, struct text *text);
void print_duration(uint64_t nanoseconds, struct text *text);
/* "1,234,567" */
void print_count(uint64_t count, struct text *text);

/* ---- hindrance.c ---- */

/* Why a program's OpenCL calls may not come to clerk, by what its file is. */

/* Appends a clause in brackets: that the program, found as PATH has it, is statically linked, is
 * for another machine than clerk, or runs with other rights than its user's. False, nothing
 * appended, when nothing of that is known. */
bool hindrance_describe(const char *program, struct text *text);

/* ---- pages.c ---- */

/* What is installed beside the program and comes from its table of verbs: manual pages and the
 * completion of its command line. */

/* clerk(1), or clerk-VERB(1) if a verb is given, as man(7) has it. */
void pages_print_manual(const struct verb *const *verbs, size_t count, struct text *text);
void pages_print_verb_manual(const struct verb *verb, struct text *text);
/* A script for bash: source <(clerk --completion). */
void pages_print_completion(const struct verb *const *verbs, size_t count, struct text *text);

#endif
