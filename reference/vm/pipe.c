#include "reference/vm/pipe.h"

#include "trace/base/alloc.h"

#include <string.h>

/* One end. The reservations from the first open one on, in their order: items[start] and the
 * `count` - 1 after it. */
struct end {
    uint64_t given, done;
    struct vm_reservation *items;
    size_t start, count, capacity;
    uint64_t next_serial; /* of the reservation that comes next; from 1 */
};

/* A launch that uses a pipe. */
struct vm_pipe_user {
    struct vm_pipe *pipe;
    const struct vm_run *run;
    struct vm_pipe_user *next_of_pipe, *next_of_run;
    uint64_t first_serial[2]; /* of each end: the first that may be of this launch */
    bool used[2];
};

struct vm_pipe {
    uint32_t object, packet_size, capacity;
    struct end ends[2];
    struct vm_pipe_user *users;
};

enum { SERIAL_BITS = 39 };

struct vm_pipe *vm_pipe_create(uint32_t object, uint32_t packet_size, uint32_t capacity)
{
    struct vm_pipe *pipe = alloc_zero(1, sizeof *pipe);
    if (!pipe)
        return NULL;
    pipe->object = object;
    pipe->packet_size = packet_size;
    pipe->capacity = capacity;
    pipe->ends[VM_PIPE_READ].next_serial = pipe->ends[VM_PIPE_WRITE].next_serial = 1;
    return pipe;
}

static void leave(struct vm_pipe_user *user)
{
    struct vm_pipe_user **link = &user->pipe->users;
    while (*link != user)
        link = &(*link)->next_of_pipe;
    *link = user->next_of_pipe;
    alloc_free(user);
}

void vm_pipe_destroy(struct vm_pipe *pipe)
{
    if (!pipe)
        return;
    while (pipe->users)
        leave(pipe->users);
    alloc_free(pipe->ends[VM_PIPE_READ].items);
    alloc_free(pipe->ends[VM_PIPE_WRITE].items);
    alloc_free(pipe);
}

uint32_t vm_pipe_packet_size(const struct vm_pipe *pipe)
{
    return pipe->packet_size;
}

uint32_t vm_pipe_capacity(const struct vm_pipe *pipe)
{
    return pipe->capacity;
}

uint32_t vm_pipe_available(const struct vm_pipe *pipe)
{
    return (uint32_t)(pipe->ends[VM_PIPE_WRITE].done - pipe->ends[VM_PIPE_READ].given);
}

uint64_t vm_pipe_offset(const struct vm_pipe *pipe, uint64_t packet)
{
    return packet % pipe->capacity * pipe->packet_size;
}

static struct vm_pipe_user *find_user(const struct vm_pipe *pipe, const struct vm_run *run)
{
    struct vm_pipe_user *user = pipe->users;
    while (user && user->run != run)
        user = user->next_of_pipe;
    return user;
}

bool vm_pipe_use(struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end)
{
    struct vm_pipe_user *user = find_user(pipe, run);
    if (!user)
        return false;
    user->used[end] = true;
    return user->used[1 - end];
}

bool vm_pipe_is_used(const struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end)
{
    const struct vm_pipe_user *user = find_user(pipe, run);
    return user && user->used[end];
}

/* ---- reservations ---- */

/* Packets that the end may give. */
static uint64_t left(const struct vm_pipe *pipe, enum vm_pipe_end end)
{
    return end == VM_PIPE_READ
               ? vm_pipe_available(pipe)
               : pipe->capacity - (pipe->ends[VM_PIPE_WRITE].given - pipe->ends[VM_PIPE_READ].done);
}

static bool push(struct end *end, const struct vm_reservation *reservation)
{
    if (end->start > 0 && end->start + end->count == end->capacity && end->start >= end->count) {
        memcpy(end->items, end->items + end->start, end->count * sizeof *end->items);
        end->start = 0;
    }
    struct vm_reservation *grown =
        alloc_grow(end->items, end->start + end->count, &end->capacity, sizeof *grown);
    if (!grown)
        return false;
    end->items = grown;
    grown[end->start + end->count++] = *reservation;
    end->next_serial++;
    return true;
}

/* The end is done with all before the first open reservation. */
static void pop_committed(struct end *end)
{
    while (end->count > 0 && end->items[end->start].committed) {
        end->done += end->items[end->start].count;
        end->start++;
        end->count--;
    }
    if (end->count == 0)
        end->start = 0;
}

/* `made` says all but which packets. */
static bool give(struct vm_pipe *pipe, enum vm_pipe_end which, uint64_t count,
                 struct vm_reservation made)
{
    struct end *end = &pipe->ends[which];
    made.first = end->given;
    made.count = (uint32_t)count;
    if (count > left(pipe, which) || !push(end, &made))
        return false;
    end->given += count;
    pop_committed(end);
    return true;
}

bool vm_pipe_pass(struct vm_pipe *pipe, enum vm_pipe_end end, uint64_t *packet)
{
    *packet = pipe->ends[end].given;
    return give(pipe, end, 1, (struct vm_reservation){.committed = true});
}

uint64_t vm_pipe_reserve(struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end,
                         uint64_t count, uint32_t site)
{
    const uint64_t serial = pipe->ends[end].next_serial;
    if (!give(pipe, end, count, (struct vm_reservation){.run = run, .site = site}))
        return 0;
    return (uint64_t)pipe->object << (SERIAL_BITS + 1) | serial << 1 | end;
}

enum observer_pipe_misuse vm_pipe_find(struct vm_pipe *pipe, const struct vm_run *run,
                                       enum vm_pipe_end which, uint64_t id,
                                       struct vm_reservation **found)
{
    struct end *end = &pipe->ends[which];
    const struct vm_pipe_user *user = find_user(pipe, run);
    const uint64_t serial = id >> 1 & ((UINT64_C(1) << SERIAL_BITS) - 1);
    const uint64_t first = end->next_serial - end->count;
    *found = NULL;
    if (id == 0)
        return OBSERVER_PIPE_NO_RESERVATION;
    if (id >> (SERIAL_BITS + 1) != pipe->object || (id & 1) != which || serial == 0 ||
        serial >= end->next_serial)
        return OBSERVER_PIPE_OTHER_RESERVATION;
    if (user && serial < user->first_serial[which])
        return OBSERVER_PIPE_OTHER_LAUNCH;
    if (serial >= first && end->items[end->start + (serial - first)].run != run)
        return OBSERVER_PIPE_OTHER_LAUNCH;
    if (serial < first || end->items[end->start + (serial - first)].committed)
        return OBSERVER_PIPE_COMMITTED;
    *found = &end->items[end->start + (serial - first)];
    return OBSERVER_PIPE_RIGHT;
}

void vm_pipe_commit(struct vm_pipe *pipe, enum vm_pipe_end end, struct vm_reservation *reservation)
{
    reservation->committed = true;
    pop_committed(&pipe->ends[end]);
}

/* ---- launches ---- */

void vm_pipe_join(struct vm_pipe *pipe, struct vm_run *run)
{
    struct vm_pipe_user *user = find_user(pipe, run) ? NULL : alloc_zero(1, sizeof *user);
    if (!user)
        return;
    *user = (struct vm_pipe_user){
        .pipe = pipe, .run = run, .next_of_pipe = pipe->users, .next_of_run = run->pipes};
    for (int end = VM_PIPE_READ; end <= VM_PIPE_WRITE; end++)
        user->first_serial[end] = pipe->ends[end].next_serial;
    pipe->users = user;
    run->pipes = user;
}

void vm_pipes_end(struct vm_run *run,
                  void (*lost)(void *user, uint32_t object, enum vm_pipe_end end,
                               const struct vm_reservation *reservation),
                  void *user)
{
    while (run->pipes) {
        struct vm_pipe_user *here = run->pipes;
        struct vm_pipe *pipe = here->pipe;
        run->pipes = here->next_of_run;
        for (int which = VM_PIPE_READ; which <= VM_PIPE_WRITE; which++) {
            struct end *end = &pipe->ends[which];
            for (size_t i = end->start; i < end->start + end->count; i++) {
                if (end->items[i].run != run)
                    continue;
                if (!end->items[i].committed)
                    lost(user, pipe->object, (enum vm_pipe_end)which, &end->items[i]);
                end->items[i].committed = true;
            }
            pop_committed(end);
        }
        leave(here);
    }
}
