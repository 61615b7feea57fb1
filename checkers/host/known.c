/* What the order of commands has for a handle: a queue, an event, or a device that judges memory
 * itself. */
#include "trace/base/alloc.h"

#include <string.h>

/* A failed insertion leaves `hh.tbl` NULL and the table as it was. */
#define HASH_NONFATAL_OOM        1
#define uthash_malloc(size)      alloc(size)
#define uthash_free(block, size) alloc_free(block)
/* Handles are addresses: mixed, as object.c does. */
#define HASH_FUNCTION(key, size, hash)                                                             \
    do {                                                                                           \
        uint64_t mixed;                                                                            \
        memcpy(&mixed, key, size);                                                                 \
        (hash) = (unsigned)((mixed >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32);                    \
    } while (0)
#include "checkers/host/checker.h"
#include "checkers/host/commands_state.h"

struct known *known_find(const struct host_commands *commands, uint64_t handle)
{
    struct known *known;
    HASH_FIND(hh, commands->known, &handle, sizeof handle, known);
    return known;
}

struct commands_queue *known_queue(const struct host_commands *commands, uint64_t handle)
{
    const struct known *known = known_find(commands, handle);
    return known ? known->queue : NULL;
}

struct ordered_command *known_event(const struct host_commands *commands, uint64_t handle)
{
    const struct known *known = known_find(commands, handle);
    return known ? known->event : NULL;
}

void known_forget(struct host_commands *commands, struct known *known)
{
    if (known->queue)
        commands_queue_destroy(commands->commands, known->queue);
    command_drop(commands->commands, known->event);
    HASH_DEL(commands->known, known);
    known->hh.next = commands->spare_known;
    commands->spare_known = known;
}

static struct known *take_known(struct host_commands *commands)
{
    struct known *known = commands->spare_known;
    if (!known)
        return alloc(sizeof *known);
    commands->spare_known = known->hh.next;
    return known;
}

void known_remember(struct host_commands *commands, const struct known *filled)
{
    struct known *known = known_find(commands, filled->handle);
    if (known)
        known_forget(commands, known);
    known = take_known(commands);
    if (!known)
        goto fail;
    *known = *filled;
    HASH_ADD(hh, commands->known, handle, sizeof known->handle, known);
    if (known->hh.tbl)
        return;
    alloc_free(known);
fail:
    if (filled->queue)
        commands_queue_destroy(commands->commands, filled->queue);
    command_drop(commands->commands, filled->event);
    commands->blind = true;
}

bool known_events(const struct host_commands *commands, const struct api_call *call,
                  struct ordered_command ***events, size_t *count)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    uint32_t index = api_entry_find_role(info, API_ROLE_WAIT_LIST);
    if (index == API_PARAMETER_NONE)
        index = api_entry_find_parameter(info, "event_list");
    const struct api_value *list = index != API_PARAMETER_NONE ? &call->arguments[index] : NULL;
    *count = list && list->kind == API_VALUE_HANDLES ? list->count : 0;
    *events = *count > 0 ? alloc_zero(*count, sizeof **events) : NULL;
    for (size_t i = 0; *events && i < *count; i++) {
        uint64_t handle;
        memcpy(&handle, (const char *)list->data + i * sizeof handle, sizeof handle);
        (*events)[i] = known_event(commands, handle);
        if (!(*events)[i])
            return false;
    }
    return *count == 0 || *events;
}

void known_release(struct host_commands *commands)
{
    struct known *known, *next;
    HASH_ITER(hh, commands->known, known, next)
    {
        known_forget(commands, known);
    }
    while ((known = commands->spare_known)) {
        commands->spare_known = known->hh.next;
        alloc_free(known);
    }
}
