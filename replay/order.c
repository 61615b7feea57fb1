#include "replay/order.h"

#include "replay/state.h"
#include "trace/base/alloc.h"

#include <string.h>

#define uthash_nonfatal_oom(item) (added = false)
#include "trace/base/hash.h"
#include "trace/effect/argument.h"

/* A lane's last call of some sort. */
struct user {
    uint64_t lane;
    uint64_t call_id, end_ns; /* UINT64_MAX: it never returned */
};

struct users {
    struct user *list;
    size_t count, capacity;
};

/* What a handle, or the address of an allocation or a map, stands for. */
struct thing {
    uint64_t handle;
    bool is_ordered;    /* a queue, a program, a kernel, a command-buffer or a semaphore */
    struct user maker;  /* lane 0: nobody in the recording */
    struct users users; /* those who named it */
    /* Of a kernel: what its arguments name, by index; and what clSetKernelExecInfo names. */
    uint64_t *arguments, *listed;
    size_t argument_count, listed_count;
    UT_hash_handle hh;
};

struct range {
    uint64_t address, size;
};

struct order {
    struct thing *things;
    struct range *ranges; /* of shared memory, also what was freed */
    size_t range_count, range_capacity;
    struct users waits; /* that have not ended at the last call yet */
    struct users told;  /* of each lane the last that has */
    struct users last;  /* of each lane its last call */
    bool out_of_memory;
};

/* The call at hand. */
struct current {
    struct order *order;
    const struct api_call *call;
    struct user user;
    struct arena *arena;
    struct order_need *needs;
    size_t count, capacity;
};

/* ---- things ---- */

struct order *order_create(void)
{
    return alloc_zero(1, sizeof(struct order));
}

static void thing_release(struct thing *thing)
{
    alloc_free(thing->users.list);
    alloc_free(thing->arguments);
    alloc_free(thing->listed);
    alloc_free(thing);
}

void order_destroy(struct order *order)
{
    while (order->things) {
        struct thing *thing = order->things;
        HASH_DEL(order->things, thing);
        thing_release(thing);
    }
    alloc_free(order->ranges);
    alloc_free(order->waits.list);
    alloc_free(order->told.list);
    alloc_free(order->last.list);
    alloc_free(order);
}

static struct thing *find(const struct order *order, uint64_t handle)
{
    struct thing *thing;
    HASH_FIND(hh, order->things, &handle, sizeof handle, thing);
    return thing;
}

static struct thing *find_or_make(struct order *order, uint64_t handle)
{
    struct thing *thing = find(order, handle);
    bool added = true;
    if (thing)
        return thing;
    thing = alloc_zero(1, sizeof *thing);
    if (thing) {
        thing->handle = handle;
        HASH_ADD(hh, order->things, handle, sizeof thing->handle, thing);
        if (!added) {
            alloc_free(thing);
            thing = NULL;
        }
    }
    order->out_of_memory |= !thing;
    return thing;
}

/* The start of the allocation that the address lies in; else the address. */
static uint64_t find_start(const struct order *order, uint64_t address)
{
    for (size_t i = order->range_count; i-- > 0;)
        if (address - order->ranges[i].address < order->ranges[i].size)
            return order->ranges[i].address;
    return address;
}

/* ---- users ---- */

static void users_add(struct order *order, struct users *users, const struct user *user)
{
    struct user *grown = alloc_grow(users->list, users->count, &users->capacity, sizeof *grown);
    if (!grown) {
        order->out_of_memory = true;
        return;
    }
    users->list = grown;
    grown[users->count++] = *user;
}

/* In place of what the lane had there. */
static void users_set(struct order *order, struct users *users, const struct user *user)
{
    for (size_t i = 0; i < users->count; ++i)
        if (users->list[i].lane == user->lane) {
            users->list[i] = *user;
            return;
        }
    users_add(order, users, user);
}

/* ---- needs ---- */

static void need(struct current *current, const struct user *user)
{
    const bool end = user->end_ns <= current->call->begin_ns;
    if (user->lane == current->user.lane || user->lane == 0)
        return;
    for (size_t i = 0; i < current->count; ++i) {
        struct order_need *known = &current->needs[i];
        if (known->lane == user->lane && known->end == end) {
            if (known->call_id < user->call_id)
                known->call_id = user->call_id;
            return;
        }
    }
    if (current->count == current->capacity) {
        const size_t capacity = current->capacity ? 2 * current->capacity : 8;
        struct order_need *grown = arena_alloc(current->arena, capacity, sizeof *grown);
        if (!grown) {
            current->order->out_of_memory = true;
            return;
        }
        if (current->count)
            memcpy(grown, current->needs, current->count * sizeof *grown);
        current->needs = grown;
        current->capacity = capacity;
    }
    current->needs[current->count++] =
        (struct order_need){.lane = user->lane, .end = end, .call_id = user->call_id};
}

static void need_all(struct current *current, const struct users *users)
{
    for (size_t i = 0; i < users->count; ++i)
        need(current, &users->list[i]);
}

static void name_thing(struct current *current, struct thing *thing, bool releases)
{
    if (!thing)
        return;
    need(current, &thing->maker);
    if (thing->is_ordered || releases)
        need_all(current, &thing->users);
    users_set(current->order, &thing->users, &current->user);
}

static void name(struct current *current, uint64_t handle, bool releases)
{
    if (handle)
        name_thing(current, find_or_make(current->order, handle), releases);
}

static void name_address(struct current *current, uint64_t address, bool releases)
{
    name(current, find_start(current->order, address), releases);
}

static void make(struct current *current, uint64_t handle, enum api_object_kind kind)
{
    struct thing *thing = handle ? find_or_make(current->order, handle) : NULL;
    if (!thing)
        return;
    need(current, &thing->maker);
    need_all(current, &thing->users);
    thing->users.count = 0;
    thing->argument_count = thing->listed_count = 0;
    thing->maker = current->user;
    thing->is_ordered = kind == API_OBJECT_QUEUE || kind == API_OBJECT_PROGRAM ||
                        kind == API_OBJECT_KERNEL || kind == API_OBJECT_COMMAND_BUFFER ||
                        kind == API_OBJECT_SEMAPHORE;
}

/* ---- kernels ---- */

static void set_argument(struct current *current, uint64_t index, uint64_t handle)
{
    enum { ARGUMENT_LIMIT = 1024 };
    struct thing *kernel = find(current->order, current->call->arguments[0].bits);
    if (!kernel || index >= ARGUMENT_LIMIT)
        return;
    if (index >= kernel->argument_count) {
        uint64_t *grown = alloc_resize(kernel->arguments, (index + 1) * sizeof *grown);
        if (!grown) {
            current->order->out_of_memory = true;
            return;
        }
        memset(grown + kernel->argument_count, 0,
               (index + 1 - kernel->argument_count) * sizeof *grown);
        kernel->arguments = grown;
        kernel->argument_count = index + 1;
    }
    kernel->arguments[index] = handle;
}

/* Eight bytes that look like a handle make a call wait for more than it needs. */
static void set_by(struct current *current, const struct argument_set *set)
{
    const uint64_t handle = argument_word(set);
    const bool is_known = handle && find(current->order, handle);
    if (set->how == ARGUMENT_SET_SHARED) {
        set_argument(current, set->index, find_start(current->order, set->address));
        return;
    }
    if (is_known)
        name(current, handle, false);
    set_argument(current, set->index, is_known ? handle : 0);
}

static void set_list(struct current *current)
{
    const struct api_value *value = &current->call->arguments[API_clSetKernelExecInfo_param_value];
    struct thing *kernel = find(current->order, current->call->arguments[0].bits);
    uint64_t *list = kernel && value->data ? alloc(value->size) : NULL;
    if (!list)
        return;
    memcpy(list, value->data, value->size);
    alloc_free(kernel->listed);
    kernel->listed = list;
    kernel->listed_count = value->size / sizeof *list;
    for (size_t i = 0; i < kernel->listed_count; ++i)
        list[i] = find_start(current->order, list[i]);
}

/* A launch names what its kernel's arguments do. */
static void name_reached(struct current *current, uint64_t handle)
{
    const struct thing *kernel = find(current->order, handle);
    for (size_t i = 0; kernel && i < kernel->argument_count; ++i)
        name(current, kernel->arguments[i], false);
    for (size_t i = 0; kernel && i < kernel->listed_count; ++i)
        name_thing(current, find(current->order, kernel->listed[i]), false);
}

/* ---- the call ---- */

static bool frees(uint32_t entry)
{
    return entry == API_ENTRY_clSVMFree || entry == API_ENTRY_clEnqueueSVMFree ||
           entry == API_ENTRY_clMemFreeINTEL || entry == API_ENTRY_clMemBlockingFreeINTEL;
}

static void name_argument(struct current *current, const struct api_parameter *parameter,
                          const struct api_value *value)
{
    const uint32_t entry = current->call->entry;
    const bool is_list =
        value->data && (value->kind == API_VALUE_HANDLES || value->kind == API_VALUE_SIZES);
    switch ((enum api_role)parameter->role) {
    case API_ROLE_HANDLE:
        name(current, value->bits, parameter->flags & API_PARAMETER_RELEASED);
        if (parameter->kind == API_OBJECT_KERNEL && entry != API_ENTRY_clSetKernelArg)
            name_reached(current, value->bits);
        break;
    case API_ROLE_HANDLES:
    case API_ROLE_WAIT_LIST:
        for (uint32_t i = 0; is_list && i < value->count; ++i)
            name(current, replay_element(value, i), false);
        break;
    case API_ROLE_CONFIGS: /* words, among which are the handles that it sets */
        for (size_t i = 0; value->kind == API_VALUE_BYTES && i < value->size / 8; ++i)
            name_thing(current, find(current->order, replay_element(value, (uint32_t)i)), false);
        break;
    case API_ROLE_ADDRESS:
    case API_ROLE_HOST_MEMORY:
    case API_ROLE_IN_MEMORY:
    case API_ROLE_OUT_MEMORY:
        name_address(current, value->bits, frees(entry));
        break;
    case API_ROLE_ADDRESSES:
        for (uint32_t i = 0; is_list && i < value->count; ++i)
            name_address(current, replay_element(value, i), frees(entry));
        break;
    default:
        break;
    }
}

static void make_argument(struct current *current, const struct api_parameter *parameter,
                          const struct api_value *value)
{
    if ((parameter->role != API_ROLE_OUT_EVENT && parameter->role != API_ROLE_OUT_HANDLES) ||
        value->kind != API_VALUE_HANDLES || !value->data)
        return;
    for (uint32_t i = 0; i < value->count; ++i)
        make(current, replay_element(value, i), (enum api_object_kind)parameter->kind);
}

static void add_range(struct current *current, const struct api_entry_info *info)
{
    struct order *order = current->order;
    const uint32_t size = api_entry_find_parameter(info, "size");
    if (size == API_PARAMETER_NONE || current->call->entry == API_ENTRY_clEnqueueMapBuffer)
        return;
    struct range *grown =
        alloc_grow(order->ranges, order->range_count, &order->range_capacity, sizeof *grown);
    if (!grown) {
        order->out_of_memory = true;
        return;
    }
    order->ranges = grown;
    grown[order->range_count++] = (struct range){.address = current->call->result.bits,
                                                 .size = current->call->arguments[size].bits};
}

static void make_result(struct current *current, const struct api_entry_info *info)
{
    if (!current->call->result.bits)
        return;
    if (info->return_role == API_ROLE_HANDLE)
        make(current, current->call->result.bits, info->return_kind);
    if (info->return_role == API_ROLE_POINTER) {
        make(current, current->call->result.bits, API_OBJECT_NONE);
        add_range(current, info);
    }
}

/* When the program learns by this call, or by the callback that it registers, that something is
 * over; UINT64_MAX: it does not. */
static uint64_t tells_at(struct trace *trace, const struct api_call *call,
                         const struct api_entry_info *info)
{
    uint64_t began_ns;
    if (api_entry_find_role(info, API_ROLE_CALLBACK) != API_PARAMETER_NONE)
        return trace_callback(trace, call->id, &began_ns) ? began_ns : UINT64_MAX;
    if (!(call->flags & API_CALL_COMPLETED))
        return UINT64_MAX;
    if (info->blocking != API_PARAMETER_NONE)
        return api_call_blocks(call) ? call->end_ns : UINT64_MAX;
    switch (call->entry) {
    case API_ENTRY_clFinish:
    case API_ENTRY_clWaitForEvents:
    case API_ENTRY_clGetEventInfo:
    case API_ENTRY_clGetEventProfilingInfo:
        return call->end_ns;
    default:
        return UINT64_MAX;
    }
}

/* What the program had been told when this call began. */
static void need_told(struct current *current)
{
    struct order *order = current->order;
    size_t kept = 0;
    for (size_t i = 0; i < order->waits.count; ++i) {
        if (order->waits.list[i].end_ns <= current->call->begin_ns)
            users_set(order, &order->told, &order->waits.list[i]);
        else
            order->waits.list[kept++] = order->waits.list[i];
    }
    order->waits.count = kept;
    need_all(current, &order->told);
}

/* A thread's calls and those of its callbacks keep their order. */
static void need_sibling(struct current *current)
{
    const struct users *last = &current->order->last;
    for (size_t i = 0; i < last->count; ++i)
        if ((last->list[i].lane ^ 1) == current->user.lane)
            need(current, &last->list[i]);
    users_set(current->order, &current->order->last, &current->user);
}

enum status order_add(struct order *order, struct trace *trace, const struct api_call *call,
                      struct arena *arena, const struct order_need **needs, size_t *count,
                      struct error *error)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct current current = {
        .order = order,
        .call = call,
        .user = {.lane = order_lane(call),
                 .call_id = call->id,
                 .end_ns = call->flags & API_CALL_COMPLETED ? call->end_ns : UINT64_MAX},
        .arena = arena};
    need_told(&current);
    need_sibling(&current);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i)
        name_argument(&current, &info->parameters[i], &call->arguments[i]);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i)
        make_argument(&current, &info->parameters[i], &call->arguments[i]);
    make_result(&current, info);
    struct argument_set set;
    if (argument_set_by(call, &set))
        set_by(&current, &set);
    else if (call->entry == API_ENTRY_clSetKernelExecInfo)
        set_list(&current);
    struct user teller = current.user;
    teller.end_ns = tells_at(trace, call, info);
    if (teller.end_ns != UINT64_MAX)
        users_add(order, &order->waits, &teller);
    *needs = current.needs;
    *count = current.count;
    return order->out_of_memory ? error_no_memory(error, sizeof(struct thing)) : STATUS_OK;
}
