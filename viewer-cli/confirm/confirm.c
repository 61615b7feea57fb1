#include "viewer-cli/confirm/confirm.h"

#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/hash.h"
#include "trace/base/scratch.h"
#include "viewer-cli/confirm/performed.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LAUNCHES_NS (UINT64_C(300) * 1000000000)

/* What a driver's device saw, and how often. */
struct seen {
    UT_hash_handle hh;
    uint64_t key;
    uint64_t count;
    struct finding *first;
    const struct performed *performed; /* the launch that shows it, or else the last one of its
                                          kernel; NULL = there is none */
    const struct finding *proof;       /* in that launch; NULL = it does not show it */
    bool is_very_access;               /* the proof is of an access that was seen */
};

struct confirmation {
    struct scratch directory;
    struct seen *seen;
    struct performed *performed;
    size_t performed_count, performed_capacity;
    struct arena arena; /* of both */
};

enum status confirmation_create(struct confirmation **confirmation, struct error *error)
{
    struct confirmation *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    const enum status status = scratch_make_directory(&made->directory, error);
    if (status)
        alloc_free(made);
    else
        *confirmation = made;
    return status;
}

void confirmation_destroy(struct confirmation *confirmation)
{
    struct seen *seen, *next;
    if (!confirmation)
        return;
    HASH_ITER(hh, confirmation->seen, seen, next)
    {
        HASH_DEL(confirmation->seen, seen);
        alloc_free(seen);
    }
    for (size_t i = 0; i < confirmation->performed_count; i++)
        alloc_free(confirmation->performed[i].findings);
    alloc_free(confirmation->performed);
    scratch_release(&confirmation->directory);
    arena_release(&confirmation->arena);
    alloc_free(confirmation);
}

const char *confirmation_directory(const struct confirmation *confirmation)
{
    return confirmation->directory.path;
}

/* ---- what was seen ---- */

static bool is_seen(const struct finding *finding)
{
    return finding->seen_on && finding->kernel && finding->place_count > 0;
}

static struct seen *find_seen(const struct confirmation *confirmation,
                              const struct finding *finding)
{
    const uint64_t key = finding_key(finding);
    struct seen *seen;
    HASH_FIND(hh, confirmation->seen, &key, sizeof key, seen);
    return seen;
}

void confirmation_count(struct confirmation *confirmation, const struct finding *finding)
{
    struct seen *seen = is_seen(finding) ? find_seen(confirmation, finding) : NULL;
    if (seen)
        seen->count += finding->count;
    if (seen || !is_seen(finding) || !(seen = alloc_zero(1, sizeof *seen)))
        return;
    *seen = (struct seen){.key = finding_key(finding),
                          .count = finding->count,
                          .first = finding_copy(&confirmation->arena, finding)};
    if (seen->first)
        HASH_ADD(hh, confirmation->seen, key, sizeof seen->key, seen);
    if (!seen->hh.tbl)
        alloc_free(seen);
}

/* ---- what shows it ---- */

static bool is_bounds(enum rule_index rule)
{
    return rule == RULE_BOUNDS_GLOBAL || rule == RULE_BOUNDS_LOCAL || rule == RULE_BOUNDS_CONSTANT;
}

static bool is_undefined(enum rule_index rule)
{
    return rule == RULE_UNINITIALISED_BRANCH || rule == RULE_UNINITIALISED_ADDRESS ||
           rule == RULE_UNINITIALISED_OUTPUT || rule == RULE_UNINITIALISED_ATOMIC ||
           rule == RULE_UNINITIALISED_ARGUMENT || rule == RULE_UNINITIALISED_PRINT;
}

static bool is_race(enum rule_index rule)
{
    return rule == RULE_RACE_GLOBAL || rule == RULE_RACE_LOCAL || rule == RULE_RACE_ATOMIC_SCOPE;
}

/* The reference device knows what a pointer came from, and so beside what it points; a checked copy
 * may only know that it points to nothing. It knows what becomes of a value that nobody wrote. What
 * was freed on the device never was there on the reference device. It knows whether atomics order
 * what no barrier does. */
static bool is_same_rule(enum rule_index seen, enum rule_index found)
{
    return seen == found || (seen == RULE_ACCESS_WILD && is_bounds(found)) ||
           (seen == RULE_UNINITIALISED_READ && is_undefined(found)) ||
           (seen == RULE_RACE_UNCONFIRMED && is_race(found)) ||
           (seen == RULE_ACCESS_FREED && found == RULE_ACCESS_WILD);
}

/* Where the program has no lines, functions are told apart. */
static bool is_same_place(const struct finding_place *place, const struct finding_place *wanted)
{
    if (place->kind != FINDING_PLACE_KERNEL || place->line != wanted->line)
        return false;
    if (wanted->line == 0)
        return place->function && wanted->function &&
               strcmp(place->function, wanted->function) == 0;
    return place->file && wanted->file && strcmp(place->file, wanted->file) == 0;
}

static bool has_line(const struct finding *finding, const struct finding_place *wanted)
{
    for (size_t i = 0; i < finding->place_count; i++) {
        if (is_same_place(&finding->places[i], wanted))
            return true;
    }
    return false;
}

/* Is `found`, of the reference device, what a driver's device saw? */
static bool is_same(const struct finding *seen, const struct finding *found)
{
    return is_same_rule(seen->rule, found->rule) && has_line(found, &seen->places[0]);
}

/* After a launch flags are set and locks taken, and it orders its items as none did before. */
static bool may_show(const struct seen *seen, const struct performed *performed)
{
    return seen->first->rule != RULE_RACE_UNCONFIRMED || !performed->is_after;
}

static void find_proof(const struct confirmation *confirmation, struct seen *seen)
{
    for (size_t i = 0; !seen->proof && i < confirmation->performed_count; i++) {
        const struct performed *performed = &confirmation->performed[i];
        if (strcmp(performed->kernel, seen->first->kernel) != 0 || !may_show(seen, performed))
            continue;
        seen->performed = performed;
        for (size_t k = 0; !seen->proof && k < performed->finding_count; k++)
            if (is_same(seen->first, performed->findings[k]))
                seen->proof = performed->findings[k];
    }
}

/* ---- performing ---- */

static int is_launch_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void perform_one(struct confirmation *confirmation, const char *name, char **environment,
                        uint64_t until_ns)
{
    char *path = path_join(confirmation->directory.path, name);
    struct performed *grown = alloc_grow(confirmation->performed, confirmation->performed_count,
                                         &confirmation->performed_capacity, sizeof *grown);
    if (grown)
        confirmation->performed = grown;
    if (path && grown &&
        performed_read(path, environment, until_ns, &confirmation->arena,
                       &grown[confirmation->performed_count]))
        confirmation->performed_count++;
    alloc_free(path);
}

void confirmation_perform(struct confirmation *confirmation, char **environment)
{
    const uint64_t until_ns = clock_monotonic_ns() + ALL_LAUNCHES_NS;
    struct dirent **files = NULL;
    const int count = scandir(confirmation->directory.path, &files, is_launch_file, alphasort);
    for (int i = 0; i < count; i++) {
        perform_one(confirmation, files[i]->d_name, environment, until_ns);
        free(files[i]);
    }
    free(files);
    for (struct seen *seen = confirmation->seen; seen; seen = seen->hh.next)
        find_proof(confirmation, seen);
}

/* With other contents of memory the kernel may do the like elsewhere, which it never did. What
 * nobody wrote had no contents. */
void confirmation_compare(struct confirmation *confirmation, const struct finding *finding)
{
    struct seen *seen = is_seen(finding) ? find_seen(confirmation, finding) : NULL;
    if (seen && seen->proof && seen->first->rule != RULE_ACCESS_FREED)
        seen->is_very_access |=
            !seen->performed->is_after || finding->rule == RULE_UNINITIALISED_READ ||
            strncmp(seen->proof->message, finding->message, strlen(finding->message)) == 0;
}

/* ---- what becomes of a finding ---- */

static const char *times(struct arena *arena, uint64_t count)
{
    return count == 1 ? "once" : arena_format(arena, "%" PRIu64 " times", count);
}

/* "the launch of call 12 again" */
static const char *launch_words(struct arena *arena, const struct performed *performed,
                                const char *how)
{
    return arena_format(arena, "the launch of call %" PRIu64 " %s%s", performed->call_id, how,
                        performed->is_after ? ", on what its memory held afterwards" : "");
}

/* The process that ran the launch counted its own memory objects. */
static const char *subject_of(const struct finding *found)
{
    return found->subject && strchr(found->subject, '#') ? NULL : found->subject;
}

/* The finding's own reason comes first. */
static const char *join(struct arena *arena, const char *reason, const char *more)
{
    return reason && more ? arena_format(arena, "%s; %s", reason, more) : more;
}

/* The finding as the reference device has it, where and as often as it was seen. */
static void confirm(const struct seen *seen, struct finding *finding, struct arena *arena)
{
    struct finding told = seen->is_very_access ? *seen->proof : *finding;
    const char *more = arena_format(
        arena,
        seen->is_very_access
            ? "seen on %s, %s, and shown by the reference device, which ran %s"
            : "seen on %s, %s; the reference device shows the like of it in this line when it runs "
              "%s",
        finding->seen_on, times(arena, seen->count), launch_words(arena, seen->performed, "again"));
    told.count = finding->count;
    told.call_id = finding->call_id;
    told.seen_on = finding->seen_on;
    told.subject = finding->subject ? finding->subject : subject_of(seen->proof);
    if (seen->proof->rule == finding->rule && seen->proof->advice)
        told.advice = seen->proof->advice; /* it knows who else races there */
    told.reason = join(arena, told.reason, more);
    if (told.reason && finding_add_launches(&told, finding, arena))
        *finding = told;
}

/* Why there is no more than what was seen. */
static const char *doubt_words(const struct performed *performed, struct arena *arena)
{
    if (!performed)
        return "clerk's reference device did not run a launch of the kernel: none was kept";
    if (!performed->was_run)
        return arena_format(arena, "clerk's reference device did not run the launch: %s",
                            performed->reason);
    if (performed->reason[0] != '\0')
        return arena_format(
            arena, "clerk's reference device could not run the launch of call %" PRIu64 ": %s",
            performed->call_id, performed->reason);
    return arena_format(arena, "clerk's reference device did not show it when it ran %s",
                        launch_words(arena, performed, "again"));
}

static bool races_in_local(const struct confirmation *confirmation, const char *kernel)
{
    for (const struct seen *seen = confirmation->seen; seen; seen = seen->hh.next)
        if (seen->first->rule == RULE_RACE_LOCAL && strcmp(seen->first->kernel, kernel) == 0)
            return true;
    return false;
}

/* To its end, and looked at all of it? */
static bool was_judged(const struct performed *performed)
{
    bool judged = performed && performed->was_run && performed->reason[0] == '\0';
    for (size_t i = 0; judged && i < performed->finding_count; i++)
        judged = performed->findings[i]->rule != RULE_ANALYSIS_INCOMPLETE;
    return judged;
}

/* Was a launch of the kernel run so? */
static bool has_ended(const struct confirmation *confirmation, const char *kernel)
{
    for (size_t i = 0; i < confirmation->performed_count; i++) {
        const struct performed *performed = &confirmation->performed[i];
        if (strcmp(performed->kernel, kernel) == 0 && was_judged(performed))
            return true;
    }
    return false;
}

/* A read of what nobody has written harms nobody if the value has no use, as the reference device
 * knows; and in a race it comes too early, which is told. And it knows what atomics order. */
static bool is_idle(const struct confirmation *confirmation, const struct seen *seen)
{
    if (seen->first->rule == RULE_RACE_UNCONFIRMED)
        return was_judged(seen->performed);
    return seen->first->rule == RULE_UNINITIALISED_READ &&
           (has_ended(confirmation, seen->first->kernel) ||
            races_in_local(confirmation, seen->first->kernel));
}

bool confirmation_judge(const struct confirmation *confirmation, struct finding *finding,
                        struct arena *arena)
{
    const struct seen *seen = is_seen(finding) ? find_seen(confirmation, finding) : NULL;
    if (!seen)
        return true;
    if (seen->proof) {
        confirm(seen, finding, arena);
        return true;
    }
    const char *reason = join(arena, finding->reason, doubt_words(seen->performed, arena));
    if (reason)
        finding->reason = reason;
    return !is_idle(confirmation, seen);
}

/* ---- what else was found ---- */

static bool is_serious(const struct finding *found)
{
    return rule_get(found->rule)->severity >= SEVERITY_WARNING;
}

static bool was_seen(const struct confirmation *confirmation, const struct performed *performed,
                     const struct finding *found)
{
    for (const struct seen *seen = confirmation->seen; seen; seen = seen->hh.next)
        if (strcmp(seen->first->kernel, performed->kernel) == 0 && is_same(seen->first, found))
            return true;
    return false;
}

static void tell_more(const struct performed *performed, const struct finding *found,
                      confirmation_function *function, void *user)
{
    const struct finding_launch launch = {.call_id = performed->call_id,
                                          .function = performed->function};
    struct arena arena = {0};
    struct finding finding = *found;
    const char *more =
        arena_format(&arena, "found by the reference device, which ran %s %s",
                     launch_words(&arena, performed, "again"),
                     performed->is_running ? "because it had not ended when the program did"
                                           : "for another finding");
    finding.subject = subject_of(found);
    finding.reason = join(&arena, found->reason, more);
    finding.count = 1;
    if (finding.reason && finding_add_launch(&finding, &launch, &arena))
        function(user, &finding);
    arena_release(&arena);
}

/* With memory as it was after the launch a kernel may do what it never did. */
void confirmation_each_more(const struct confirmation *confirmation,
                            confirmation_function *function, void *user)
{
    for (size_t i = 0; i < confirmation->performed_count; i++) {
        const struct performed *performed = &confirmation->performed[i];
        for (size_t k = 0; !performed->is_after && k < performed->finding_count; k++) {
            const struct finding *found = performed->findings[k];
            if (is_serious(found) && !was_seen(confirmation, performed, found))
                tell_more(performed, found, function, user);
        }
    }
}

static bool found_something(const struct performed *performed)
{
    for (size_t i = 0; i < performed->finding_count; i++)
        if (is_serious(performed->findings[i]))
            return true;
    return false;
}

/* ---- launches that had not ended ---- */

static const char *running_words(const struct performed *performed, struct arena *arena)
{
    const char *what = arena_format(
        arena, "the launch of kernel '%s' by call %" PRIu64 " had not ended when the program did",
        performed->kernel, performed->call_id);
    if (performed->reason[0] == '\0')
        return found_something(performed)
                   ? what
                   : join(arena, what, "on clerk's reference device it ends, and nothing is found");
    const char *why = arena_format(arena, "clerk's reference device %s run it: %s",
                                   performed->was_run ? "could not" : "did not", performed->reason);
    return what && why ? join(arena, what, why) : NULL;
}

void confirmation_each_running(const struct confirmation *confirmation,
                               confirmation_sentence *function, void *user)
{
    for (size_t i = 0; i < confirmation->performed_count; i++) {
        struct arena arena = {0};
        const struct performed *performed = &confirmation->performed[i];
        const char *sentence = performed->is_running ? running_words(performed, &arena) : NULL;
        if (sentence)
            function(user, sentence);
        arena_release(&arena);
    }
}
