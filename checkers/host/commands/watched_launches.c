/* What host.h has about launches that somebody watches. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/awaited.h"
#include "checkers/host/commands/commands_state.h"

struct host_commands *host_commands_of(const struct host_checker *checker)
{
    return is_stopped(checker) ? NULL : checker->commands;
}

/* The place in the program is known now only. */
bool commands_postpone(void *user, const struct uses_conflict *conflict, const struct use *earlier,
                       const struct use *later)
{
    struct host_commands *commands = user;
    struct uses_conflict placed = *conflict;
    struct use_origin origin = *conflict->later.origin;
    if (origin.stack == 0)
        origin.stack = checker_stack(commands->checker);
    placed.later.origin = &origin;
    return awaited_postpone(commands->awaited, &placed, earlier, later);
}

/* Of a queue with others in its context, or that is not in order. */
bool host_checker_may_clash(struct host_checker *checker, uint64_t queue)
{
    struct host_commands *commands = host_commands_of(checker);
    bool may = false;
    if (!commands || commands->blind || !commands_are_concurrent(commands->commands))
        return false;
    commands_lock(commands->commands);
    const struct order_note *own = order_note_find(commands, queue);
    for (const struct order_note *other = commands->known; own && other && !may;
         other = other->next)
        may = other->handle != 0 && other->context == own->context &&
              (other != own || !own->in_order);
    commands_unlock(commands->commands);
    return may;
}

bool host_checker_await(struct host_checker *checker, uint64_t call_id, const uint64_t *objects,
                        size_t count)
{
    struct host_commands *commands = host_commands_of(checker);
    return commands && awaited_add(commands->awaited, call_id, objects, count);
}

uint64_t host_checker_host_version(const struct host_checker *checker)
{
    const struct host_commands *commands = host_commands_of(checker);
    return commands ? commands_host_version(commands->commands) : 0;
}

bool host_checker_is_over(struct host_checker *checker, uint64_t call_id)
{
    struct host_commands *commands = host_commands_of(checker);
    return !commands || awaited_is_over(commands->awaited, commands->commands, call_id);
}

bool host_checker_wants(struct host_checker *checker, uint64_t call_id, uint64_t object)
{
    struct host_commands *commands = host_commands_of(checker);
    return commands && awaited_wants(commands->awaited, call_id, object);
}

void host_checker_tell(struct host_checker *checker, uint64_t call_id, uint64_t object,
                       const struct use *uses, size_t count)
{
    struct host_commands *commands = host_commands_of(checker);
    if (commands)
        awaited_tell(commands->awaited, call_id, object, uses, count);
}

void host_checker_await_no_more(struct host_checker *checker, uint64_t call_id)
{
    struct host_commands *commands = host_commands_of(checker);
    if (commands)
        awaited_end(commands->awaited, call_id);
}
