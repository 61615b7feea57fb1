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

static void transfer_free(struct transfers *transfers, struct transfer *transfer)
{
    watched_return(transfers->watched, &transfer->bytes);
    command_drop(transfer->command);
    alloc_free(transfer);
}

void transfers_release(struct transfers *transfers)
{
    while (transfers->list) {
        struct transfer *transfer = transfers->list;
        transfers->list = transfer->next;
        transfer_free(transfers, transfer);
    }
}

static void compare(const struct transfers *transfers, const struct transfer *transfer,
                    const struct api_call *call)
{
    struct arena arena = {0};
    struct use_origin now;
    uint64_t digest;
    if (!transfer->compared || !watched_digest(transfers->watched, &transfer->bytes, &digest) ||
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

void transfers_end(struct transfers *transfers, const struct api_call *call,
                   const struct ordered_command *asked)
{
    struct commands *commands = transfers->watched->commands;
    struct transfer **link = &transfers->list;
    while (*link) {
        struct transfer *transfer = *link;
        const bool ended = asked ? transfer->command == asked ||
                                       command_follows(commands, asked, transfer->command)
                                 : commands_host_knows(commands, transfer->command);
        if (!ended) {
            link = &transfer->next;
            continue;
        }
        *link = transfer->next;
        compare(transfers, transfer, call);
        transfer_free(transfers, transfer);
    }
}

void transfers_give_up(struct transfers *transfers, const struct use_bytes *bytes)
{
    for (struct transfer *transfer = transfers->list; transfer; transfer = transfer->next) {
        if (!bytes || watched_meet(bytes, &transfer->bytes))
            transfer->compared = false;
    }
}

void transfers_unmap(struct transfers *transfers, const struct api_call *call,
                     const struct use_bytes *bytes)
{
    for (struct transfer *transfer = transfers->list; transfer; transfer = transfer->next) {
        if (watched_meet(bytes, &transfer->bytes))
            compare(transfers, transfer, call);
    }
    transfers_give_up(transfers, bytes);
}

bool transfers_write(const struct transfers *transfers, const struct use_bytes *bytes)
{
    for (const struct transfer *transfer = transfers->list; transfer; transfer = transfer->next) {
        if (transfer->writes && watched_meet(bytes, &transfer->bytes))
            return true;
    }
    return false;
}

void transfers_add(struct transfers *transfers, const struct api_call *call,
                   struct ordered_command *command, const struct use *use, bool changeable)
{
    struct transfer *transfer = alloc(sizeof *transfer);
    if (!transfer)
        return;
    *transfer = (struct transfer){.next = transfers->list,
                                  .command = command_retain(command),
                                  .origin = watched_origin(transfers->watched, call),
                                  .bytes = use->bytes,
                                  .writes = use->kind == USE_WRITE};
    transfer->compared = !transfer->writes && !changeable &&
                         watched_has(transfers->watched, HOST_WATCH_TRANSFERS) &&
                         watched_digest(transfers->watched, &use->bytes, &transfer->digest);
    transfers->list = transfer;
    watched_lend(transfers->watched, &transfer->bytes);
}

void transfers_freed(struct transfers *transfers, const struct use_bytes *bytes,
                     const struct use_origin *now)
{
    struct arena arena = {0};
    for (struct transfer *transfer = transfers->list; transfer; transfer = transfer->next) {
        if (transfer->freed || !watched_meet(bytes, &transfer->bytes))
            continue;
        const char *verb = transfer->writes ? "writes" : "reads";
        const struct claim claim = {
            .rule = RULE_MEMORY_FREED,
            .given = &transfer->origin,
            .role = transfer->writes ? "writes it" : "reads it",
            .now = now,
            .event = "frees it",
            .message = arena_format(&arena,
                                    "%s ends memory of which %s %s %s, and the program has not "
                                    "waited for that command",
                                    now->function, transfer->origin.function, verb,
                                    watched_count(&transfer->bytes, &arena)),
            .reason = "No blocking call, clFinish or clWaitForEvents came between."};
        watched_tell(transfers->watched, &claim);
        transfer->freed = true;
        transfer->compared = false;
    }
    arena_release(&arena);
}
