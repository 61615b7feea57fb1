#include "layer/range.h"

#include "layer/capture.h"
#include "layer/contents.h"
#include "layer/live.h"
#include "layer/session.h"
#include "layer/snapshot.h"
#include "layer/thread.h"
#include "trace/api/settings.h"
#include "trace/api/when.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/needed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 200,            /* for threads that are in a call */
    PAUSE_NS = 100 * 1000 * 1000, /* between attempts, and looks at a file */
};

enum state { BEFORE, RECORDING, OVER };

struct range {
    struct session *session;
    struct when from, until;
    atomic_int state;
    bool keeps_last;
    /* How many there were. */
    atomic_uint_fast64_t launches, frames, from_kernels, until_kernels;
    uint64_t start_ns;
    /* Calls under way, and whether one waits for all others to end, and holds up those to come. */
    atomic_uint inside;
    atomic_bool stopping;
    atomic_uint_fast64_t next_try_ns, next_look_ns;
    atomic_uint_fast64_t open_user_events, semaphores;
    _Atomic(const char *) hindrance; /* why the last attempt failed */
    /* Of keeps_last; by whoever holds up the others. */
    uint64_t
        begins_after; /* the last beginning that was recorded, which the trace is to have next */
    atomic_uint_fast64_t epoch_end; /* in appended bytes */
};

static volatile sig_atomic_t signal_count[NSIG];
static struct sigaction of_program[NSIG]; /* what the program did at the signal before */

static void count_signal(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &of_program[number];
    ++signal_count[number];
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
}

/* ---- opening ---- */

static enum status watch_signal(const struct when *when, struct error *error)
{
    const struct sigaction action = {.sa_sigaction = count_signal,
                                     .sa_flags = SA_RESTART | SA_SIGINFO};
    if (when->kind != WHEN_SIGNAL)
        return STATUS_OK;
    struct sigaction before;
    if (sigaction((int)when->number, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) &&
        before.sa_sigaction == count_signal)
        return STATUS_OK;
    return sigaction((int)when->number, &action, &of_program[when->number]) == 0
               ? STATUS_OK
               : error_set_errno(error,
                                 "cannot wait for the signal that a recording is to begin at");
}

static enum status take_settings(struct range *range, struct error *error)
{
    const char *from = setting_value(SETTING_RECORD_FROM);
    const char *until = setting_value(SETTING_RECORD_UNTIL);
    const char *trigger = setting_value(SETTING_TRIGGER);
    enum status status = STATUS_OK;
    if (from[0])
        status = when_parse(from, &range->from, error);
    if (!status && until[0])
        status = when_parse(until, &range->until, error);
    if (!status && trigger[0])
        status = setting_check(SETTING_TRIGGER, trigger, error);
    if (status || !trigger[0])
        return status;
    range->from = range->until =
        (struct when){.kind = WHEN_SIGNAL, .number = (uint64_t)when_signal(trigger)};
    return STATUS_OK;
}

enum status range_create(struct session *session, struct range **range, struct error *error)
{
    const bool keeps_last = setting_size(setting_value(SETTING_KEEP_LAST)) != 0;
    struct range *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = take_settings(made, error);
    if (!status && !session->contents && (made->from.kind != WHEN_NEVER || keeps_last))
        status = error_set(error, STATUS_INVALID,
                           "a recording that begins late needs the bytes of memory: not with "
                           "--contents none");
    if (status || (made->from.kind == WHEN_NEVER && made->until.kind == WHEN_NEVER && !keeps_last))
        goto out;
    made->session = session;
    made->keeps_last = keeps_last;
    made->start_ns = clock_monotonic_ns();
    atomic_store(&made->epoch_end, keeps_last ? spool_epoch_size(session->spool) : UINT64_MAX);
    atomic_store(&made->state, made->from.kind == WHEN_NEVER ? RECORDING : BEFORE);
    status = watch_signal(&made->from, error);
    if (!status)
        status = watch_signal(&made->until, error);
    if (!status && atomic_load(&made->state) == BEFORE) {
        contents_hold_back(session->contents, true);
        spool_begin_after(session->spool, SPOOL_NOT_BEGUN);
    }
    if (!status) {
        *range = made;
        made = NULL;
    }
out:
    alloc_free(made);
    return status;
}

void range_destroy(struct range *range)
{
    alloc_free(range);
}

bool range_leaves_out(const struct range *range, const struct api_call *call)
{
    return range && atomic_load_explicit(&range->state, memory_order_relaxed) == BEFORE &&
           !needed_perhaps(call);
}

bool range_is_outside(const struct range *range)
{
    return range && atomic_load_explicit(&range->state, memory_order_relaxed) != RECORDING;
}

const char *range_hindrance(const struct range *range)
{
    static const char never[] = "its moment did not come";
    if (!range || atomic_load(&range->state) != BEFORE)
        return NULL;
    const char *hindrance = atomic_load(&range->hindrance);
    return hindrance ? hindrance : never;
}

/* ---- moments ---- */

static bool is_kernel(const struct range *range, const struct when *when, const uint64_t *words)
{
    char name[1024] = "";
    return when->kind == WHEN_KERNEL &&
           snapshot_kernel_name(range->session->live, words[1], name, sizeof name) &&
           strlen(name) == when->name_length && memcmp(name, when->name, when->name_length) == 0;
}

/* Not at every call. */
static bool looks_again(struct range *range)
{
    const uint64_t now = clock_monotonic_ns();
    if (now < atomic_load_explicit(&range->next_look_ns, memory_order_relaxed))
        return false;
    atomic_store_explicit(&range->next_look_ns, now + PAUSE_NS, memory_order_relaxed);
    return true;
}

static bool file_is_there(struct range *range, const char *name)
{
    const int saved = errno;
    const bool there = looks_again(range) && access(name, F_OK) == 0;
    errno = saved;
    return there;
}

/* Where both ends are the same signal it is the second that ends. Compilers of drivers (LLVM) take
 * signals for themselves. */
static bool signal_came(struct range *range, const struct when *when, bool is_end)
{
    const bool is_second =
        is_end && range->from.kind == WHEN_SIGNAL && range->from.number == when->number;
    const int saved = errno;
    if (looks_again(range))
        watch_signal(when, NULL);
    errno = saved;
    return signal_count[when->number] > is_second;
}

/* What came before this call. */
struct counts {
    uint64_t calls, launches, frames, kernels;
    bool launches_now, kernel_now;
};

static bool has_come(struct range *range, const struct when *when, bool is_end,
                     const struct counts *counts)
{
    switch (when->kind) {
    case WHEN_CALL:
        return counts->calls + !is_end >= when->number;
    case WHEN_LAUNCH:
        return counts->launches_now && counts->launches + !is_end >= when->number;
    case WHEN_FRAME:
        return counts->frames + !is_end >= when->number;
    case WHEN_KERNEL:
        return is_end ? counts->launches_now && counts->kernels >= when->number
                      : counts->kernel_now && counts->kernels + 1 >= when->number;
    case WHEN_TIME:
        return clock_monotonic_ns() - range->start_ns >= when->number;
    case WHEN_SIGNAL:
        return signal_came(range, when, is_end);
    case WHEN_FILE:
        return file_is_there(range, when->name);
    case WHEN_NEVER:
        break;
    }
    return false;
}

static struct counts count(struct range *range, const struct when *when,
                           atomic_uint_fast64_t *kernels, uint32_t entry, const uint64_t *words)
{
    struct counts counts = {.launches_now = api_entry_launches(entry)};
    counts.calls = atomic_load(&range->session->call_count);
    counts.launches = atomic_load(&range->launches);
    counts.frames = atomic_load(&range->frames);
    counts.kernel_now = counts.launches_now && is_kernel(range, when, words);
    counts.kernels = counts.kernel_now ? atomic_fetch_add(kernels, 1) : atomic_load(kernels);
    return counts;
}

static void count_call(struct range *range, uint32_t entry)
{
    if (api_entry_launches(entry))
        atomic_fetch_add(&range->launches, 1);
    if (entry == API_ENTRY_clFinish)
        atomic_fetch_add(&range->frames, 1);
}

/* ---- alone ---- */

/* Waits until no other thread is in a call; false, and nobody is held up, when that takes long. */
static bool stop_others(struct range *range)
{
    const struct timespec nap = {.tv_nsec = 100000};
    const uint64_t until = clock_monotonic_ns() + PATIENCE_MS * UINT64_C(1000000);
    bool was_stopping = false;
    if (!atomic_compare_exchange_strong(&range->stopping, &was_stopping, true))
        return false;
    while (atomic_load(&range->inside) > 1) {
        if (clock_monotonic_ns() > until) {
            atomic_store(&range->stopping, false);
            return false;
        }
        nanosleep(&nap, NULL);
    }
    return true;
}

static void let_others_go(struct range *range)
{
    atomic_store(&range->stopping, false);
}

/* What is known without asking anybody. */
static const char *find_hindrance(struct range *range)
{
    return atomic_load(&range->open_user_events) ? "a user event was open at each attempt"
           : atomic_load(&range->semaphores)
               ? "the program has semaphores, whose state cannot be read"
               : NULL;
}

static const char *record_beginning(struct range *range, struct layer_thread *thread)
{
    struct session *session = range->session;
    const char *known = find_hindrance(range);
    if (known)
        return known;
    const uint64_t call_id = atomic_fetch_add(&session->call_count, 1) + 1;
    const char *hindrance =
        snapshot_take(session->live, session->spool, call_id, thread->number, &session->runs_own);
    if (hindrance)
        return hindrance;
    if (atomic_load(&range->state) == BEFORE)
        spool_begin_after(session->spool, call_id);
    else if (range->begins_after)
        spool_begin_after(session->spool, range->begins_after);
    range->begins_after = call_id;
    return NULL;
}

/* Begins a recording, or an epoch of one that keeps the last. */
static void try_to_begin(struct range *range, struct layer_thread *thread)
{
    const uint64_t now = clock_monotonic_ns();
    const char *hindrance = find_hindrance(range);
    if (thread->place.callbacks || now < atomic_load(&range->next_try_ns))
        return;
    if (hindrance) {
        atomic_store(&range->hindrance, hindrance);
        return;
    }
    hindrance = "another thread was in a call at each attempt";
    if (stop_others(range)) {
        hindrance = record_beginning(range, thread);
        if (!hindrance) {
            contents_hold_back(range->session->contents, false);
            atomic_store(&range->state, RECORDING);
        }
        let_others_go(range);
    }
    atomic_store(&range->hindrance, hindrance);
    if (hindrance)
        atomic_store(&range->next_try_ns, clock_monotonic_ns() + PAUSE_NS);
    else if (range->keeps_last)
        atomic_store(&range->epoch_end, spool_appended_size(range->session->spool) +
                                            spool_epoch_size(range->session->spool));
}

static void try_to_end(struct range *range)
{
    if (clock_monotonic_ns() < atomic_load(&range->next_try_ns))
        return;
    if (!stop_others(range)) {
        atomic_store(&range->next_try_ns, clock_monotonic_ns() + PAUSE_NS);
        return;
    }
    spool_end_early(range->session->spool);
    atomic_store(&range->state, OVER);
    let_others_go(range);
}

/* ---- calls ---- */

/* One in a callback is within another, which is waited for. */
static bool is_outermost(const struct layer_thread *thread)
{
    return thread->depth == 0;
}

static void pass_gate(struct range *range)
{
    const struct timespec nap = {.tv_nsec = 50000};
    for (;;) {
        while (atomic_load(&range->stopping))
            nanosleep(&nap, NULL);
        atomic_fetch_add(&range->inside, 1);
        if (!atomic_load(&range->stopping))
            return;
        atomic_fetch_sub(&range->inside, 1);
    }
}

static void look(struct range *range, struct layer_thread *thread, uint32_t entry,
                 const uint64_t *words)
{
    const int state = atomic_load_explicit(&range->state, memory_order_relaxed);
    struct counts counts;
    if (state == BEFORE) {
        counts = count(range, &range->from, &range->from_kernels, entry, words);
        if (atomic_load(&range->hindrance) || has_come(range, &range->from, false, &counts))
            try_to_begin(range, thread);
    } else if (state == RECORDING &&
               spool_appended_size(range->session->spool) >= atomic_load(&range->epoch_end)) {
        try_to_begin(range, thread);
    }
    if (range->until.kind == WHEN_NEVER || state == OVER)
        return;
    counts = count(range, &range->until, &range->until_kernels, entry, words);
    if (atomic_load(&range->state) == RECORDING && has_come(range, &range->until, true, &counts))
        try_to_end(range);
}

void range_enter(struct range *range, struct layer_thread *thread, uint32_t entry,
                 const uint64_t *words)
{
    if (!is_outermost(thread))
        return;
    pass_gate(range);
    layer_thread_enter(thread);
    look(range, thread, entry, words);
    layer_thread_leave(thread);
    count_call(range, entry);
}

void range_leave(struct range *range, const struct layer_thread *thread)
{
    if (is_outermost(thread))
        atomic_fetch_sub(&range->inside, 1);
}

void range_note(struct range *range, const struct api_call *call)
{
    const bool is_semaphore = api_entry_get(call->entry)->return_kind == API_OBJECT_SEMAPHORE;
    if (call->entry != API_ENTRY_clCreateUserEvent &&
        call->entry != API_ENTRY_clSetUserEventStatus && !is_semaphore)
        return;
    if (!capture_succeeded(call))
        return;
    if (is_semaphore)
        atomic_fetch_add(&range->semaphores, 1);
    else if (call->entry == API_ENTRY_clCreateUserEvent)
        atomic_fetch_add(&range->open_user_events, 1);
    else
        atomic_fetch_sub(&range->open_user_events, 1);
}
