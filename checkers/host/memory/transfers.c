#include "checkers/host/memory/watched.h"

#include "checkers/host/host.h"
#include "trace/base/alloc.h"

struct transfer {
    struct transfer *next;
    struct ordered_command *command; /* held */
    struct use_origin origin;
    struct use_bytes bytes;
    bool writes;   /* the memory is its destination */
    bool compared; /* it has a digest */
    bool freed;
    uint64_t digest;
};

static struct transfer **list_of(struct transfers *transfers, bool writes)
{
    return writes ? &transfers->destinations : &transfers->sources;
}

static size_t *count_of(struct transfers *transfers, bool writes)
{
    return writes ? &transfers->destination_count : &transfers->source_count;
}

static void remove_first(struct transfers *transfers, struct transfer **link)
{
    struct transfer *transfer = *link;
    *link = transfer->next;
    --*count_of(transfers, transfer->writes);
    watched_return(transfers->watched, &transfer->bytes);
    command_drop(transfer->command);
    alloc_free(transfer);
}

void transfers_release(struct transfers *transfers)
{
    while (transfers->sources)
        remove_first(transfers, &transfers->sources);
    while (transfers->destinations)
        remove_first(transfers, &transfers->destinations);
}

bool transfers_any(const struct transfers *transfers)
{
    return transfers->sources || transfers->destinations;
}

static void compare(const struct transfers *transfers, const struct transfer *transfer,
                    const struct api_call *call)
{
    struct arena arena = {0};
    struct use_origin now;
    uint64_t digest;
    if (!transfer->compared ||
        !watched_digest(transfers->watched, HOST_WATCH_TRANSFERS, &transfer->bytes, &digest) ||
        digest == transfer->digest)
        return;
    if (call)
        now = watched_origin(transfers->watched, call);
    const struct claim claim = {
        .rule = RULE_SOURCE_CHANGED,
        .given = &transfer->origin,
        .role = "reads it",
        .now = call ? &now : NULL,
        .event = "is the first sign that the command has ended",
        .message = arena_format(&arena,
                                "the program has changed some of the %s that %s reads, before it "
                                "knew that this command had ended",
                                watched_count(&transfer->bytes, &arena), transfer->origin.function),
        .reason = "They are not what they were when the command was enqueued, and no command was "
                  "to write them."};
    watched_tell(transfers->watched, &claim);
    arena_release(&arena);
}

static bool has_ended(const struct transfers *transfers, const struct transfer *transfer,
                      const struct ordered_command *asked)
{
    struct commands *commands = transfers->watched->commands;
    return asked ? transfer->command == asked || command_follows(commands, asked, transfer->command)
                 : commands_host_knows(commands, transfer->command);
}

static void end(struct transfers *transfers, struct transfer **link, const struct api_call *call,
                const struct ordered_command *asked)
{
    while (*link) {
        if (has_ended(transfers, *link, asked)) {
            compare(transfers, *link, call);
            remove_first(transfers, link);
        } else {
            link = &(*link)->next;
        }
    }
}

void transfers_end(struct transfers *transfers, const struct api_call *call,
                   const struct ordered_command *asked)
{
    end(transfers, &transfers->sources, call, asked);
    end(transfers, &transfers->destinations, call, asked);
}

void transfers_give_up(struct transfers *transfers, const struct use_bytes *bytes)
{
    for (struct transfer *source = transfers->sources; source; source = source->next) {
        if (!bytes || watched_meet(bytes, &source->bytes))
            source->compared = false;
    }
}

void transfers_unmap(struct transfers *transfers, const struct api_call *call,
                     const struct use_bytes *bytes)
{
    for (const struct transfer *source = transfers->sources; source; source = source->next) {
        if (watched_meet(bytes, &source->bytes))
            compare(transfers, source, call);
    }
    transfers_give_up(transfers, bytes);
}

bool transfers_write(const struct transfers *transfers, const struct use_bytes *bytes)
{
    const struct transfer *destination = transfers->destinations;
    while (destination && !watched_meet(bytes, &destination->bytes))
        destination = destination->next;
    return destination || transfers->missed;
}

void transfers_add(struct transfers *transfers, const struct api_call *call,
                   struct ordered_command *command, const struct use *use, bool changeable)
{
    const bool writes = use->kind == USE_WRITE;
    struct transfer **list = list_of(transfers, writes);
    struct transfer *transfer =
        *count_of(transfers, writes) < TRANSFERS_MAX ? alloc(sizeof *transfer) : NULL;
    if (!transfer) {
        transfers->missed |= writes;
        return;
    }
    *transfer = (struct transfer){.next = *list,
                                  .command = command_retain(command),
                                  .origin = watched_origin(transfers->watched, call),
                                  .bytes = use->bytes,
                                  .writes = writes};
    transfer->compared =
        !writes && !changeable &&
        watched_digest(transfers->watched, HOST_WATCH_TRANSFERS, &use->bytes, &transfer->digest);
    *list = transfer;
    ++*count_of(transfers, writes);
    watched_lend(transfers->watched, &transfer->bytes);
}

static void tell_freed(const struct transfers *transfers, const struct transfer *transfer,
                       const struct use_origin *now)
{
    struct arena arena = {0};
    const struct claim claim = {
        .rule = RULE_MEMORY_FREED,
        .given = &transfer->origin,
        .role = transfer->writes ? "writes it" : "reads it",
        .now = now,
        .event = "frees it",
        .message = arena_format(
            &arena, "the program calls %s on memory while %s may still %s %s of it", now->function,
            transfer->origin.function, transfer->writes ? "write" : "read",
            watched_count(&transfer->bytes, &arena)),
        .reason = "No blocking call, clFinish or clWaitForEvents came between."};
    watched_tell(transfers->watched, &claim);
    arena_release(&arena);
}

static void tell_unawaited(const struct transfers *transfers, const struct transfer *transfer)
{
    struct arena arena = {0};
    const struct claim claim = {
        .rule = RULE_READ_UNAWAITED,
        .given = &transfer->origin,
        .role = "writes it",
        .message = arena_format(
            &arena, "the program ended without waiting for %s, which writes %s of its memory",
            transfer->origin.function, watched_count(&transfer->bytes, &arena)),
        .reason = "No blocking call, clFinish, clWaitForEvents, callback or query of its event "
                  "came after it: what was read from that memory may be what it held before."};
    watched_tell(transfers->watched, &claim);
    arena_release(&arena);
}

void transfers_finish(const struct transfers *transfers)
{
    for (const struct transfer *read = transfers->destinations; read; read = read->next) {
        if (!read->freed)
            tell_unawaited(transfers, read);
    }
}

static void freed(const struct transfers *transfers, struct transfer *transfer,
                  const struct use_bytes *bytes, const struct use_origin *now)
{
    for (; transfer; transfer = transfer->next) {
        if (transfer->freed || !watched_meet(bytes, &transfer->bytes))
            continue;
        tell_freed(transfers, transfer, now);
        transfer->freed = true;
        transfer->compared = false;
    }
}

void transfers_freed(const struct transfers *transfers, const struct use_bytes *bytes,
                     const struct use_origin *now)
{
    freed(transfers, transfers->sources, bytes, now);
    freed(transfers, transfers->destinations, bytes, now);
}
