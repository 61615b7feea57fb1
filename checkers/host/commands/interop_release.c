/* Objects that are shared with another interface, and were given back to it. */
#include "checkers/host/commands/commands_state.h"

#include "checkers/host/checker.h"
#include "trace/base/alloc.h"

static bool gives_back(uint32_t entry)
{
    switch (entry) {
    case API_ENTRY_clEnqueueReleaseGLObjects:
    case API_ENTRY_clEnqueueReleaseEGLObjectsKHR:
    case API_ENTRY_clEnqueueReleaseD3D10ObjectsKHR:
    case API_ENTRY_clEnqueueReleaseD3D11ObjectsKHR:
    case API_ENTRY_clEnqueueReleaseDX9MediaSurfacesKHR:
    case API_ENTRY_clEnqueueReleaseVA_APIMediaSurfacesINTEL:
    case API_ENTRY_clEnqueueReleaseExternalMemObjectsKHR:
        return true;
    default:
        return false;
    }
}

/* Does it tell others when its command has ended, and so all that was enqueued before, perhaps? */
static bool tells_others(const struct api_call *call)
{
    const uint32_t event = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    return call->entry == API_ENTRY_clEnqueueSignalSemaphoresKHR ||
           (event != API_PARAMETER_NONE && call->arguments[event].present);
}

static void forget(struct host_commands *commands, size_t index)
{
    command_drop(commands->handed[index].command);
    commands->handed[index] = commands->handed[--commands->handed_count];
}

static void forget_object(struct host_commands *commands, uint64_t object)
{
    struct object_table *objects = commands->checker->objects;
    for (size_t i = commands->handed_count; i-- > 0;)
        if (commands->handed[i].object == object ||
            object_serial(objects, commands->handed[i].object) != commands->handed[i].serial)
            forget(commands, i);
}

static void give_back(struct host_commands *commands, uint64_t object, uint64_t call_id,
                      struct ordered_command *command)
{
    forget_object(commands, object);
    struct handed *grown = alloc_grow(commands->handed, commands->handed_count,
                                      &commands->handed_capacity, sizeof *grown);
    if (!grown)
        return;
    commands->handed = grown;
    grown[commands->handed_count++] =
        (struct handed){.object = object,
                        .serial = object_serial(commands->checker->objects, object),
                        .call_id = call_id,
                        .command = command_retain(command)};
}

void interop_release_note(struct host_commands *commands, const struct api_call *call,
                          struct ordered_command *command)
{
    const bool gives = gives_back(call->entry);
    const struct api_value *list = &call->arguments[2]; /* queue, count, mem_objects */
    if (!gives && !atomic_load_explicit(&commands->has_handed, memory_order_relaxed))
        return;
    const bool tells = tells_others(call);
    if (!gives && !tells)
        return;
    commands_lock(commands->commands);
    if (tells)
        interop_release_drop_all(commands);
    else
        for (uint32_t i = 0; list->kind == API_VALUE_HANDLES && list->data && i < list->count; ++i)
            give_back(commands, list_word(list, i), call->id, command);
    atomic_store_explicit(&commands->has_handed, commands->handed_count > 0, memory_order_relaxed);
    commands_unlock(commands->commands);
}

void interop_release_drop_all(struct host_commands *commands)
{
    while (commands->handed_count > 0)
        forget(commands, commands->handed_count - 1);
}

uint64_t host_commands_given_back(struct host_commands *commands, uint64_t object)
{
    uint64_t call_id = 0;
    if (!commands || !atomic_load_explicit(&commands->has_handed, memory_order_relaxed))
        return 0;
    commands_lock(commands->commands);
    const uint64_t serial = object_serial(commands->checker->objects, object);
    for (size_t i = 0; i < commands->handed_count && !commands->blind; ++i) {
        const struct handed *handed = &commands->handed[i];
        if (handed->object == object && handed->serial == serial &&
            !commands_host_knows(commands->commands, handed->command))
            call_id = handed->call_id;
    }
    commands_unlock(commands->commands);
    return call_id;
}
