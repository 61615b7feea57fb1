#include "checkers/host/memory/watched.h"

#include "checkers/host/checker.h"
#include "trace/base/alloc.h"

struct shared_use {
    struct shared_use *next;
    struct svm_range range;
    struct ordered_command *command; /* held */
    bool judged;                     /* when it runs, by its device */
    struct use_origin origin;
};

enum { SHARED_USES_MAX = 64 }; /* of an allocation */

void shared_uses_init(struct shared_uses *uses, struct host_checker *checker,
                      struct commands *commands)
{
    *uses = (struct shared_uses){
        .watched = {.checker = checker,
                    .commands = commands,
                    .world = {.objects = checker->objects, .svm = checker->svm}}};
}

static void remove_at(struct shared_uses *uses, struct shared_use **link)
{
    struct shared_use *use = *link;
    *link = use->next;
    command_drop(use->command);
    alloc_free(use);
    uses->any = uses->list != NULL;
}

void shared_uses_release(struct shared_uses *uses)
{
    while (uses->list)
        remove_at(uses, &uses->list);
}

/* From the link on. */
static struct shared_use **find(struct shared_use **link, uint64_t address)
{
    while (*link && (*link)->range.address != address)
        link = &(*link)->next;
    return link;
}

static void remove_ended(struct shared_uses *uses)
{
    struct shared_use **link = &uses->list;
    while (*link) {
        if (commands_host_knows(uses->watched.commands, (*link)->command))
            remove_at(uses, link);
        else
            link = &(*link)->next;
    }
}

/* ---- commands ---- */

static void remember(struct shared_uses *uses, const struct svm_range *range,
                     const struct use_origin *origin, const struct shared_command *command)
{
    uint32_t others = 0;
    struct shared_use **link = find(&uses->list, range->address);
    while (*link) {
        if (command_follows(uses->watched.commands, command->command, (*link)->command)) {
            remove_at(uses, link);
        } else {
            others++;
            link = &(*link)->next;
        }
        link = find(link, range->address);
    }
    struct shared_use *use = others < SHARED_USES_MAX ? alloc(sizeof *use) : NULL;
    if (!use)
        return;
    *use = (struct shared_use){.range = *range,
                               .command = command_retain(command->command),
                               .judged = command->judged,
                               .origin = *origin};
    *link = use;
    uses->any = true;
}

static void enqueued(struct shared_uses *uses, const struct api_call *call,
                     const struct shared_command *command)
{
    const struct reach_world *world = &uses->watched.world;
    struct reach reach;
    struct use_origin origin = {.function = NULL};
    remove_ended(uses);
    if (commands_host_knows(uses->watched.commands, command->command))
        return; /* it blocked */
    reach_clear(&reach);
    if (!reach_find_unmapped(world, call, &reach))
        reach_find(world, call, &reach);
    for (size_t i = 0; i < reach.count; i++) {
        struct svm_range range;
        if (!svm_find(world->svm, reach.items[i].bytes.first, &range))
            continue;
        if (!origin.function)
            origin = watched_origin(&uses->watched, call);
        remember(uses, &range, &origin, command);
    }
}

void shared_uses_asked(struct shared_uses *uses, const struct ordered_command *event)
{
    struct shared_use **link = &uses->list;
    while (*link) {
        if ((*link)->command == event ||
            command_follows(uses->watched.commands, event, (*link)->command))
            remove_at(uses, link);
        else
            link = &(*link)->next;
    }
}

/* ---- what is freed ---- */

static void tell(const struct shared_uses *uses, const struct shared_use *use,
                 const struct api_call *call)
{
    struct arena arena = {0};
    const struct use_bytes bytes = reach_linear(use->range.address, use->range.size);
    const struct use_origin now = watched_origin(&uses->watched, call);
    const struct claim claim = {
        .rule = RULE_MEMORY_FREED,
        .given = &use->origin,
        .role = "uses it",
        .now = &now,
        .event = "frees it",
        .message = arena_format(&arena,
                                "%s frees %s of %s memory that %s uses, and the program has not "
                                "waited for that command",
                                now.function, watched_count(&bytes, &arena),
                                use->range.unified ? "unified shared" : "shared virtual",
                                use->origin.function),
        .reason = arena_format(&arena,
                               "%s does not wait for commands, and no blocking call, clFinish or "
                               "clWaitForEvents came between.",
                               now.function)};
    watched_tell(&uses->watched, &claim);
    arena_release(&arena);
}

/* Is it told by its device, when it runs? Not if it has run already: a device that judges memory
 * performs at once what is flushed, and waits for no user event. */
static bool is_judged_later(const struct shared_use *use)
{
    return use->judged && !(command_is_flushed(use->command) && command_is_settled(use->command));
}

static void freed(struct shared_uses *uses, const struct api_call *call, uint64_t address,
                  bool waits)
{
    struct shared_use **link = find(&uses->list, address);
    bool told = waits;
    while (*link) {
        if (!told && !commands_host_knows(uses->watched.commands, (*link)->command) &&
            !is_judged_later(*link)) {
            tell(uses, *link, call);
            told = true;
        }
        remove_at(uses, link);
        link = find(link, address);
    }
}

/* ---- the stream ---- */

bool shared_uses_concern_end(uint32_t entry)
{
    return entry == API_ENTRY_clSVMAlloc || entry == API_ENTRY_clHostMemAllocINTEL ||
           entry == API_ENTRY_clDeviceMemAllocINTEL || entry == API_ENTRY_clSharedMemAllocINTEL;
}

void shared_uses_begin(struct shared_uses *uses, const struct api_call *call)
{
    const bool waits = call->entry == API_ENTRY_clEnqueueSVMFree ||
                       call->entry == API_ENTRY_clMemBlockingFreeINTEL;
    uint64_t address;
    for (uint32_t i = 0; freed_address(call, i, &address); i++)
        freed(uses, call, address, waits);
}

void shared_uses_end(struct shared_uses *uses, const struct api_call *call,
                     const struct shared_command *command)
{
    if (shared_uses_concern_end(call->entry)) {
        uses->begun = true;
    } else if (command->command) {
        enqueued(uses, call, command);
    }
}
