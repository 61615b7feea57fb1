/* The forms of a report that other programs read, one file each. */
#ifndef CHECKERS_REPORT_FORMS_H
#define CHECKERS_REPORT_FORMS_H

#include "checkers/report.h"

void report_print_sarif(struct report *report, const struct report_style *style, struct text *text);
void report_print_junit(struct report *report, const struct report_style *style, struct text *text);
void report_print_github(struct report *report, const struct report_style *style,
                         struct text *text);

/* ---- what they share (report_words.c) ---- */

/* The file of a place as other programs want it: below style->root relative to it, else as it
 * is. NULL if it names no file, as "<source>" does. In `arena`. */
const char *report_file(const struct report_style *style, const struct finding_place *place,
                        struct arena *arena);
/* The sentences of a finding after one another: what is the case, why it is certain, what to do.
 */
void report_append_sentences(const struct finding *finding, struct text *text);

#endif
