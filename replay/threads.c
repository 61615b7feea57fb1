#include "replay/state.h"

#include "replay/order.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <pthread.h>

/* So many calls are read ahead of those that are performed. */
enum { CALLS_AHEAD = 1024 };

/* A call that is to be performed. */
struct task {
    struct task *next;
    struct arena arena;
    struct api_call call;
    const struct order_need *needs;
    size_t need_count;
};

/* One of the recording's threads, or what callbacks called on it. */
struct lane {
    struct replay_threads *threads;
    uint64_t number; /* of order_lane */
    pthread_t thread;
    struct task *first, *last;
    uint64_t begun, ended; /* the last call that did */
    bool is_performing;    /* its first call */
    uint64_t held_by;      /* the user event that it waits for in the driver; or 0 */
};

struct replay_threads {
    struct replay *replay;
    pthread_mutex_t lock; /* of the replay, and of all that follows */
    pthread_cond_t changed;
    struct lane **lanes;
    size_t lane_count, lane_capacity;
    size_t open_count; /* calls ahead */
    bool read_all;
    enum status status; /* the first failure */
    struct error error;
};

static _Thread_local struct lane *current;

static struct lane *find_lane(const struct replay_threads *threads, uint64_t number)
{
    for (size_t i = 0; i < threads->lane_count; ++i)
        if (threads->lanes[i]->number == number)
            return threads->lanes[i];
    return NULL;
}

static bool is_ready(const struct replay_threads *threads, const struct task *task)
{
    for (size_t i = 0; i < task->need_count; ++i) {
        const struct order_need *need = &task->needs[i];
        const struct lane *lane = find_lane(threads, need->lane);
        if (lane && (need->end ? lane->ended : lane->begun) < need->call_id)
            return false;
    }
    return true;
}

/* Is every thread that has calls left waiting for another one's? */
static bool is_stuck(const struct replay_threads *threads)
{
    if (!threads->read_all && threads->open_count < CALLS_AHEAD)
        return false;
    for (size_t i = 0; i < threads->lane_count; ++i) {
        const struct lane *lane = threads->lanes[i];
        if (lane->first && !lane->held_by &&
            (lane->is_performing || is_ready(threads, lane->first)))
            return false;
    }
    return true;
}

static enum status stuck(const struct replay_threads *threads, struct error *error)
{
    for (size_t i = 0; i < threads->lane_count; ++i)
        if (threads->lanes[i]->held_by)
            return replay_held_for_ever(threads->lanes[i]->begun, error);
    return STATUS_OK;
}

enum status replay_begins(struct replay *replay, const struct api_call *call, uint64_t held_by,
                          struct error *error)
{
    if (!replay->threads)
        return STATUS_OK;
    ASSERT(current && current->is_performing);
    current->begun = call->id;
    current->held_by = held_by;
    pthread_cond_broadcast(&replay->threads->changed);
    return held_by && is_stuck(replay->threads) ? stuck(replay->threads, error) : STATUS_OK;
}

void replay_threads_held_end(const struct replay *replay, uint64_t user_event)
{
    for (size_t i = 0; replay->threads && i < replay->threads->lane_count; ++i)
        if (replay->threads->lanes[i]->held_by == user_event)
            replay->threads->lanes[i]->held_by = 0;
}

static void fail(struct replay_threads *threads, enum status status, const struct error *error)
{
    if (threads->status != STATUS_OK)
        return;
    threads->status = status;
    threads->error = *error;
}

static void fail_if_stuck(struct replay_threads *threads)
{
    struct error error;
    const enum status status = is_stuck(threads) ? stuck(threads, &error) : STATUS_OK;
    if (status != STATUS_OK)
        fail(threads, status, &error);
}

static void perform(struct replay_threads *threads, struct task *task)
{
    struct error error;
    enum status status = replay_waits_end(threads->replay, task->call.begin_ns, &error);
    if (status == STATUS_OK)
        status = replay_call(threads->replay, &task->call, false, &task->arena, &error);
    if (status != STATUS_OK)
        fail(threads, status, &error);
}

static void drop_first(struct lane *lane)
{
    struct task *task = lane->first;
    ASSERT(task && lane->threads->open_count > 0);
    lane->first = task->next;
    if (!lane->first)
        lane->last = NULL;
    arena_release(&task->arena);
    alloc_free(task);
    --lane->threads->open_count;
}

static void *run_lane(void *user)
{
    struct lane *lane = user;
    struct replay_threads *threads = lane->threads;
    current = lane;
    pthread_mutex_lock(&threads->lock);
    while (threads->status == STATUS_OK && (lane->first || !threads->read_all)) {
        if (!lane->first || !is_ready(threads, lane->first)) {
            pthread_cond_wait(&threads->changed, &threads->lock);
            continue;
        }
        ASSERT(!lane->is_performing && !lane->held_by);
        lane->is_performing = true;
        perform(threads, lane->first);
        lane->is_performing = false;
        lane->held_by = 0;
        lane->begun = lane->ended = lane->first->call.id;
        drop_first(lane);
        fail_if_stuck(threads);
        pthread_cond_broadcast(&threads->changed);
    }
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

static enum status make_lane(struct replay_threads *threads, uint64_t number, struct lane **lane,
                             struct error *error)
{
    struct lane **grown =
        alloc_grow(threads->lanes, threads->lane_count, &threads->lane_capacity, sizeof *grown);
    if (grown)
        threads->lanes = grown;
    struct lane *made = grown ? alloc_zero(1, sizeof *made) : NULL;
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->threads = threads;
    made->number = number;
    if (pthread_create(&made->thread, NULL, run_lane, made) != 0) {
        alloc_free(made);
        return error_set(error, STATUS_NO_MEMORY,
                         "the recording has more threads than can run here");
    }
    threads->lanes[threads->lane_count++] = made;
    *lane = made;
    return STATUS_OK;
}

/* With the lock. *task: NULL at the end of the recording. */
static enum status read_task(struct replay_threads *threads, struct trace_cursor *cursor,
                             struct order *order, struct task **task, struct error *error)
{
    bool found = false;
    struct task *made = alloc_zero(1, sizeof *made);
    *task = NULL;
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = trace_cursor_next(cursor, &made->arena, &made->call, &found, error);
    if (status == STATUS_OK && found)
        status = order_add(order, threads->replay->trace, &made->call, &made->arena, &made->needs,
                           &made->need_count, error);
    if (status == STATUS_OK && found) {
        *task = made;
        return STATUS_OK;
    }
    arena_release(&made->arena);
    alloc_free(made);
    return status;
}

static enum status give(struct replay_threads *threads, struct task *task, struct error *error)
{
    struct lane *lane = find_lane(threads, order_lane(&task->call));
    const enum status status =
        lane ? STATUS_OK : make_lane(threads, order_lane(&task->call), &lane, error);
    if (status != STATUS_OK) {
        arena_release(&task->arena);
        alloc_free(task);
        return status;
    }
    if (lane->last)
        lane->last->next = task;
    else
        lane->first = task;
    lane->last = task;
    ++threads->open_count;
    pthread_cond_broadcast(&threads->changed);
    return STATUS_OK;
}

/* With the lock. */
static void read_all(struct replay_threads *threads, struct trace_cursor *cursor,
                     struct order *order)
{
    struct error error;
    struct task *task = NULL;
    do {
        enum status status = read_task(threads, cursor, order, &task, &error);
        if (status == STATUS_OK && task)
            status = give(threads, task, &error);
        if (status != STATUS_OK)
            fail(threads, status, &error);
        fail_if_stuck(threads);
        while (threads->open_count >= CALLS_AHEAD && threads->status == STATUS_OK)
            pthread_cond_wait(&threads->changed, &threads->lock);
    } while (task && threads->status == STATUS_OK);
    threads->read_all = true;
    fail_if_stuck(threads);
    pthread_cond_broadcast(&threads->changed);
}

static void join(struct replay_threads *threads)
{
    for (size_t i = 0; i < threads->lane_count; ++i) {
        struct lane *lane = threads->lanes[i];
        pthread_join(lane->thread, NULL);
        while (lane->first)
            drop_first(lane);
        alloc_free(lane);
    }
    ASSERT(threads->open_count == 0);
    alloc_free(threads->lanes);
}

enum status replay_threads_run(struct replay *replay, struct trace_cursor *cursor,
                               struct error *error)
{
    struct replay_threads threads = {
        .replay = replay, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct order *order = order_create();
    if (!order)
        return error_no_memory(error, sizeof(void *));
    replay->threads = &threads;
    replay->lock = &threads.lock;
    pthread_mutex_lock(&threads.lock);
    read_all(&threads, cursor, order);
    while (threads.open_count && threads.status == STATUS_OK)
        pthread_cond_wait(&threads.changed, &threads.lock);
    /* Others may be waiting in the driver for what the one that failed was to do. */
    if (threads.status != STATUS_OK)
        replay_fail_user_events(replay);
    pthread_mutex_unlock(&threads.lock);
    join(&threads);
    replay->threads = NULL;
    replay->lock = NULL;
    replay->result->threads = threads.lane_count;
    order_destroy(order);
    if (threads.status != STATUS_OK && error)
        *error = threads.error;
    return threads.status;
}
