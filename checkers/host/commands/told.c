/* What the checker is told about commands besides calls: by callbacks, by functions that free
 * memory, and of devices that judge their commands themselves (host.h). */
#include "checkers/host/commands/commands_state.h"

#include "checkers/host/checker.h"
#include "checkers/host/memory/memory.h"
#include "trace/base/alloc.h"

void host_checker_command_ended(struct host_checker *checker, uint64_t event)
{
    struct host_commands *commands = host_commands_of(checker);
    if (!commands)
        return;
    struct ordered_command *ended = event != 0 ? order_note_event(commands, event) : NULL;
    if (ended)
        commands_waited(commands, ended);
    command_drop(ended);
    if (event != 0)
        order_note_event_told(commands, event);
    if (event != 0 && !commands->memory)
        return;
    commands_lock(commands->commands);
    for (const struct order_note *known = commands->known; event == 0 && known;
         known = known->next) {
        if (known->handle != 0)
            commands_host_finished(commands->commands, known->queue);
    }
    if (commands->memory && !commands->blind)
        host_memory_learned(commands->memory, NULL);
    commands_unlock(commands->commands);
}

void host_checker_called_back(struct host_checker *checker, uint64_t call_id)
{
    struct host_commands *commands = host_commands_of(checker);
    if (!commands)
        return;
    commands_lock(commands->commands);
    for (const struct order_note *known = commands->known; known; known = known->next) {
        const struct under_way *each = known->handle != 0 ? known->under_way : NULL;
        while (each && each->call_id != call_id)
            each = each->next;
        if (each)
            commands_host_waited(commands->commands, each->command);
    }
    if (commands->memory && !commands->blind)
        host_memory_called_back(commands->memory, call_id);
    commands_unlock(commands->commands);
}

bool host_checker_lends(struct host_checker *checker, uint64_t address, uint64_t size)
{
    const struct host_commands *commands = host_commands_of(checker);
    return size > 0 && commands && commands->memory &&
           host_memory_is_lent(commands->memory, address, size);
}

void host_checker_freed(struct host_checker *checker, uint64_t address, uint64_t size,
                        const char *function)
{
    struct host_commands *commands = checker->commands;
    if (!host_checker_lends(checker, address, size))
        return;
    commands_lock(commands->commands);
    if (!commands->blind)
        host_memory_freed(commands->memory, address, size, function);
    commands_unlock(commands->commands);
}

void host_checker_leave_device(struct host_checker *checker, uint64_t device)
{
    struct host_commands *commands = checker->commands;
    if (!commands)
        return;
    commands_lock(commands->commands);
    uint64_t *grown = alloc_grow(commands->elsewhere, commands->elsewhere_count,
                                 &commands->elsewhere_capacity, sizeof *grown);
    if (!grown) {
        commands->blind = true;
    } else {
        commands->elsewhere = grown;
        grown[commands->elsewhere_count++] = device;
    }
    commands_unlock(commands->commands);
}
