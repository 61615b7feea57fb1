/* The forms of a report that other programs read, one file each. */
#ifndef CHECKERS_REPORT_FORMS_H
#define CHECKERS_REPORT_FORMS_H

#include "checkers/report.h"

void report_print_sarif(struct report *report, const struct report_style *style, struct text *text);
void report_print_junit(struct report *report, const struct report_style *style, struct text *text);
void report_print_github(struct report *report, const struct report_style *style,
                         struct text *text);
void report_print_gcc(struct report *report, const struct report_style *style, struct text *text);

/* ---- what they share (report_words.c) ---- */

/* The file of a place as other programs want it: below style->root relative to it, else as it
 * is. NULL if it names no file, as "<source>" does. In `arena`. */
const char *report_file(const struct report_style *style, const struct finding_place *place,
                        struct arena *arena);

/* A spot in a file that a reader can be sent to. */
struct report_spot {
    const char *file;   /* as report_file has it */
    uint32_t line;      /* 0 = unknown */
    uint32_t column;    /* the same */
    const char *source; /* the text of the line; NULL = unknown */
};
/* That of a place: of a call the program's own line that made it. False if it has none. */
bool report_place_spot(const struct report_style *style, const struct finding_place *place,
                       struct arena *arena, struct report_spot *spot);
/* That of a finding: of the first place that has one. Where none has, line 1 of style->program.
 * False if that is not known either. */
bool report_finding_spot(const struct report_style *style, const struct finding *finding,
                         struct arena *arena, struct report_spot *spot);

/* Strings that were printed, so that each is told from the others: how often was it there before?
 * NULL is none. In `arena`; without memory the answer is 0. */
struct report_repeats;
uint64_t report_repeat(struct report_repeats **repeats, const char *string, struct arena *arena);
void report_repeats_release(struct report_repeats **repeats);

/* The sentences of a finding after one another: what is the case, why it is certain, what to do,
 * and which processes told it. */
void report_append_sentences(const struct finding *finding, struct text *text);

#endif
