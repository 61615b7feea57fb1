/* Built-in functions on pipes: lanes act one after the other; which packet each one gets is decided
 * for all of them, then the packets move between the pipe and memory, the memory's side of it by
 * the gate. Work-items that share a reservation may name the same packet of it; others have each
 * packet to themselves, so of the pipe's own side only writes to reserved ones are told. */
#include "reference/vm/access.h"
#include "reference/vm/pipe.h"
#include "reference/vm/undefined_rows.h"

#include <string.h>

/* ---- telling ---- */

static void tell(const struct vm_vector *vector, uint32_t site, const struct vm_object *object,
                 enum vm_pipe_end end, const struct observer_pipe *misuse, uint64_t lanes)
{
    vm_tell_fault(vector, &(struct observer_fault){
                              .kind = misuse ? OBSERVER_FAULT_PIPE : OBSERVER_FAULT_FREED,
                              .site = site,
                              .access = end == VM_PIPE_READ ? OBSERVER_READ : OBSERVER_WRITE,
                              .object = &object->identity,
                              .size = misuse ? 0 : 1,
                              .mask = lanes,
                              .pipe = misuse});
}

/* ---- one use of a pipe ---- */

static const struct vm_object *find_pipe(const struct vm_vector *vector, uint64_t pointer)
{
    const struct vm_object *object = access_object(vector, pointer);
    return object && object->is_pipe ? object : NULL;
}

const struct vm_object *vm_pipe_begin(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                                      uint64_t pointer, enum vm_pipe_end end)
{
    const struct vm_object *object = find_pipe(vector, pointer);
    if (!object)
        return NULL;
    if (object->freed) {
        tell(vector, site, object, end, NULL, lanes);
        return NULL;
    }
    const struct observer *observer = vector->run->observer;
    if (observer && observer->pipe_end)
        observer->pipe_end(observer->state, site, &object->identity, end == VM_PIPE_WRITE);
    vm_pipe_join(object->pipe, vector->run);
    if (vm_pipe_use(object->pipe, vector->run, end))
        tell(vector, site, object, end, &(struct observer_pipe){.misuse = OBSERVER_PIPE_BOTH_ENDS},
             lanes);
    return object;
}

/* What lies in the packets is nothing that anybody wrote. */
static void undefine(const struct vm_object *object, const struct vm_run *run, uint64_t id)
{
    struct vm_reservation *reservation;
    const uint32_t size = vm_pipe_packet_size(object->pipe);
    if (vm_pipe_find(object->pipe, run, VM_PIPE_WRITE, id, &reservation) != OBSERVER_PIPE_RIGHT)
        return;
    for (uint32_t i = 0; i < reservation->count; i++) {
        const uint64_t offset = vm_pipe_offset(object->pipe, reservation->first + i);
        memset(object->bytes + offset, 0, size);
        bits_fill(object->undefined, offset, size, true);
    }
}

uint64_t vm_pipe_begin_reservation(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                                   uint64_t pointer, enum vm_pipe_end end, uint64_t count)
{
    const struct vm_object *object = vm_pipe_begin(vector, site, lanes, pointer, end);
    const uint64_t id = object ? vm_pipe_reserve(object->pipe, vector->run, end, count, site) : 0;
    if (id != 0 && end == VM_PIPE_WRITE)
        undefine(object, vector->run, id);
    vector->run->progress_count += id != 0;
    return id;
}

void vm_pipe_end_reservation(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                             uint64_t pointer, enum vm_pipe_end end, uint64_t id)
{
    struct vm_reservation *reservation;
    const struct vm_object *object = vm_pipe_begin(vector, site, lanes, pointer, end);
    if (!object)
        return;
    const enum observer_pipe_misuse misuse =
        vm_pipe_find(object->pipe, vector->run, end, id, &reservation);
    if (misuse == OBSERVER_PIPE_RIGHT)
        vm_pipe_commit(object->pipe, end, reservation);
    else
        tell(vector, site, object, end, &(struct observer_pipe){.misuse = misuse}, lanes);
    vector->run->progress_count++;
}

/* ---- packets ---- */

struct transfer {
    struct vm_vector *vector;
    const struct vm_instruction *in;
    uint32_t site;
    enum vm_pipe_end end;
    bool reserved;
    uint64_t untold;    /* an argument is undefined */
    uint64_t exclusive; /* nobody else can mean the packet, or it may be used anew */
    /* Of lanes that made the same mistake, which is that of the lowest of them. */
    uint64_t wrong[OBSERVER_PIPE_MISUSE_COUNT];
    struct observer_pipe misuses[OBSERVER_PIPE_MISUSE_COUNT];
};

static void note_misuse(struct transfer *transfer, const struct observer_pipe *misuse,
                        uint32_t lane)
{
    const uint64_t bit = UINT64_C(1) << lane & ~transfer->untold;
    if (bit && (bit < (transfer->wrong[misuse->misuse] & -transfer->wrong[misuse->misuse]) ||
                !transfer->wrong[misuse->misuse]))
        transfer->misuses[misuse->misuse] = *misuse;
    transfer->wrong[misuse->misuse] |= bit;
}

/* The packet that a lane means; false: it gets none. */
static bool find_packet(struct transfer *transfer, const struct vm_object *object, uint32_t lane,
                        uint64_t *packet)
{
    struct vm_vector *const vector = transfer->vector;
    const vm_row rows = transfer->in->b;
    struct vm_reservation *reservation;
    if (!transfer->reserved)
        return vm_pipe_pass(object->pipe, transfer->end, packet);
    const uint64_t id = ROW(u64, rows + 8)[lane];
    const uint64_t index = ROW(u64, rows + 16)[lane];
    struct observer_pipe misuse = {
        .misuse = vm_pipe_find(object->pipe, vector->run, transfer->end, id, &reservation),
        .index = index};
    if (reservation && index >= reservation->count) {
        misuse.misuse = OBSERVER_PIPE_INDEX;
        misuse.count = reservation->count;
    }
    if (misuse.misuse != OBSERVER_PIPE_RIGHT) {
        note_misuse(transfer, &misuse, lane);
        return false;
    }
    *packet = reservation->first + index;
    return true;
}

static bool size_fits(struct transfer *transfer, const struct vm_object *object, uint64_t lanes)
{
    const struct observer_pipe misuse = {.misuse = OBSERVER_PIPE_PACKET_SIZE,
                                         .size = transfer->in->c,
                                         .packet_size = vm_pipe_packet_size(object->pipe)};
    if (misuse.size == misuse.packet_size)
        return true;
    tell(transfer->vector, transfer->site, object, transfer->end, &misuse, lanes);
    return false;
}

/* Lanes that use one pipe get their packets: places[] says where these lie. */
static uint64_t find_packets(struct transfer *transfer, uint64_t pointer, uint64_t lanes,
                             uint64_t places[VM_LANES])
{
    struct vm_vector *vector = transfer->vector;
    const struct vm_object *object =
        vm_pipe_begin(vector, transfer->site, lanes, pointer, transfer->end);
    uint64_t served = 0;
    if (!object || !size_fits(transfer, object, lanes))
        return 0;
    FOR_LANES_IN_ORDER(lane, lanes, vector->run->lane_order) {
        uint64_t packet;
        if (!find_packet(transfer, object, lane, &packet))
            continue;
        places[lane] = pointer + vm_pipe_offset(object->pipe, packet);
        served |= UINT64_C(1) << lane;
    }
    if (!transfer->reserved ||
        vm_pipe_is_used(object->pipe, transfer->vector->run, 1 - transfer->end))
        transfer->exclusive |= lanes;
    for (int m = 0; m < OBSERVER_PIPE_MISUSE_COUNT; m++) {
        tell(vector, transfer->site, object, transfer->end, &transfer->misuses[m],
             transfer->wrong[m]);
        transfer->wrong[m] = 0;
    }
    return served;
}

static void move_packets(const struct transfer *transfer, uint64_t served,
                         const uint64_t places[VM_LANES], uint64_t undefined_pointers)
{
    enum { PIECE = 128 }; /* the most that the gate takes at once */
    struct vm_vector *const vector = transfer->vector;
    const row_u64 *pointers = ROW(u64, transfer->in->b);
    const bool writes = transfer->end == VM_PIPE_WRITE;
    struct vm_copy copy = {.site = transfer->site,
                           .mask = served,
                           .untold_to =
                               writes ? transfer->untold | transfer->exclusive : undefined_pointers,
                           .untold_from = writes ? undefined_pointers : ~UINT64_C(0)};
    for (uint32_t done = 0; done < transfer->in->c && served; done += PIECE) {
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            copy.to[lane] = (writes ? places[lane] : pointers[lane]) + done;
            copy.from[lane] = (writes ? pointers[lane] : places[lane]) + done;
        }
        copy.size = transfer->in->c - done < PIECE ? transfer->in->c - done : PIECE;
        copy.alignment = done ? 1 : UINT32_C(1) << transfer->in->aux;
        vm_vector_copy(vector, &copy);
    }
}

/* Of an op on a row of its own: nothing of the old one is left. */
static void begin_results(struct vm_vector *vector, const struct vm_instruction *in)
{
    vector->undefined[in->dst] &= ~vector->active;
}

void vm_pipe_transfer(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct transfer transfer = {
        .vector = vector,
        .in = in,
        .site = vm_site(vector, in),
        .end = in->op == VM_OP_pipe_read || in->op == VM_OP_pipe_read_reserved ? VM_PIPE_READ
                                                                               : VM_PIPE_WRITE,
        .reserved = in->op == VM_OP_pipe_read_reserved || in->op == VM_OP_pipe_write_reserved};
    uint64_t places[VM_LANES] = {0};
    uint64_t served = 0;
    const uint64_t undefined_pointers =
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ADDRESS, in->b, vector->active);
    for (uint32_t i = 1; i < 3 && transfer.reserved; i++)
        transfer.untold |= vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ARGUMENT,
                                                in->b + 8 * i, vector->active);
    for (uint64_t rest = vector->active; rest;) {
        const uint64_t pipe = ROW(u64, in->a)[__builtin_ctzll(rest)];
        const uint64_t lanes = rest & lanes_equal(ROW(u64, in->a), pipe);
        served |= find_packets(&transfer, pipe, lanes, places);
        rest &= ~lanes;
    }
    move_packets(&transfer, served, places, undefined_pointers);
    vector->run->progress_count += served != 0;
    begin_results(vector, in);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        ROW(u32, in->dst)[lane] = served >> lane & 1 ? 0 : UINT32_MAX;
}

/* ---- reservations ---- */

/* The next lanes that act together, out of *rest: one, or a sub-group. */
static uint64_t take_together(const struct vm_vector *vector, bool by_sub_group, uint64_t *rest,
                              uint64_t *position)
{
    const uint32_t size = by_sub_group ? vector->run->sub_group_size : 1;
    const uint32_t lane = lanes_take(rest, vector->run->lane_order, position);
    const uint64_t lanes = (*rest | UINT64_C(1) << lane) & bits_low(size) << lane / size * size;
    *rest &= ~lanes;
    return lanes;
}

void vm_pipe_reservation(struct vm_vector *vector, const struct vm_instruction *in)
{
    const bool commits = in->op == VM_OP_pipe_commit;
    const enum vm_pipe_end end = in->aux & VM_PIPE_WRITES ? VM_PIPE_WRITE : VM_PIPE_READ;
    const uint32_t site = vm_site(vector, in);
    uint64_t rest = vector->active;
    uint64_t position = 0;
    const uint64_t undefined =
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ARGUMENT, in->b, vector->active);
    while (rest) {
        const uint64_t lanes =
            take_together(vector, in->aux & VM_PIPE_BY_SUB_GROUP, &rest, &position);
        const uint32_t first = (uint32_t)__builtin_ctzll(lanes);
        const uint64_t pipe = ROW(u64, in->a)[first];
        const uint64_t given = ROW(u64, in->b)[first];
        if (commits) {
            vm_pipe_end_reservation(vector, site, lanes & ~undefined, pipe, end, given);
            continue;
        }
        const uint64_t id = vm_pipe_begin_reservation(vector, site, lanes, pipe, end, given);
        for (uint64_t each = lanes; each; each &= each - 1)
            ROW(u64, in->dst)[__builtin_ctzll(each)] = id;
    }
    if (!commits)
        begin_results(vector, in);
}

void vm_pipe_query(struct vm_vector *vector, const struct vm_instruction *in)
{
    FOR_EACH_LANE(lane, vector->active) {
        const struct vm_object *object = find_pipe(vector, ROW(u64, in->a)[lane]);
        const bool there = object && !object->freed;
        ROW(u32, in->dst)
        [lane] = !there                       ? 0
                 : in->aux & VM_PIPE_CAPACITY ? vm_pipe_capacity(object->pipe)
                                              : vm_pipe_available(object->pipe);
    }
    begin_results(vector, in);
}
