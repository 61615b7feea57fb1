#include "checkers/order/commands.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/spin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Strands that are not queue. */
enum { STRAND_USER_EVENTS, STRAND_HOST, STRAND_ACROSS, STRAND_FIRST_QUEUE };

/* The commands first to last of a strand. */
struct stretch {
    uint32_t strand;
    uint64_t first, last;
};

/* Sorted by strand and number; stretches neither overlap nor touch. User events stand in it until
 * they are set; then what the host knew stands there in their stead. */
struct past {
    struct stretch *stretches;
    size_t count, capacity;
};

/* A queue, or one of the strands that are none. Its storage stays when the queue is gone, and
 * another one goes on with its numbers: so threads may find a queue that ends. */
struct commands_queue {
    _Alignas(64) pthread_mutex_t mutex; /* commands_queue_lock */
    void *user;
    uint32_t strand;
    bool in_order;
    bool idle;                /* the queue is gone */
    uint64_t before_first;    /* number of the last command of the queue before it */
    _Atomic uint64_t last;    /* number of its latest command; set with the lock */
    _Atomic uint64_t flushed; /* of the latest after which it was flushed */
    struct ordered_command *alive;
    struct ordered_command *spare;             /* gone ones: programs enqueue as many again */
    _Atomic(struct ordered_command *) dropped; /* that are to go from `alive` to `spare` */
    struct past all;                           /* its commands so far, with their pasts */
    struct past gate;                          /* its barriers: if out of order later ones wait */
    struct past beside;    /* in order: what is in other queues too, and so has no place in it */
    uint64_t gate_of_list; /* the latest barrier with a wait list; 0 = none */
    uint64_t host_version; /* of what the host knew at its latest command */
};

struct ordered_command {
    struct ordered_command *next, *previous; /* in `alive` of `home`, or in `spare` */
    struct ordered_command *next_dropped;
    struct commands_queue *home; /* where its storage belongs, for ever */
    _Atomic uint32_t references;
    uint32_t strand;
    uint64_t number;
    struct past before;
    atomic_bool status_asked;
    bool has_list; /* a marker or barrier with a wait list */
    /* The latest of those that it waits for. */
    uint32_t list_strand;
    uint64_t list_number;
};

struct commands {
    pthread_mutex_t mutex;          /* commands_lock */
    size_t locked_count;            /* strands that it has locked */
    struct commands_queue **queues; /* by strand */
    size_t queue_count, queue_capacity;
    size_t in_order_count, out_of_order_count; /* of those that are not gone */
    atomic_bool lost;                          /* memory ran out */
    /* Under a lock of its own, taken last. */
    _Alignas(64) struct spin host_lock;
    struct past host; /* what the host knows */
    _Atomic uint64_t host_version;
};

/* ---- sets ---- */

static void past_release(struct past *past)
{
    alloc_free(past->stretches);
    *past = (struct past){0};
}

/* The index of the first stretch that ends at the number, or after it. */
static size_t past_find(const struct past *past, uint32_t strand, uint64_t number)
{
    size_t low = 0;
    size_t high = past->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct stretch *stretch = &past->stretches[middle];
        if (stretch->strand < strand || (stretch->strand == strand && stretch->last < number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool past_has(const struct past *past, uint32_t strand, uint64_t number)
{
    const size_t at = past_find(past, strand, number);
    return at < past->count && past->stretches[at].strand == strand &&
           past->stretches[at].first <= number;
}

/* Sorted, with a gap between them. */
static bool is_apart(const struct stretch *a, const struct stretch *b)
{
    return a->strand < b->strand || (a->strand == b->strand && a->last + 1 < b->first);
}

static bool past_add(struct past *past, const struct stretch *added)
{
    ASSERT(added->first <= added->last);
    struct stretch joined = *added;
    /* From the first that touches it, to the first that does not. */
    const size_t from = past_find(past, added->strand, added->first > 0 ? added->first - 1 : 0);
    size_t to = from;
    while (to < past->count && past->stretches[to].strand == added->strand &&
           past->stretches[to].first <= added->last + 1) {
        const struct stretch *old = &past->stretches[to++];
        joined.first = old->first < joined.first ? old->first : joined.first;
        joined.last = old->last > joined.last ? old->last : joined.last;
    }
    if (to == from) {
        void *grown =
            alloc_grow(past->stretches, past->count, &past->capacity, sizeof *past->stretches);
        if (!grown)
            return false;
        past->stretches = grown;
    }
    memmove(&past->stretches[from + 1], &past->stretches[to],
            (past->count - to) * sizeof *past->stretches);
    past->stretches[from] = joined;
    past->count += 1 + from - to;
    ASSERT(from == 0 || is_apart(&past->stretches[from - 1], &joined));
    ASSERT(from + 1 == past->count || is_apart(&joined, &past->stretches[from + 1]));
    return true;
}

/* The same as another, in the room that it has. */
static bool past_copy(struct past *past, const struct past *other)
{
    while (past->capacity < other->count) {
        void *grown =
            alloc_grow(past->stretches, past->capacity, &past->capacity, sizeof *past->stretches);
        if (!grown)
            return false;
        past->stretches = grown;
    }
    memcpy(past->stretches, other->stretches, other->count * sizeof *past->stretches);
    past->count = other->count;
    return true;
}

static bool past_join(struct past *past, const struct past *other)
{
    if (past->count == 0 && other->count > 0)
        return past_copy(past, other);
    for (size_t i = 0; i < other->count; i++) {
        if (!past_add(past, &other->stretches[i]))
            return false;
    }
    return true;
}

/* User events have the lowest strand. */
static bool past_is_settled(const struct past *past)
{
    return past->count == 0 || past->stretches[0].strand != STRAND_USER_EVENTS;
}

/* Takes one user event out; false when it was not there, or memory is out (*lost). */
static bool past_remove_event(struct past *past, uint64_t number, atomic_bool *lost)
{
    if (!past_has(past, STRAND_USER_EVENTS, number))
        return false;
    const size_t at = past_find(past, STRAND_USER_EVENTS, number);
    const struct stretch old = past->stretches[at];
    past->count--;
    memmove(&past->stretches[at], &past->stretches[at + 1],
            (past->count - at) * sizeof *past->stretches);
    const struct stretch below = {STRAND_USER_EVENTS, old.first, number - 1};
    const struct stretch above = {STRAND_USER_EVENTS, number + 1, old.last};
    if ((number > old.first && !past_add(past, &below)) ||
        (number < old.last && !past_add(past, &above)))
        *lost = true;
    return true;
}

static bool past_add_command(struct past *past, const struct ordered_command *command)
{
    const struct stretch self = {command->strand, command->number, command->number};
    return past_join(past, &command->before) && past_add(past, &self);
}

/* Memory did not suffice: then nothing is unordered any more. */
static void note_complete(struct commands *commands, bool complete)
{
    if (!complete)
        commands->lost = true;
}

/* ---- strands and queues ---- */

static struct commands_queue *queue_find_idle(const struct commands *commands)
{
    for (size_t i = STRAND_FIRST_QUEUE; i < commands->queue_count; i++)
        if (commands->queues[i]->idle)
            return commands->queues[i];
    return NULL;
}

/* The next strand; NULL when memory is out. */
static struct commands_queue *queue_add(struct commands *commands)
{
    void *grown = alloc_grow(commands->queues, commands->queue_count, &commands->queue_capacity,
                             sizeof(struct commands_queue *));
    struct commands_queue *queue =
        grown ? alloc_aligned(_Alignof(struct commands_queue), sizeof *queue) : NULL;
    if (grown)
        commands->queues = grown;
    if (!queue)
        return NULL;
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->mutex, NULL);
    queue->strand = (uint32_t)commands->queue_count;
    commands->queues[commands->queue_count++] = queue;
    return queue;
}

static void list_free(struct ordered_command *list)
{
    while (list) {
        struct ordered_command *command = list;
        list = command->next;
        past_release(&command->before);
        alloc_free(command);
    }
}

struct commands *commands_create(void)
{
    struct commands *commands = alloc_aligned(_Alignof(struct commands), sizeof *commands);
    if (!commands)
        return NULL;
    memset(commands, 0, sizeof *commands);
    pthread_mutex_init(&commands->mutex, NULL);
    for (size_t i = 0; i < STRAND_FIRST_QUEUE; i++) {
        if (!queue_add(commands)) {
            commands_destroy(commands);
            return NULL;
        }
    }
    return commands;
}

void commands_destroy(struct commands *commands)
{
    if (!commands)
        return;
    for (size_t i = 0; i < commands->queue_count; i++) {
        struct commands_queue *queue = commands->queues[i];
        list_free(queue->alive);
        list_free(queue->spare);
        past_release(&queue->all);
        past_release(&queue->gate);
        past_release(&queue->beside);
        pthread_mutex_destroy(&queue->mutex);
        alloc_free(queue);
    }
    past_release(&commands->host);
    pthread_mutex_destroy(&commands->mutex);
    alloc_free(commands->queues);
    alloc_free(commands);
}

struct commands_queue *commands_queue_create(struct commands *commands, bool in_order)
{
    struct commands_queue *queue = queue_find_idle(commands);
    if (!queue)
        queue = queue_add(commands);
    if (!queue)
        return NULL;
    queue->idle = false;
    queue->before_first = queue->last;
    queue->flushed = queue->last;
    queue->in_order = in_order;
    queue->gate_of_list = 0;
    *(in_order ? &commands->in_order_count : &commands->out_of_order_count) += 1;
    return queue;
}

void commands_queue_destroy(struct commands *commands, struct commands_queue *queue)
{
    ASSERT(!queue->idle && queue->strand >= STRAND_FIRST_QUEUE);
    *(queue->in_order ? &commands->in_order_count : &commands->out_of_order_count) -= 1;
    queue->idle = true;
    past_release(&queue->all);
    past_release(&queue->gate);
    past_release(&queue->beside);
}

void **commands_queue_user(struct commands_queue *queue)
{
    return &queue->user;
}

bool commands_are_concurrent(const struct commands *commands)
{
    return commands->in_order_count > 1 || commands->out_of_order_count > 0;
}

/* ---- threads ---- */

void commands_lock(struct commands *commands)
{
    pthread_mutex_lock(&commands->mutex);
    commands->locked_count = commands->queue_count;
    for (size_t i = 0; i < commands->locked_count; i++)
        pthread_mutex_lock(&commands->queues[i]->mutex);
}

void commands_unlock(struct commands *commands)
{
    for (size_t i = 0; i < commands->locked_count; i++)
        pthread_mutex_unlock(&commands->queues[i]->mutex);
    pthread_mutex_unlock(&commands->mutex);
}

void commands_queue_lock(struct commands_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
}

void commands_queue_unlock(struct commands_queue *queue)
{
    pthread_mutex_unlock(&queue->mutex);
}

/* ---- commands ---- */

/* Moves what was dropped from `alive` to `spare`. */
static void collect_dropped(struct commands_queue *home)
{
    struct ordered_command *command =
        atomic_exchange_explicit(&home->dropped, NULL, memory_order_acquire);
    for (; command; command = command->next_dropped) {
        ASSERT(command->home == home && atomic_load(&command->references) == 0);
        if (command->previous)
            command->previous->next = command->next;
        else
            home->alive = command->next;
        if (command->next)
            command->next->previous = command->previous;
        command->next = home->spare;
        home->spare = command;
    }
}

/* A new command, with nothing in its past, but room for it if it is not the first of its storage.
 */
static struct ordered_command *command_take(struct commands_queue *home)
{
    if (!home->spare)
        collect_dropped(home);
    struct ordered_command *command = home->spare;
    if (!command && (command = alloc_zero(1, sizeof *command)))
        command->home = home;
    else if (command)
        home->spare = command->next;
    return command;
}

static void command_give_back(struct commands_queue *home, struct ordered_command *command)
{
    command->next = home->spare;
    home->spare = command;
}

/* Gives it its number. */
static void command_begin(struct commands_queue *home, struct ordered_command *command)
{
    ASSERT(command->home == home);
    const uint64_t number = atomic_load_explicit(&home->last, memory_order_relaxed) + 1;
    command->strand = home->strand;
    command->number = number;
    command->has_list = false;
    command->list_number = 0;
    atomic_store_explicit(&command->status_asked, false, memory_order_relaxed);
    atomic_store_explicit(&command->references, 1, memory_order_release);
    atomic_store_explicit(&home->last, number, memory_order_relaxed);
    command->previous = NULL;
    command->next = home->alive;
    if (command->next)
        command->next->previous = command;
    home->alive = command;
}

static struct ordered_command *command_create(struct commands *commands,
                                              struct commands_queue *home)
{
    struct ordered_command *command = command_take(home);
    note_complete(commands, command != NULL);
    if (command) {
        command->before.count = 0;
        command_begin(home, command);
    }
    return command;
}

void command_retain_times(struct ordered_command *command, uint32_t count)
{
    if (!command)
        return;
    const uint32_t before =
        atomic_fetch_add_explicit(&command->references, count, memory_order_relaxed);
    ASSERT(before > 0); /* somebody holds it */
}

struct ordered_command *command_retain(struct ordered_command *command)
{
    command_retain_times(command, 1);
    return command;
}

bool command_retain_living(struct ordered_command *command)
{
    uint32_t count = atomic_load_explicit(&command->references, memory_order_relaxed);
    while (count > 0 &&
           !atomic_compare_exchange_weak_explicit(&command->references, &count, count + 1,
                                                  memory_order_acquire, memory_order_relaxed))
        continue;
    return count > 0;
}

void command_drop_times(struct ordered_command *command, uint32_t count)
{
    if (!command)
        return;
    const uint32_t before =
        atomic_fetch_sub_explicit(&command->references, count, memory_order_acq_rel);
    ASSERT(before >= count);
    if (before > count)
        return;
    struct commands_queue *home = command->home;
    struct ordered_command *next = atomic_load_explicit(&home->dropped, memory_order_relaxed);
    do {
        command->next_dropped = next;
    } while (!atomic_compare_exchange_weak_explicit(&home->dropped, &next, command,
                                                    memory_order_release, memory_order_relaxed));
}

void command_drop(struct ordered_command *command)
{
    command_drop_times(command, 1);
}

struct commands_queue *command_home(const struct ordered_command *command)
{
    return command->home;
}

uint32_t commands_queue_number(const struct commands_queue *queue)
{
    return queue->strand;
}

static void keep_latest_list(struct ordered_command *command, uint32_t strand, uint64_t number)
{
    if (number > 0) {
        command->list_strand = strand;
        command->list_number = number;
    }
}

/* A command that waits for those before it in its in-order queue, since when the host has learned
 * nothing. NULL: it is not as simple as that. */
static struct ordered_command *enqueue_next(const struct commands *commands,
                                            const struct commands_request *request)
{
    struct commands_queue *queue = request->queue;
    struct past *all = &queue->all;
    if (request->event_count > 0 || request->orders)
        return NULL;
    const size_t at = past_find(all, queue->strand, queue->last);
    if (!queue->in_order || queue->host_version != commands_host_version(commands) ||
        commands->lost || !past_is_settled(all) || at == all->count ||
        all->stretches[at].strand != queue->strand)
        return NULL;
    struct ordered_command *command = command_take(queue);
    if (!command)
        return NULL;
    if (!past_copy(&command->before, all)) {
        command_give_back(queue, command);
        return NULL;
    }
    command_begin(queue, command);
    all->stretches[at].last = command->number;
    return command;
}

/* False when memory is out. */
static bool wait_for_host(struct commands *commands, struct ordered_command *command)
{
    spin_lock(&commands->host_lock);
    const bool complete = past_join(&command->before, &commands->host);
    spin_unlock(&commands->host_lock);
    return complete;
}

static bool wait_for_events(struct ordered_command *command, struct ordered_command *const *events,
                            size_t count)
{
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        const struct ordered_command *event = events[i];
        if (!event)
            continue;
        complete &= past_add_command(&command->before, event);
        keep_latest_list(command, event->list_strand, event->list_number);
        if (event->has_list)
            keep_latest_list(command, event->strand, event->number);
    }
    return complete;
}

struct ordered_command *commands_enqueue(struct commands *commands,
                                         const struct commands_request *request)
{
    struct commands_queue *queue = request->queue;
    struct ordered_command *command = enqueue_next(commands, request);
    if (command || !(command = command_create(commands, queue)))
        return command;
    const bool waits_all = queue->in_order || (request->orders && request->event_count == 0);
    bool complete = past_join(&command->before, waits_all ? &queue->all : &queue->gate);
    if (request->orders && request->event_count == 0)
        complete &= past_join(&command->before, &queue->beside);
    queue->host_version = commands_host_version(commands);
    complete &= wait_for_host(commands, command);
    if (!waits_all)
        keep_latest_list(command, queue->strand, queue->gate_of_list);
    complete &= wait_for_events(command, request->events, request->event_count);
    command->has_list = request->orders && request->event_count > 0;
    complete &= past_add_command(&queue->all, command);
    if (request->bars) {
        complete &= past_add_command(&queue->gate, command);
        queue->gate_of_list = command->has_list ? command->number : 0;
    }
    note_complete(commands, complete);
    return command;
}

struct ordered_command *commands_enqueue_across(struct commands *commands,
                                                const struct commands_span *span)
{
    struct ordered_command *command = command_create(commands, commands->queues[STRAND_ACROSS]);
    if (!command)
        return NULL;
    bool complete = wait_for_host(commands, command);
    for (size_t i = 0; i < span->queue_count; i++) {
        const struct commands_queue *queue = span->queues[i];
        complete &= past_join(&command->before, &queue->gate);
        keep_latest_list(command, queue->strand, queue->gate_of_list);
    }
    complete &= wait_for_events(command, span->events, span->event_count);
    for (size_t i = 0; i < span->queue_count; i++) {
        struct commands_queue *queue = span->queues[i];
        complete &= past_add_command(queue->in_order ? &queue->beside : &queue->all, command);
        commands_flushed(queue);
    }
    note_complete(commands, complete);
    return command;
}

/* ---- flushing ---- */

void commands_flushed(struct commands_queue *queue)
{
    atomic_store_explicit(&queue->flushed, queue->last, memory_order_relaxed);
}

void commands_event_flushed(const struct ordered_command *event)
{
    if (event)
        commands_flushed(event->home);
}

bool command_is_flushed(const struct ordered_command *command)
{
    return !command || command->number <= command->home->flushed;
}

void commands_refused(const struct ordered_command *command)
{
    struct commands_queue *queue = command->home;
    ASSERT(command->number <= queue->last);
    if (queue->flushed + 1 == command->number)
        atomic_store_explicit(&queue->flushed, command->number, memory_order_relaxed);
}

static bool host_has(struct commands *commands, uint32_t strand, uint64_t number)
{
    spin_lock(&commands->host_lock);
    const bool has = past_has(&commands->host, strand, number);
    spin_unlock(&commands->host_lock);
    return has;
}

static bool may_not_begin(struct commands *commands, uint32_t strand, uint64_t number)
{
    return number > commands->queues[strand]->flushed && !host_has(commands, strand, number);
}

bool commands_has_unflushed(struct commands *commands, const struct commands_queue *queue)
{
    return !commands->lost && may_not_begin(commands, queue->strand, queue->last);
}

/* Is it the strand of the queue, or of one of the events? */
static bool is_flushed_by(const struct commands_wait *wait, uint32_t strand)
{
    bool found = wait->queue && wait->queue->strand == strand;
    for (size_t i = 0; !wait->queue && i < wait->event_count && !found; i++)
        found = wait->events[i] && wait->events[i]->strand == strand;
    return found;
}

/* The queue of a strand that need not begin what the past has of it. */
static const struct commands_queue *
find_in_past(struct commands *commands, const struct commands_wait *wait, const struct past *past)
{
    for (size_t i = 0; i < past->count; i++) {
        const struct stretch *stretch = &past->stretches[i];
        const struct commands_queue *queue = commands->queues[stretch->strand];
        if (stretch->strand >= STRAND_FIRST_QUEUE && !queue->idle &&
            !is_flushed_by(wait, stretch->strand) &&
            may_not_begin(commands, stretch->strand, stretch->last))
            return queue;
    }
    return NULL;
}

const struct commands_queue *commands_find_unflushed(struct commands *commands,
                                                     const struct commands_wait *wait)
{
    const struct commands_queue *queue = wait->queue;
    const struct commands_queue *found = NULL;
    if (commands->lost)
        return NULL;
    if (queue)
        found = find_in_past(commands, wait,
                             wait->finishes || queue->in_order ? &queue->all : &queue->gate);
    for (size_t i = 0; i < wait->event_count && !found; i++) {
        const struct ordered_command *event = wait->events[i];
        struct past self = {0};
        if (event && past_add_command(&self, event))
            found = find_in_past(commands, wait, &self);
        past_release(&self);
    }
    return found;
}

bool commands_wait_for_user_event(const struct commands *commands, const struct commands_wait *wait)
{
    const struct commands_queue *queue = wait->queue;
    bool settled = commands->lost || !queue ||
                   past_is_settled(wait->finishes || queue->in_order ? &queue->all : &queue->gate);
    for (size_t i = 0; i < wait->event_count && !commands->lost; i++)
        settled &= command_is_settled(wait->events[i]);
    return !settled;
}

/* ---- the host ---- */

/* What the host learns, begun by taking its lock; the version is for those who do without. */
static void host_begin(struct commands *commands)
{
    spin_lock(&commands->host_lock);
    atomic_fetch_add_explicit(&commands->host_version, 1, memory_order_relaxed);
}

static void host_end(struct commands *commands, bool complete)
{
    spin_unlock(&commands->host_lock);
    note_complete(commands, complete);
}

struct ordered_command *commands_host_acts(struct commands *commands)
{
    struct ordered_command *command = command_create(commands, commands->queues[STRAND_HOST]);
    if (!command)
        return NULL;
    host_begin(commands);
    const bool complete =
        past_join(&command->before, &commands->host) && past_add_command(&commands->host, command);
    host_end(commands, complete);
    return command;
}

/* ---- user events ---- */

struct ordered_command *commands_create_user_event(struct commands *commands)
{
    return command_create(commands, commands->queues[STRAND_USER_EVENTS]);
}

/* In a past that waits for the event, puts the command in its place, or what the host knows. */
static void settle(struct commands *commands, struct past *past, uint64_t number,
                   const struct ordered_command *command)
{
    if (past_remove_event(past, number, &commands->lost))
        note_complete(commands,
                      command ? past_add_command(past, command) : past_join(past, &commands->host));
}

/* In all pasts, with the host's lock. */
static void settle_all(struct commands *commands, const struct ordered_command *event,
                       const struct ordered_command *by)
{
    for (size_t i = 0; i < commands->queue_count; i++) {
        struct commands_queue *queue = commands->queues[i];
        for (struct ordered_command *command = queue->alive; command; command = command->next)
            settle(commands, &command->before, event->number, by);
        settle(commands, &queue->all, event->number, by);
        settle(commands, &queue->gate, event->number, by);
        settle(commands, &queue->beside, event->number, by);
    }
    settle(commands, &commands->host, event->number, by);
}

static bool is_unset(const struct ordered_command *event)
{
    return event && event->strand == STRAND_USER_EVENTS;
}

void commands_set_user_event(struct commands *commands, struct ordered_command *event)
{
    if (!is_unset(event))
        return;
    host_begin(commands);
    settle_all(commands, event, NULL);
    /* From now on it is something that the host did. */
    bool complete = past_join(&event->before, &commands->host);
    event->strand = STRAND_HOST;
    event->number = ++commands->queues[STRAND_HOST]->last;
    complete &= past_add_command(&commands->host, event);
    host_end(commands, complete);
}

void commands_end_user_event(struct commands *commands, struct ordered_command *event,
                             const struct ordered_command *command)
{
    if (!command || !is_unset(event))
        return;
    host_begin(commands);
    settle_all(commands, event, command);
    /* From now on it is another name of the command. */
    const bool complete = past_join(&event->before, &command->before);
    event->strand = command->strand;
    event->number = command->number;
    host_end(commands, complete);
}

bool command_is_settled(const struct ordered_command *command)
{
    return !command || (past_is_settled(&command->before) && command->strand != STRAND_USER_EVENTS);
}

/* ---- what is known ---- */

void commands_host_waited(struct commands *commands, const struct ordered_command *command)
{
    host_begin(commands);
    host_end(commands, !command || past_add_command(&commands->host, command));
}

void commands_host_finished(struct commands *commands, const struct commands_queue *queue)
{
    host_begin(commands);
    host_end(commands,
             past_join(&commands->host, &queue->all) && past_join(&commands->host, &queue->beside));
}

uint64_t commands_host_version(const struct commands *commands)
{
    return atomic_load_explicit(&commands->host_version, memory_order_relaxed);
}

bool commands_host_knows(struct commands *commands, const struct ordered_command *command)
{
    return commands->lost || !command || host_has(commands, command->strand, command->number);
}

bool command_follows(const struct commands *commands, const struct ordered_command *command,
                     const struct ordered_command *earlier)
{
    return commands->lost || !command || !earlier ||
           past_has(&command->before, earlier->strand, earlier->number);
}

bool command_is_next(const struct ordered_command *command, const struct ordered_command *earlier)
{
    const struct commands_queue *home = command->home;
    return earlier->home == home && home->in_order && earlier->number > home->before_first &&
           earlier->number <= command->number;
}

void command_note_status_asked(struct ordered_command *command)
{
    if (command)
        atomic_store_explicit(&command->status_asked, true, memory_order_relaxed);
}

unsigned command_why_unordered(const struct ordered_command *earlier,
                               const struct ordered_command *later)
{
    unsigned why = 0;
    if (later->strand == STRAND_HOST)
        why |= COMMAND_LATER_IS_HOST;
    else if (earlier->strand != later->strand)
        why |= COMMAND_QUEUES_DIFFER;
    if (earlier->strand == STRAND_ACROSS)
        why |= COMMAND_EARLIER_ACROSS;
    if (later->strand == STRAND_ACROSS)
        why |= COMMAND_LATER_ACROSS;
    if (later->list_number > earlier->number && later->list_strand == earlier->strand)
        why |= COMMAND_LIST_BETWEEN;
    if (atomic_load_explicit(&earlier->status_asked, memory_order_relaxed))
        why |= COMMAND_STATUS_ASKED;
    return why;
}
