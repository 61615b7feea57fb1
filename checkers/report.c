#include "checkers/report.h"

#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "trace/base/hash.h"

/* One distinct finding; beyond the limit of its rule the key alone is kept. Entries live in the
 * report's arena. uthash keeps them in the order of insertion, which is the order of first
 * occurrence. */
struct entry {
    uint64_t key;
    struct finding *finding; /* NULL beyond the limit */
    unsigned turn;           /* the last one that had it, */
    uint64_t in_turn;        /* and how often */
    UT_hash_handle hh;
};

struct gap {
    struct report_gap told;
    struct gap *next;
};

struct report {
    uint64_t max_per_rule; /* 0 = no limit */
    pthread_mutex_t lock;  /* guards what follows */
    struct suppressions *suppressions;
    struct arena arena;
    struct entry *entries;
    unsigned turn;                 /* of report_begin_turn */
    struct gap *gaps;              /* in the order in which they came */
    uint64_t distinct[RULE_COUNT]; /* findings of each rule, kept or not */
    uint64_t kept[RULE_COUNT];
    struct entry *suppressed_keys; /* without findings */
    uint64_t suppressed;
    uint64_t known;
    struct baseline *baseline;
    bool strict, tells_of_warnings;
    bool unfolded;
    bool shows_processes;
    uint32_t shard, shard_count; /* 0 = it is of the whole */
    uint64_t lost;               /* because memory ran out */
};

struct report *report_create(const struct report_options *options)
{
    struct report *report = alloc_zero(1, sizeof *report);
    if (!report)
        return NULL;
    report->max_per_rule = options ? options->max_per_rule : REPORT_MAX_PER_RULE;
    report->suppressions = options ? options->suppressions : NULL;
    report->baseline = options ? options->baseline : NULL;
    report->strict = options && options->strict;
    report->tells_of_warnings = options && options->tells_of_warnings;
    report->unfolded = options && options->unfolded;
    pthread_mutex_init(&report->lock, NULL);
    return report;
}

void report_destroy(struct report *report)
{
    if (!report)
        return;
    HASH_CLEAR(hh, report->entries);
    HASH_CLEAR(hh, report->suppressed_keys);
    arena_release(&report->arena);
    pthread_mutex_destroy(&report->lock);
    alloc_free(report);
}

/* ---- adding ---- */

static bool keeps_more(const struct report *report, enum rule_index rule)
{
    return report->max_per_rule == 0 || report->kept[rule] < report->max_per_rule;
}

/* Makes the entry of a finding not seen before. When memory is out the finding counts as lost. */
static enum report_added add_entry(struct report *report, uint64_t key,
                                   const struct finding *finding)
{
    struct entry *entry = arena_alloc(&report->arena, 1, sizeof *entry);
    struct finding *copy = NULL;
    const bool is_known = finding->is_known || baseline_take(report->baseline, finding);
    const bool keep = is_known || keeps_more(report, finding->rule);
    ++*(is_known ? &report->known : &report->distinct[finding->rule]);
    if (entry && keep)
        copy = finding_copy(&report->arena, finding);
    if (!entry || (keep && !copy)) {
        ++report->lost;
        return REPORT_COUNTED;
    }
    entry->key = key;
    entry->finding = copy;
    entry->turn = report->turn;
    entry->in_turn = finding->count;
    HASH_ADD(hh, report->entries, key, sizeof entry->key, entry);
    if (!entry->hh.tbl) {
        ++report->lost;
        return REPORT_COUNTED;
    }
    if (!copy)
        return REPORT_COUNTED;
    copy->is_known = is_known;
    if (!is_known)
        ++report->kept[finding->rule];
    return REPORT_ADDED;
}

/* Without memory it counts each time. */
static void count_suppressed(struct report *report, uint64_t key)
{
    struct entry *entry = NULL;
    HASH_FIND(hh, report->suppressed_keys, &key, sizeof key, entry);
    if (entry)
        return;
    ++report->suppressed;
    entry = arena_alloc(&report->arena, 1, sizeof *entry);
    if (!entry)
        return;
    *entry = (struct entry){.key = key};
    HASH_ADD(hh, report->suppressed_keys, key, sizeof entry->key, entry);
}

/* Of two reports one knew it, and the other, whose baseline is another or none, did not. */
static void become_new(struct report *report, struct finding *known)
{
    known->is_known = false;
    --report->known;
    ++report->distinct[known->rule];
    ++report->kept[known->rule];
}

static void count_again(struct report *report, struct entry *entry, const struct finding *finding)
{
    struct finding *known = entry->finding;
    entry->in_turn = entry->turn == report->turn ? entry->in_turn + finding->count : finding->count;
    entry->turn = report->turn;
    known->count = entry->in_turn > known->count ? entry->in_turn : known->count;
    if (!finding_add_launches(known, finding, &report->arena) ||
        !finding_add_processes(known, finding, &report->arena))
        ++report->lost;
    if (known->is_known && !finding->is_known && !report->baseline)
        become_new(report, known);
    if (known->heat.size == finding->heat.size)
        for (size_t i = 0; i < FINDING_HEAT_PARTS; ++i)
            known->heat.parts[i] += finding->heat.parts[i];
}

enum report_added report_add(struct report *report, const struct finding *finding)
{
    enum report_added added = REPORT_COUNTED;
    const uint64_t key = finding_key(finding);
    pthread_mutex_lock(&report->lock);
    if (suppressions_match(report->suppressions, finding)) {
        count_suppressed(report, key);
        added = REPORT_SUPPRESSED;
        goto out;
    }
    struct entry *entry;
    HASH_FIND(hh, report->entries, &key, sizeof key, entry);
    if (!entry)
        added = add_entry(report, key, finding);
    else if (entry->finding)
        count_again(report, entry, finding);
out:
    pthread_mutex_unlock(&report->lock);
    return added;
}

void report_begin_turn(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    ++report->turn;
    pthread_mutex_unlock(&report->lock);
}

void report_add_not_shown(struct report *report, enum rule_index rule, uint64_t count)
{
    pthread_mutex_lock(&report->lock);
    report->distinct[rule] += count;
    pthread_mutex_unlock(&report->lock);
}

void report_add_gap(struct report *report, const struct report_gap *gap)
{
    pthread_mutex_lock(&report->lock);
    struct gap **end = &report->gaps;
    while (*end && strcmp((*end)->told.sentence, gap->sentence) != 0)
        end = &(*end)->next;
    if (!*end) {
        struct gap *added = arena_alloc(&report->arena, 1, sizeof *added);
        const char *sentence = arena_string(&report->arena, gap->sentence);
        if (added && sentence) {
            *added = (struct gap){
                .told = {.sentence = sentence,
                         .severity = report->strict && gap->severity == SEVERITY_WARNING
                                         ? SEVERITY_ERROR
                                         : gap->severity}};
            *end = added;
        } else {
            ++report->lost;
        }
    }
    pthread_mutex_unlock(&report->lock);
}

/* ---- asking ---- */

static bool has_gap(const struct report *report, enum severity at_least)
{
    const struct gap *gap = report->gaps;
    while (gap && gap->told.severity < at_least)
        gap = gap->next;
    return gap != NULL || report->lost > 0;
}

bool report_has_gap(struct report *report, enum severity at_least)
{
    pthread_mutex_lock(&report->lock);
    const bool has = has_gap(report, at_least);
    pthread_mutex_unlock(&report->lock);
    return has;
}

static uint64_t count_severity(const struct report *report, enum severity severity)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        if (rule_get((enum rule_index)i)->severity == severity)
            count += report->distinct[i];
    return count;
}

uint64_t report_count(struct report *report, enum severity severity)
{
    pthread_mutex_lock(&report->lock);
    const uint64_t count = count_severity(report, severity);
    pthread_mutex_unlock(&report->lock);
    return count;
}

bool report_is_empty(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    bool empty = true;
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        empty = empty && report->distinct[i] == 0;
    pthread_mutex_unlock(&report->lock);
    return empty;
}

void report_show_processes(struct report *report)
{
    pthread_mutex_lock(&report->lock);
    report->shows_processes = true;
    pthread_mutex_unlock(&report->lock);
}

void report_set_shard(struct report *report, uint32_t index, uint32_t count)
{
    pthread_mutex_lock(&report->lock);
    report->shard = index;
    report->shard_count = count;
    pthread_mutex_unlock(&report->lock);
}

static void each(struct report *report, bool with_known, report_visit *visit, void *user)
{
    pthread_mutex_lock(&report->lock);
    for (const struct entry *entry = report->entries; entry; entry = entry->hh.next) {
        if (!entry->finding || (!with_known && entry->finding->is_known))
            continue;
        struct finding shown = *entry->finding;
        if (!report->shows_processes)
            shown.process_count = 0;
        if (!visit(user, &shown))
            break;
    }
    pthread_mutex_unlock(&report->lock);
}

void report_each(struct report *report, report_visit *visit, void *user)
{
    each(report, true, visit, user);
}

void report_each_new(struct report *report, report_visit *visit, void *user)
{
    each(report, false, visit, user);
}

/* What the report itself leaves out. */
static void visit_hidden(const struct report *report, report_visit_gap *visit, void *user)
{
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        const uint64_t hidden = report->distinct[i] - report->kept[i];
        char sentence[128];
        if (hidden == 0)
            continue;
        snprintf(sentence, sizeof sentence, "%" PRIu64 " more of [%s] not shown", hidden,
                 rule_get((enum rule_index)i)->id);
        visit(user, &(struct report_gap){.sentence = sentence,
                                         .severity = SEVERITY_NOTE,
                                         .not_shown = hidden,
                                         .rule = rule_get((enum rule_index)i)->id});
    }
}

void report_each_gap(struct report *report, report_visit_gap *visit, void *user)
{
    pthread_mutex_lock(&report->lock);
    for (const struct gap *gap = report->gaps; gap; gap = gap->next)
        visit(user, &gap->told);
    visit_hidden(report, visit, user);
    pthread_mutex_unlock(&report->lock);
}

/* ---- printing ---- */

static void append_count(struct text *text, const char *before, uint64_t count, const char *noun)
{
    text_format(text, "%s%" PRIu64 " %s%s", before, count, noun, count == 1 ? "" : "s");
}

static void print_counts(const struct report *report, const uint64_t *counts, bool color,
                         struct text *text)
{
    static const char *const escapes[] = {"", "\x1b[1;33m", "\x1b[1;31m"};
    const char *separator = "";
    text_append(text, "clerk: ");
    if (color)
        text_append(text, counts[SEVERITY_ERROR]     ? escapes[SEVERITY_ERROR]
                          : counts[SEVERITY_WARNING] ? escapes[SEVERITY_WARNING]
                                                     : "\x1b[1;32m");
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; --severity) {
        if (counts[severity] == 0)
            continue;
        append_count(text, separator, counts[severity], severity_name((enum severity)severity));
        separator = ", ";
    }
    if (!*separator)
        text_append(text, "no findings");
    if (color)
        text_append(text, "\x1b[0m");
    if (report->known)
        text_format(text, " (%" PRIu64 " known)", report->known);
    if (report->suppressed)
        text_format(text, " (%" PRIu64 " suppressed)", report->suppressed);
    if (counts[SEVERITY_WARNING] && report->tells_of_warnings)
        text_append(text, " (the exit status ignores warnings; --strict counts them)");
    text_append_char(text, '\n');
}

static void print_summary(const struct report *report, bool color, struct text *text)
{
    const uint64_t counts[] = {count_severity(report, SEVERITY_NOTE),
                               count_severity(report, SEVERITY_WARNING),
                               count_severity(report, SEVERITY_ERROR)};
    const bool found = counts[SEVERITY_NOTE] + counts[SEVERITY_WARNING] + counts[SEVERITY_ERROR] +
                       report->known + report->suppressed;
    if (found || !has_gap(report, SEVERITY_WARNING))
        print_counts(report, counts, color, text);
    for (const struct gap *gap = report->gaps; gap; gap = gap->next) {
        text_append(text, "clerk: ");
        text_append_visible(text, gap->told.sentence, VISIBLE_ONE_LINE);
        text_append_char(text, '\n');
    }
}

void report_print_summary(struct report *report, bool color, struct text *text)
{
    pthread_mutex_lock(&report->lock);
    print_summary(report, color, text);
    pthread_mutex_unlock(&report->lock);
}

static void print_hidden(void *text, const struct report_gap *gap)
{
    text_format(text, "... and %s\n", gap->sentence);
}

struct text_style {
    const struct report *report;
    bool color;
    size_t width;
    struct text *text;
};

static bool print_text(void *user, const struct finding *finding)
{
    const struct text_style *style = user;
    if (style->report->unfolded)
        finding_print_text_unfolded(finding, style->color, style->width, style->text);
    else
        finding_print_text(finding, style->color, style->width, style->text);
    text_append_char(style->text, '\n');
    return true;
}

void report_print_text(struct report *report, bool color, size_t width, struct text *text)
{
    report_each_new(report, print_text, &(struct text_style){report, color, width, text});
    pthread_mutex_lock(&report->lock);
    const size_t size = text->size;
    visit_hidden(report, print_hidden, text);
    if (report->lost)
        text_format(text,
                    "... %" PRIu64 " of what there was to say %s lost because memory ran out\n",
                    report->lost, report->lost == 1 ? "was" : "were");
    if (text->size != size)
        text_append_char(text, '\n');
    print_summary(report, color, text);
    pthread_mutex_unlock(&report->lock);
}

static void print_gap_json(void *user, const struct report_gap *gap)
{
    struct text *text = user;
    if (gap->not_shown)
        text_format(text, "{\"not_shown\":%" PRIu64 ",\"rule\":\"%s\"}", gap->not_shown, gap->rule);
    else
        finding_print_unchecked(
            &(struct finding_unchecked){.why = gap->sentence, .severity = gap->severity}, text);
    text_append_char(text, '\n');
}

void report_print_json(struct report *report, struct text *text)
{
    pthread_mutex_lock(&report->lock);
    for (const struct entry *entry = report->entries; entry; entry = entry->hh.next) {
        if (!entry->finding)
            continue;
        finding_print_json(entry->finding, text);
        text_append_char(text, '\n');
    }
    for (const struct gap *gap = report->gaps; gap; gap = gap->next)
        print_gap_json(text, &gap->told);
    visit_hidden(report, print_gap_json, text);
    if (report->shard_count)
        finding_print_shard(report->shard, report->shard_count, text);
    pthread_mutex_unlock(&report->lock);
}

static bool print_suppression(void *user, const struct finding *finding)
{
    suppression_print(finding, user);
    return true;
}

void report_print_suppressions(struct report *report, struct text *text)
{
    report_each_new(report, print_suppression, text);
}
