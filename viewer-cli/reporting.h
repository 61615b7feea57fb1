/* What every verb that finds things shares: the options about findings (reporting_options.def), the
 * report that collects them, and how it is printed, written and judged. */
#ifndef VIEWER_CLI_REPORTING_H
#define VIEWER_CLI_REPORTING_H

#include "checkers/report.h"
#include "viewer-cli/verb.h"

#include <stdio.h>

/* The form that --format and --json ask for. */
enum report_format reporting_format(const struct options *options);
/* Does --stack ask for all frames of host stacks? */
bool reporting_is_unfolded(const struct options *options);

struct reporting {
    const struct options *options;
    struct report *report;
    struct suppressions *suppressions;
    struct baseline *baseline;
    struct report_style style;
    char *directory, *root, *program;
    char printed_last; /* by a kernel */
};

/* Reads the options: the report is then ready to collect. reporting_close also after a failure. */
enum status reporting_open(const struct options *options, struct reporting *reporting,
                           struct error *error);
void reporting_close(struct reporting *reporting);

/* Says what was not checked; a NULL sentence (memory is out) is passed over. */
void reporting_add_gap(const struct reporting *reporting, enum severity severity,
                       const char *sentence);
/* Says so where the CHECKS setting `list` leaves no rule about calls, and none about kernels either
 * if these are checked. */
void reporting_note_checks(const struct reporting *reporting, const char *list, bool with_kernels);

/* Does the report go into one document or a list of its own, so that nothing else may stand beside
 * it? */
bool reporting_is_for_programs(const struct reporting *reporting);
/* Appends the report in the form asked for; colours as the descriptor suits. */
void reporting_print(const struct reporting *reporting, int descriptor, struct text *text);
/* Writes the files asked for. */
enum status reporting_write(const struct reporting *reporting, struct error *error);
/* What a kernel prints: made visible, and in no form a command to whoever reads the report. */
void reporting_print_output(struct reporting *reporting, FILE *stream, const char *bytes,
                            size_t size);
/* Was there a finding that the exit status tells? */
bool reporting_fails(const struct reporting *reporting);
/* VERB_FOUND where there was; else VERB_FAILED where the report is incomplete. */
enum verb_status reporting_verdict(const struct reporting *reporting);

#endif
