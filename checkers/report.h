/* A report collects findings, counts equal ones once, and prints them.
 *
 * Findings with the same finding_key are one entry with a count; the entry is the first of them,
 * with the places that launched its kernel in all of them, and the processes that told them.
 * Entries stand in order of first occurrence. Beyond `max_per_rule` entries of one rule further
 * ones are counted and not kept. Known findings, those that the baseline has, are kept all; they
 * count for nothing, and are told in the forms JSON and SARIF alone. What is printed depends on the
 * findings and their order alone. Adding is safe from any thread; printing takes the same lock. */
#ifndef CHECKERS_REPORT_H
#define CHECKERS_REPORT_H

#include "checkers/baseline.h"
#include "checkers/finding.h"
#include "checkers/suppress.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { REPORT_MAX_PER_RULE = 10 };

struct report;

struct report_options {
    uint64_t max_per_rule;             /* entries kept of each rule; 0 = no limit */
    struct suppressions *suppressions; /* borrowed until report_destroy; NULL = none */
    struct baseline *baseline;         /* the same: what is known already */
    bool strict;                       /* gaps that are warnings are errors */
    bool tells_of_warnings;            /* say that the exit status ignores them */
    bool unfolded;                     /* of text: as finding_print_text_unfolded has it */
};

enum report_added {
    REPORT_ADDED,      /* a new entry, kept */
    REPORT_COUNTED,    /* equal to an entry, or beyond the limit of its rule: counted only */
    REPORT_SUPPRESSED, /* covered by a suppression */
};

/* NULL when memory is out. `options` may be NULL: 10 a rule, no suppressions. */
struct report *report_create(const struct report_options *options);
void report_destroy(struct report *report);

/* Copies what it keeps. When memory is out the finding is still counted, and the printed report
 * says that some could not be kept. */
enum report_added report_add(struct report *report, const struct finding *finding);
/* What was run is run once more, in another order: a finding counts as often as in the order that
 * has it most. */
void report_begin_turn(struct report *report);

/* From now on every form says which processes told a finding. JSON always does. */
void report_show_processes(struct report *report);

/* So many findings of the rule are in another report, which does not have them: they count as those
 * beyond the limit. */
void report_add_not_shown(struct report *report, enum rule_index rule, uint64_t count);

/* What was not checked, and why, in a sentence: a run that was observed in part must not be taken
 * for a clean one. Every form of the report says it. `severity`: an error where the exit status of
 * the run tells of it too; a note leaves standing that there are no findings in what was checked.
 * Sentences that are equal are one. */
struct report_gap {
    const char *sentence;
    enum severity severity;
    /* What report_each_gap tells of the limit: so many findings of the rule are left out. */
    uint64_t not_shown;
    const char *rule;
};
void report_add_gap(struct report *report, const struct report_gap *gap);
/* Is there one of that severity, or more? */
bool report_has_gap(struct report *report, enum severity at_least);

/* The report is of the index-th of so many parts of some work: the form JSON says so at its end, in
 * the line of finding_print_shard. */
void report_set_shard(struct report *report, uint32_t index, uint32_t count);

/* Distinct findings of a severity, those beyond the limit included, suppressed and known ones not.
 */
uint64_t report_count(struct report *report, enum severity severity);
/* No finding at all, of any severity (suppressed and known ones do not count). */
bool report_is_empty(struct report *report);

/* Calls `visit` for each kept entry, in order, with its count filled in; stops when it returns
 * false. It must not call the report. The strings of the finding live as long
 * as the report. */
typedef bool report_visit(void *user, const struct finding *finding);
void report_each(struct report *report, report_visit *visit, void *user);
/* The same without those that are known. */
void report_each_new(struct report *report, report_visit *visit, void *user);

/* The same for the gaps, and after them what the limit left out. */
typedef void report_visit_gap(void *user, const struct report_gap *gap);
void report_each_gap(struct report *report, report_visit_gap *visit, void *user);

/* The forms of a report. */
enum report_format {
    REPORT_TEXT,   /* for people: report_print_text */
    REPORT_JSON,   /* one object a line: report_print_json */
    REPORT_SARIF,  /* SARIF 2.1.0 (OASIS): one run, each finding a result with its places */
    REPORT_JUNIT,  /* JUnit XML, as Jenkins and Ant do: each finding a test case */
    REPORT_GITHUB, /* workflow commands of GitHub Actions: each finding an annotation */
    REPORT_GCC,    /* lines as GCC has them: each finding an error, its other places notes */
    REPORT_FORMAT_COUNT
};

/* By name ("sarif") or by the extension of a file (".sarif"); REPORT_FORMAT_COUNT = none such. A
 * file with no extension that is known is a text. */
enum report_format report_format_named(const char *name);
enum report_format report_format_of_path(const char *path);

struct report_style {
    enum report_format format;
    bool color;               /* of text: use terminal escapes */
    size_t width;             /* of text: as finding_print_text has it */
    enum severity fails_from; /* of JUnit: findings from this severity on are failures */
    time_t begin_time;        /* of JUnit: when what is reported on began */
    const char *root;         /* not of text and JSON: files below this directory are named relative
                                 to it; NULL = as they are */
    const char *program;      /* of SARIF, github and gcc: the file for findings that have no other;
                                 NULL = none */
    const char *directory;    /* which relative names of files start from */
    const char *rules_uri;    /* of SARIF: where docs/RULES.md can be read; NULL = nowhere */
    bool has_baseline;        /* of SARIF: tell which results are new */
};
void report_print(struct report *report, const struct report_style *style, struct text *text);

/* A suppression line (checkers/suppress.h) for each finding, its message as a comment above. */
void report_print_suppressions(struct report *report, struct text *text);

/* For people: each finding as finding_print_text writes it, a blank line between, "... and N more
 * not shown" where a limit cut, and the summary line and what was not checked at the end. */
void report_print_text(struct report *report, bool color, size_t width, struct text *text);
/* One JSON object a line, as finding_print_json and finding_print_unchecked write it; nothing else.
 */
void report_print_json(struct report *report, struct text *text);
/* "clerk: 2 errors, 1 warning\n", with tells_of_warnings what ignores the warning, or "clerk: no
 * findings\n"; and each gap. Where something was not checked, it is not said that there are no
 * findings. */
void report_print_summary(struct report *report, bool color, struct text *text);

#endif
