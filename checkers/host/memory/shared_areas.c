#include "checkers/host/memory/watched.h"

#include "checkers/host/checker.h"
#include "trace/base/alloc.h"

struct area {
    struct area *next;
    uint64_t object, serial; /* the memory object; 0 = shared virtual memory */
    struct use_origin origin;
    struct use_bytes bytes;
    uint32_t maps;
    struct ordered_command *last; /* that reached it; held */
    bool settled, unmapped;       /* unmapped: since then, else since its creation */
    bool settles;                 /* it is being unmapped, and has its digest */
    bool shared;                  /* other objects lie in its bytes */
    uint64_t digest;
};

static void area_free(struct areas *areas, struct area *area)
{
    if (area->object != 0)
        watched_return(areas->watched, &area->bytes);
    command_drop(area->last);
    alloc_free(area);
}

void areas_release(struct areas *areas)
{
    while (areas->list) {
        struct area *area = areas->list;
        areas->list = area->next;
        area_free(areas, area);
    }
}

static unsigned part_of(const struct area *area)
{
    return area->object ? HOST_WATCH_POINTERS : HOST_WATCH_SVM;
}

/* From now on nobody but the program changes its bytes. */
static bool settle(const struct areas *areas, struct area *area)
{
    const unsigned part = part_of(area);
    return watched_has(areas->watched, part) && !area->shared && !areas->watched->world.system &&
           watched_digest(areas->watched, part, &area->bytes, &area->digest);
}

static void add_area(struct areas *areas, const struct area *filled)
{
    struct area *area = alloc(sizeof *area);
    if (!area)
        return;
    *area = *filled;
    area->settled = settle(areas, area);
    area->next = areas->list;
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
    for (struct area *other = areas->list; other; other = other->next) {
        if (!watched_meet(&other->bytes, bytes))
            continue;
        other->shared = area.shared = true;
        other->settled = false;
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
    struct area **link = &areas->list;
    while (*link && ((*link)->object != 0 || (*link)->bytes.first != address))
        link = &(*link)->next;
    struct area *area = *link;
    if (!area)
        return;
    *link = area->next;
    area_free(areas, area);
}

/* Is the object no more, and has its last command ended as far as the program knows? */
static bool has_ended(const struct areas *areas, const struct area *area)
{
    struct object_table *objects = areas->watched->world.objects;
    const bool dead = object_serial(objects, area->object) != area->serial ||
                      object_state(objects, area->object).standing == OBJECT_DEAD;
    return dead && commands_host_knows(areas->watched->commands, area->last);
}

void areas_end_objects(struct areas *areas)
{
    struct area **link = &areas->list;
    while (*link) {
        struct area *area = *link;
        if (area->object == 0 || !has_ended(areas, area)) {
            link = &area->next;
            continue;
        }
        *link = area->next;
        area_free(areas, area);
    }
}

/* ---- commands ---- */

struct reached {
    bool named;  /* by an argument */
    bool writes; /* or may */
};

static struct reached how_reached(const struct area *area, const struct reach *reach)
{
    struct reached reached = {.writes = reach->all || (reach->svm && area->object == 0)};
    for (size_t i = 0; i < reach->count; i++) {
        if (!watched_meet(&reach->items[i].bytes, &area->bytes))
            continue;
        reached.named = true;
        reached.writes |= reach->items[i].writes;
    }
    return reached;
}

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

static void compare(const struct areas *areas, struct area *area, const struct api_call *call)
{
    uint64_t digest;
    if (!area->settled || !watched_digest(areas->watched, part_of(area), &area->bytes, &digest) ||
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
        .reason = area->unmapped ? "The bytes are not what they were when it was unmapped, and no "
                                   "command was to write them."
                                 : "The bytes are not what they were when it was created, and no "
                                   "command was to write them."};
    watched_tell(areas->watched, &claim);
    arena_release(&arena);
    area->digest = digest;
}

void areas_reach(struct areas *areas, const struct api_call *call, const struct reach *reach)
{
    for (struct area *area = areas->list; area; area = area->next) {
        const struct reached reached = how_reached(area, reach);
        if (reached.named)
            compare(areas, area, call);
        area->settled &= !reached.writes;
    }
}

/* The last moment of a mapping: what the program has written through it is there, if the map and
 * all before it have ended. */
void areas_unmap(struct areas *areas, const struct reach *reach)
{
    for (struct area *area = areas->list; area; area = area->next) {
        if (area->maps == 1 && how_reached(area, reach).named)
            area->settles =
                commands_host_knows(areas->watched->commands, area->last) && settle(areas, area);
    }
}

void areas_enqueued(struct areas *areas, const struct reach *reach, enum area_step step,
                    struct ordered_command *command)
{
    for (struct area *area = areas->list; area; area = area->next) {
        if (!how_reached(area, reach).named)
            continue;
        command_drop(area->last);
        area->last = command_retain(command);
        if (step == AREA_MAPPED) {
            area->maps++;
            area->settled = false;
        } else if (step == AREA_UNMAPPED && area->maps > 0) {
            area->maps--;
            area->unmapped = true;
            area->settled = area->settles;
            area->settles = false;
        }
    }
}

void areas_asked(struct areas *areas, const struct ordered_command *event)
{
    for (struct area *area = areas->list; area; area = area->next) {
        if (area->last != event && !command_follows(areas->watched->commands, event, area->last))
            continue;
        command_drop(area->last);
        area->last = NULL;
    }
}

void areas_give_up(struct areas *areas)
{
    for (struct area *area = areas->list; area; area = area->next)
        area->settled = area->settles = false;
}

/* ---- the program ---- */

bool areas_have(const struct areas *areas, const struct use_bytes *bytes)
{
    for (const struct area *area = areas->list; area; area = area->next) {
        if (watched_meet(&area->bytes, bytes))
            return true;
    }
    return false;
}

static void tell_freed(const struct areas *areas, const struct area *area,
                       const struct use_origin *now)
{
    struct object_table *objects = areas->watched->world.objects;
    const bool in_flight = !commands_host_knows(areas->watched->commands, area->last);
    const bool held = object_state(objects, area->object).standing == OBJECT_USABLE;
    struct arena arena = {0};
    const struct claim claim = {
        .rule = in_flight ? RULE_MEMORY_FREED : RULE_HOST_POINTER_FREED,
        .given = &area->origin,
        .role = "gives it to the object",
        .now = now,
        .event = "frees it",
        .message =
            arena_format(&arena, "%s ends %s", now->function, name_area(areas, area, &arena)),
        .reason = in_flight ? "A command uses the object, and the program has not waited for it."
                  : held    ? "The program has not released the object."
                            : "The program has released the object, but not all made from it."};
    watched_tell(areas->watched, &claim);
    arena_release(&arena);
}

/* What is freed may be memory of something else soon: it is not an area any more. */
void areas_freed(struct areas *areas, const struct use_bytes *bytes, const struct use_origin *now)
{
    struct area **link = &areas->list;
    while (*link) {
        struct area *area = *link;
        if (area->object == 0 || !watched_meet(&area->bytes, bytes)) {
            link = &area->next;
            continue;
        }
        if (!has_ended(areas, area))
            tell_freed(areas, area, now);
        *link = area->next;
        area_free(areas, area);
    }
}
