/* Findings of the kernel checks: to the sink, if somebody has set one. Else each is appended to the
 * file that CLERK_FINDINGS names, or collected and printed on standard error when the process ends.
 */
#include "reference/icd/findings.h"

#include "checkers/kernel/checker.h"
#include "checkers/report.h"
#include "checkers/schedules.h"
#include "reference/icd/debugging.h"
#include "reference/icd/exports.h"
#include "reference/sched/pool.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/file.h"
#include "trace/base/standard_error.h"
#include "trace/base/visible.h"

#include <CL/cl.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sink_function *sink;
static void *sink_user;
static struct report *report;
static bool complained;

/* By place; the first one, too, is that of launches that run alone. */
static struct kernel_checker *checkers[FINDINGS_PLACES];
static uint64_t places_taken; /* a bit each */

/* Says once that findings are lost. */
static void complain(const char *sentence)
{
    if (!complained)
        visible_tell("clerk: %s\n", sentence);
    complained = true;
}

/* One write each, so that lines of several processes do not mix. */
static void append_line(const char *path, const struct finding *finding)
{
    struct text line = TEXT_INIT;
    struct error error = {0};
    finding_print_json(finding, &line);
    text_append_char(&line, '\n');
    int descriptor = -1;
    if (file_open_private(AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, path, &descriptor, NULL,
                          &error))
        error_prefix(&error, "findings cannot be written");
    else
        descriptor_write(descriptor, line.bytes, line.size, path, &error);
    if (error.text[0] != '\0')
        complain(error.text);
    if (descriptor >= 0)
        close(descriptor);
    text_release(&line);
}

static void keep(const struct finding *finding)
{
    const char *path = setting_value(SETTING_FINDINGS);
    if (path[0] != '\0') {
        append_line(path, finding);
        return;
    }
    if (!report)
        report = report_create(NULL);
    if (report)
        report_add(report, finding);
    else
        complain("out of memory: findings are lost");
}

/* ---- places ---- */

struct finding_place findings_place(const struct vm_code *code, uint32_t site, const char *label,
                                    struct arena *arena)
{
    struct observer_place known = {0};
    struct finding_place place = {.kind = FINDING_PLACE_KERNEL, .label = label};
    vm_code_describe(code, site, &known);
    if (known.frame_count == 0) {
        place.function = code->name;
        return place;
    }
    const struct observer_frame *at = &known.frames[0];
    place.function = at->function;
    place.file = at->file && *at->file ? at->file : NULL;
    place.line = at->line;
    place.column = at->column;
    place.source = at->source;
    const char **frames = arena_alloc(arena, known.frame_count, sizeof(*frames));
    for (size_t i = 1; frames && i < known.frame_count; i++)
        frames[i - 1] =
            arena_format(arena, "%s at %s:%u:%u", known.frames[i].function, known.frames[i].file,
                         known.frames[i].line, known.frames[i].column);
    place.frames = frames;
    place.frame_count = frames ? known.frame_count - 1 : 0;
    return place;
}

/* ---- launches that are run again ---- */

static _Thread_local struct findings_turns *followed;

void findings_follow(struct findings_turns *turns)
{
    followed = turns;
}

void findings_turns_release(struct findings_turns *turns)
{
    alloc_free(turns->keys);
    alloc_free(turns->held);
    arena_release(&turns->arena);
    *turns = (struct findings_turns){0};
}

/* Notes the finding, which is about to be told. False: it was told before. */
static bool note(struct findings_turns *turns, const struct finding *finding)
{
    const enum severity severity = rule_get(finding->rule)->severity;
    const uint64_t key = finding_key(finding);
    for (size_t i = 0; i < turns->key_count; i++) {
        if (turns->keys[i] == key)
            return false;
    }
    turns->wrong |= severity == SEVERITY_ERROR && !schedules_is_of_progress(finding->rule);
    turns->warned |= severity != SEVERITY_NOTE;
    uint64_t *grown =
        alloc_grow(turns->keys, turns->key_count, &turns->key_capacity, sizeof(*grown));
    if (grown) {
        turns->keys = grown;
        grown[turns->key_count++] = key;
    }
    return true;
}

static void hold(struct findings_turns *turns, const struct finding *finding)
{
    struct finding **grown =
        alloc_grow(turns->held, turns->held_count, &turns->held_capacity, sizeof(*grown));
    if (!grown)
        return;
    turns->held = grown;
    grown[turns->held_count++] = finding_copy(&turns->arena, finding);
}

static void pass_on(const struct finding *finding)
{
    pthread_mutex_lock(&mutex);
    if (sink)
        sink(sink_user, finding);
    else
        keep(finding);
    pthread_mutex_unlock(&mutex);
    debugging_find(finding);
}

void findings_receive(void *user, const struct finding *finding)
{
    (void)user;
    if (followed && followed->again) {
        hold(followed, finding);
        return;
    }
    if (followed)
        note(followed, finding);
    pass_on(finding);
}

void findings_begin_turn(struct findings_turns *turns)
{
    turns->again = true;
    turns->held_count = 0;
}

static bool has_held(const struct findings_turns *turns, enum rule_index rule)
{
    bool has = false;
    for (size_t i = 0; i < turns->held_count; i++)
        has |= !turns->held[i] || turns->held[i]->rule == rule;
    return has;
}

bool findings_end_turn(struct findings_turns *turns, const char *schedule)
{
    turns->again = false;
    if (has_held(turns, RULE_ACCESS_READ_ONLY))
        return false;
    for (size_t i = 0; i < turns->held_count; i++) {
        struct finding *finding = turns->held[i];
        finding->schedule = schedule;
        if (!schedules_is_of_progress(finding->rule) && finding->rule != RULE_ANALYSIS_INCOMPLETE &&
            note(turns, finding))
            pass_on(finding);
    }
    return !has_held(turns, RULE_ANALYSIS_INCOMPLETE);
}

bool findings_has_place(void)
{
    return __builtin_popcountll(places_taken) < FINDINGS_PLACES;
}

uint32_t findings_take_place(void)
{
    ASSERT(findings_has_place());
    const uint32_t place = (uint32_t)__builtin_ctzll(~places_taken);
    places_taken |= UINT64_C(1) << place;
    return place;
}

void findings_leave_place(uint32_t place)
{
    places_taken &= ~(UINT64_C(1) << place);
}

/* False when memory is out. */
static bool has_checker(const struct checks *checks, uint32_t place)
{
    struct error error;
    ASSERT(place < FINDINGS_PLACES);
    if (checkers[place] || kernel_checker_create(checks, findings_receive, NULL, &checkers[place],
                                                 &error) == STATUS_OK)
        return true;
    complain(error.text);
    return false;
}

const struct observer *findings_predictor(kernel_checker_predicted *predicted, void *user)
{
    struct checks checks = {0};
    checks_add(&checks, RULE_ACQUIRE_UNUSED);
    if (!has_checker(&checks, 0))
        return NULL;
    kernel_checker_set_notice(checkers[0], NULL);
    kernel_checker_collect(checkers[0], NULL);
    kernel_checker_predict(checkers[0], predicted, user);
    kernel_checker_set_checks(checkers[0], &checks);
    return kernel_checker_observer(checkers[0]);
}

void findings_expect(const struct kernel_prediction *expected, uint32_t count)
{
    if (checkers[0])
        kernel_checker_expect(checkers[0], expected, count);
}

bool findings_have_shown(void)
{
    return kernel_checker_has_shown(checkers[0]);
}

const struct observer *findings_observer_beside(const struct launch_options *options,
                                                struct touched *touched, uint32_t place)
{
    if (!touched && !checks_has_any(&options->checks, RULE_WHERE_KERNEL))
        return NULL;
    if (!has_checker(&options->checks, place))
        return NULL;
    kernel_checker_predict(checkers[place], NULL, NULL);
    kernel_checker_set_notice(checkers[place], debugging_notice());
    kernel_checker_collect(checkers[place], touched);
    kernel_checker_set_checks(checkers[place], &options->checks);
    return kernel_checker_observer(checkers[place]);
}

const struct observer *findings_observer(const struct launch_options *options,
                                         struct touched *touched)
{
    return findings_observer_beside(options, touched, 0);
}

/* ---- scouts ---- */

/* By worker, made when it first has a launch with checks. */
static struct kernel_checker *scouts[POOL_THREADS_MAX];
static uint32_t scout_count; /* that the record limit is for */

/* All records of a launch are in one checker or in several: half of a share each is certainly less
 * than one can have. */
static uint32_t scout_records(void)
{
    enum { RECORDS = 1 << 24 };
    return RECORDS / 2 / scout_count;
}

static const struct observer *scout_observer(void *user, uint32_t worker)
{
    const struct launch_options *options = user;
    struct error error;
    ASSERT(worker < POOL_THREADS_MAX);
    if (!scouts[worker] && kernel_checker_create_scout(&options->checks, scout_records(),
                                                       &scouts[worker], &error) != STATUS_OK)
        return NULL;
    kernel_checker_set_checks(scouts[worker], &options->checks);
    return kernel_checker_observer(scouts[worker]);
}

static bool scout_has_found(void *user, uint32_t worker)
{
    (void)user;
    return kernel_checker_has_found(scouts[worker]);
}

const struct sched_scouts *findings_scouts(const struct launch_options *options)
{
    static struct sched_scouts told = {.observer = scout_observer, .has_found = scout_has_found};
    const uint32_t count = options->sched.workers > 0 ? options->sched.workers : 1;
    for (uint32_t i = 0; count != scout_count && i < POOL_THREADS_MAX; i++) {
        kernel_checker_destroy(scouts[i]);
        scouts[i] = NULL;
    }
    scout_count = count;
    told.user = (void *)(uintptr_t)options;
    return &told;
}

int32_t clerk_set_finding_sink(uint32_t version, sink_function *function, void *user)
{
    if (version != SINK_VERSION)
        return CL_INVALID_VALUE;
    pthread_mutex_lock(&mutex);
    sink = function;
    sink_user = user;
    pthread_mutex_unlock(&mutex);
    return CL_SUCCESS;
}

int32_t clerk_has_lacked_memory(void)
{
    return alloc_has_failed();
}

/* The process ends, or the library is unloaded. A kernel that still runs can report no more. */
__attribute__((destructor)) static void print_report(void)
{
    pthread_mutex_lock(&mutex);
    if (report && !report_is_empty(report) && standard_error_is_there()) {
        struct text text = TEXT_INIT;
        report_print_text(report, isatty(STDERR_FILENO) && !getenv("NO_COLOR"), 0, &text);
        fflush(stdout);
        descriptor_write(STDERR_FILENO, text.bytes, text.size, "standard error", NULL);
        text_release(&text);
    }
    if (!sink && alloc_has_failed())
        complain("memory ran out: not all was checked");
    pthread_mutex_unlock(&mutex);
}
