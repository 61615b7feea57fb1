#include "checkers/host/memory/watched.h"

#include "checkers/host/checker.h"
#include "trace/base/alloc.h"

struct area {
    struct area *next, **link; /* to it */
    uint64_t object, serial;   /* the memory object; 0 = shared virtual memory */
    struct use_origin origin;
    struct use_bytes bytes;
    uint32_t maps;
    struct ordered_command *last; /* that reached it; held */
    uint64_t settled;             /* since this era; 0 = not */
    uint64_t settles;             /* it is being unmapped, and has its digest, since this era */
    const char *since;            /* what it was settled after */
    bool shared;                  /* other objects lie in its bytes */
    /* Does it settle again when the last command on it has ended? */
    bool open;        /* a command may have changed it */
    bool in_place;    /* those are of a device that has its bytes there alone */
    bool tangled;     /* one did not follow the one before */
    uint32_t writers; /* that are about to be enqueued */
    bool written;     /* the last command on it was a launch that writes it: */
    struct use_origin writer;
    bool lost;  /* the program has freed its bytes, and may use them for something else */
    bool freed; /* that is to be told: */
    struct use_origin freed_by;
    uint64_t digest;
};

static void remove_area(struct areas *areas, struct area *area)
{
    *area->link = area->next;
    if (area->next)
        area->next->link = area->link;
    stretches_remove(&areas->stretches, area->bytes.first, watched_last(&area->bytes), area);
    if (area->object != 0 && !area->lost)
        watched_return(areas->watched, &area->bytes);
    command_drop(area->last);
    alloc_free(area);
}

void areas_release(struct areas *areas)
{
    while (areas->list)
        remove_area(areas, areas->list);
    stretches_release(&areas->stretches);
}

/* The next area with a byte among these (stretches_next); NULL = none. */
static struct area *next_area(const struct areas *areas, const struct use_bytes *bytes, size_t *at)
{
    const struct stretch *stretch;
    while (bytes->size > 0 && (stretch = stretches_next(&areas->stretches, bytes->first,
                                                        watched_last(bytes), at)) != NULL) {
        struct area *area = stretch->owner;
        if (watched_meet(&area->bytes, bytes))
            return area;
    }
    return NULL;
}

static uint64_t era_of(const struct areas *areas, const struct area *area)
{
    return area->object ? areas->object_era : areas->svm_era;
}

static bool is_settled(const struct areas *areas, const struct area *area)
{
    return area->settled == era_of(areas, area);
}

static unsigned part_of(const struct area *area)
{
    return area->object ? HOST_WATCH_POINTERS : HOST_WATCH_SVM;
}

/* From now on nobody but the program changes its bytes: the era, or 0. */
static uint64_t settle(const struct areas *areas, struct area *area)
{
    const unsigned part = part_of(area);
    return !area->shared && !area->lost && !areas->watched->world.system &&
                   watched_digest(areas->watched, part, &area->bytes, &area->digest)
               ? era_of(areas, area)
               : 0;
}

static void add_area(struct areas *areas, const struct area *filled)
{
    struct area *area = filled->bytes.size > 0 ? alloc(sizeof *area) : NULL;
    if (!area)
        return;
    *area = *filled;
    if (!stretches_add(&areas->stretches, area->bytes.first, watched_last(&area->bytes), area)) {
        alloc_free(area);
        return;
    }
    area->settled = settle(areas, area);
    area->since = "when it was created";
    area->next = areas->list;
    area->link = &areas->list;
    if (area->next)
        area->next->link = &area->next;
    areas->list = area;
    if (area->object != 0)
        watched_lend(areas->watched, &area->bytes);
}

/* Several objects in the same bytes are a matter of their own: none of them settles. */
bool areas_add_object(struct areas *areas, const struct api_call *call, struct use_bytes *bytes)
{
    const struct reach_world *world = &areas->watched->world;
    struct area area = {.object = call->result.bits};
    struct mem_traits root;
    struct svm_range range;
    if (!reach_storage(world, area.object, bytes, &root) || root.root != area.object ||
        svm_find(world->svm, bytes->first, &range))
        return false;
    area.serial = root.serial;
    area.origin = watched_origin(areas->watched, call);
    area.bytes = *bytes;
    area.shared = root.has_address; /* kernels find it by its address */
    size_t at = SIZE_MAX;
    for (struct area *other; (other = next_area(areas, bytes, &at)) != NULL;) {
        if (other->lost)
            continue;
        other->shared = area.shared = true;
        other->settled = 0;
    }
    add_area(areas, &area);
    return true;
}

void areas_add_allocation(struct areas *areas, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    if ((a[API_clSVMAlloc_flags].bits & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0)
        return;
    const struct area area = {.bytes = reach_linear(call->result.bits, a[API_clSVMAlloc_size].bits),
                              .origin = watched_origin(areas->watched, call)};
    add_area(areas, &area);
}

void areas_end_allocation(struct areas *areas, uint64_t address)
{
    const struct use_bytes first = reach_linear(address, 1);
    size_t at = SIZE_MAX;
    struct area *area = next_area(areas, &first, &at);
    while (area && (area->object != 0 || area->bytes.first != address))
        area = next_area(areas, &first, &at);
    if (area)
        remove_area(areas, area);
}

/* ---- names ---- */

static const char *name_area(const struct areas *areas, const struct area *area,
                             struct arena *arena)
{
    struct object_facts facts;
    struct text name = TEXT_INIT;
    if (area->object == 0)
        return arena_format(arena, "%s of coarse-grained shared virtual memory",
                            watched_count(&area->bytes, arena));
    if (object_describe(areas->watched->world.objects, area->object, &facts))
        blame_print_object(&facts, &name);
    const char *result = arena_format(arena, "the memory of CL_MEM_USE_HOST_PTR of %s",
                                      name.bytes ? name.bytes : "an object");
    text_release(&name);
    return result;
}

/* ---- the end ---- */

static bool is_dead(const struct areas *areas, const struct area *area)
{
    struct object_table *objects = areas->watched->world.objects;
    return object_serial(objects, area->object) != area->serial ||
           object_state(objects, area->object).standing == OBJECT_DEAD;
}

/* Has its last command ended as far as the program knows? */
static bool is_idle(const struct areas *areas, const struct area *area)
{
    return commands_host_knows(areas->watched->commands, area->last);
}

static void tell_unread(const struct areas *areas, const struct area *area)
{
    struct arena arena = {0};
    const struct claim claim = {
        .rule = RULE_HOST_POINTER_UNREAD,
        .given = &area->origin,
        .role = "gives it to the object",
        .now = &area->writer,
        .event = "writes it",
        .message = arena_format(&arena,
                                "a kernel writes %s, which the program has neither mapped nor "
                                "read after that",
                                name_area(areas, area, &arena)),
        .reason = "On a device with memory of its own the program's memory stays as it was."};
    watched_tell(areas->watched, &claim);
    arena_release(&arena);
}

void areas_released(struct areas *areas)
{
    areas->may_end = true;
    areas_end_objects(areas);
}

void areas_end_objects(struct areas *areas)
{
    bool some_stay = false;
    if (!areas->may_end)
        return;
    for (struct area *area = areas->list, *next; area; area = next) {
        next = area->next;
        if (area->object == 0 || !is_dead(areas, area))
            continue;
        if (area->written)
            tell_unread(areas, area);
        area->written = false;
        if (is_idle(areas, area))
            remove_area(areas, area);
        else
            some_stay = true;
    }
    areas->may_end = some_stay;
}

void areas_finish(const struct areas *areas)
{
    for (const struct area *area = areas->list; area; area = area->next) {
        if (area->written)
            tell_unread(areas, area);
    }
}

/* ---- commands ---- */

static void compare(const struct areas *areas, struct area *area, const struct api_call *call)
{
    uint64_t digest;
    if (!is_settled(areas, area) ||
        !watched_digest(areas->watched, part_of(area), &area->bytes, &digest) ||
        digest == area->digest)
        return;
    struct arena arena = {0};
    const struct use_origin now = watched_origin(areas->watched, call);
    const struct claim claim = {
        .rule = area->object ? RULE_HOST_POINTER_CHANGED : RULE_SVM_UNMAPPED,
        .given = &area->origin,
        .role = area->object ? "gives it to the object" : "allocates it",
        .now = &now,
        .event = "comes after the change",
        .message = arena_format(&arena, "the program has changed %s while it was not mapped",
                                name_area(areas, area, &arena)),
        .reason = arena_format(&arena,
                               "The bytes are not what they were %s, and no command was to write "
                               "them.",
                               area->since)};
    watched_tell(areas->watched, &claim);
    arena_release(&arena);
    area->digest = digest;
}

static void tell_freed(const struct areas *areas, const struct area *area, const char *user)
{
    struct arena arena = {0};
    const struct use_origin *now = &area->freed_by;
    const struct claim claim = {
        .rule = user ? RULE_HOST_POINTER_FREED : RULE_MEMORY_FREED,
        .given = &area->origin,
        .role = "gives it to the object",
        .now = now,
        .event = "frees it",
        .message = arena_format(&arena, "the program calls %s on %s", now->function,
                                name_area(areas, area, &arena)),
        .reason = user ? arena_format(&arena, "%s uses the object after that.", user)
                       : "A command uses the object, and the program has not waited for it."};
    watched_tell(areas->watched, &claim);
    arena_release(&arena);
}

/* A command is about to use what was freed. */
static void meet_freed(const struct areas *areas, struct area *area, uint64_t object,
                       const struct api_call *call)
{
    if (!area->freed || area->object != object)
        return;
    tell_freed(areas, area, api_entry_get(call->entry)->name);
    area->freed = false;
}

void areas_reach(struct areas *areas, const struct api_call *call, const struct reach *reach)
{
    struct area *area;
    for (size_t i = 0, at = SIZE_MAX; i < reach->count; i++, at = SIZE_MAX) {
        while ((area = next_area(areas, &reach->items[i].bytes, &at)) != NULL) {
            if (reach->items[i].reads) /* else it overwrites what was changed, mostly */
                compare(areas, area, call);
            meet_freed(areas, area, reach->items[i].object, call);
        }
    }
    for (size_t i = 0, at = SIZE_MAX; i < reach->count; i++, at = SIZE_MAX) {
        while (reach->items[i].writes &&
               (area = next_area(areas, &reach->items[i].bytes, &at)) != NULL) {
            area->settled = 0;
            area->open = true;
            area->writers++;
        }
    }
    areas->object_era += reach->all;
    areas->svm_era += reach->all || reach->svm;
    areas->objects_unsure |= reach->all;
    areas->svm_unsure |= reach->all || reach->svm;
}

/* The last moment of a mapping: what the program has written through it is there, if the map and
 * all before it have ended. */
void areas_unmap(struct areas *areas, const struct api_call *call, const struct reach *reach)
{
    struct area *area;
    for (size_t i = 0, at = SIZE_MAX; i < reach->count; i++, at = SIZE_MAX) {
        while ((area = next_area(areas, &reach->items[i].bytes, &at)) != NULL) {
            meet_freed(areas, area, reach->items[i].object, call);
            if (area->maps == 1)
                area->settles = is_idle(areas, area) ? settle(areas, area) : 0;
        }
    }
}

static void step_area(const struct areas *areas, struct area *area, enum area_step step,
                      struct ordered_command *command)
{
    area->written = false;
    area->tangled |=
        !is_idle(areas, area) && !command_follows(areas->watched->commands, command, area->last);
    command_drop(area->last);
    area->last = command_retain(command);
    if (step == AREA_MAPPED) {
        area->maps++;
        area->settled = 0;
        area->open = true;
    } else if (step == AREA_UNMAPPED && area->maps > 0) {
        area->maps--;
        area->since = "when it was unmapped";
        area->settled = area->settles;
        area->settles = 0;
    }
}

void areas_enqueued(struct areas *areas, const struct reach *reach, enum area_step step,
                    struct ordered_command *command, bool in_place)
{
    struct area *area;
    areas->any_in_place |= in_place;
    for (size_t i = 0, at = SIZE_MAX; i < reach->count; i++, at = SIZE_MAX) {
        while ((area = next_area(areas, &reach->items[i].bytes, &at)) != NULL) {
            step_area(areas, area, step, command);
            area->in_place = in_place;
            area->writers -= reach->items[i].writes && area->writers > 0;
        }
    }
}

void areas_learned(struct areas *areas)
{
    for (struct area *area = areas->any_in_place ? areas->list : NULL; area; area = area->next) {
        const bool unsure = area->object ? areas->objects_unsure : areas->svm_unsure;
        if (!area->open || !area->in_place || area->tangled || area->maps > 0 ||
            area->writers > 0 || unsure || is_settled(areas, area) || !is_idle(areas, area))
            continue;
        area->open = false;
        area->settled = settle(areas, area);
        area->since = "when the program knew that the last command on it had ended";
    }
}

void areas_written(struct areas *areas, const struct use_bytes *bytes,
                   const struct use_origin *launch)
{
    struct area *area;
    size_t at = SIZE_MAX;
    while ((area = next_area(areas, bytes, &at)) != NULL) {
        area->written = area->object != 0 && !area->lost;
        area->writer = *launch;
    }
}

void areas_asked(struct areas *areas, const struct ordered_command *event)
{
    for (struct area *area = areas->list; area; area = area->next) {
        if (!area->last ||
            (area->last != event && !command_follows(areas->watched->commands, event, area->last)))
            continue;
        command_drop(area->last);
        area->last = NULL;
    }
}

void areas_give_up(struct areas *areas)
{
    areas->object_era++;
    areas->svm_era++;
}

/* ---- the program ---- */

bool areas_have(const struct areas *areas, const struct use_bytes *bytes)
{
    size_t at = SIZE_MAX;
    return next_area(areas, bytes, &at) != NULL;
}

static struct area *next_object(const struct areas *areas, const struct use_bytes *bytes)
{
    size_t at = SIZE_MAX;
    struct area *area = next_area(areas, bytes, &at);
    while (area && (area->object == 0 || area->lost))
        area = next_area(areas, bytes, &at);
    return area;
}

/* Where no command uses the object any more, it has done no harm. */
void areas_freed(struct areas *areas, const struct use_bytes *bytes, const struct use_origin *now)
{
    struct area *area;
    while ((area = next_object(areas, bytes)) != NULL) {
        watched_return(areas->watched, &area->bytes);
        area->lost = true;
        area->freed_by = *now;
        area->settled = area->settles = 0;
        area->freed = is_idle(areas, area);
        if (!area->freed)
            tell_freed(areas, area, NULL);
    }
}
