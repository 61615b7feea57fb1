/* Updates that commute, and of which nobody needs what they find, have one order where a location
 * has no other accesses but plain ones before or after all of them, and no acquire fence comes
 * after them by which the order could be told (search.any_order). What they read is in nobody's
 * past, then, and means nothing: values come from search_order, which performs them in some order.
 * When it is found that an order can be told, all is begun anew with all orders of that location.
 */
#include "checkers/litmus/search_private.h"

#include "trace/base/alloc.h"

#include <string.h>

bool commuting_begin(struct commuting *commuting, struct search *search)
{
    const uint32_t count = search->room->location_capacity;
    if (commuting->location_count < count) {
        struct commuting_location *locations =
            alloc_resize(commuting->locations, count * sizeof *locations);
        if (locations == NULL) {
            return false;
        }
        memset(locations + commuting->location_count, 0,
               (count - commuting->location_count) * sizeof *locations);
        commuting->locations = locations;
        commuting->location_count = count;
    }
    commuting->search = search;
    commuting->again = false;
    memset(search->any_order, 0, count * sizeof *search->any_order);
    return true;
}

void commuting_release(struct commuting *commuting)
{
    alloc_free(commuting->locations);
}

/* The order of the updates of the location can be told. */
static void order_location(struct commuting *commuting, uint32_t location)
{
    commuting->again = commuting->again || commuting->search->any_order[location];
    commuting->search->any_order[location] = false;
    commuting->locations[location].is_ordered = true;
}

/* Is the order of the access among those of its location of no matter, as far as is known? */
bool commuting_take(struct commuting *commuting, const struct litmus_instruction *access)
{
    struct commuting_location *const location = &commuting->locations[access->location];
    if (!oracle_is_atomic(access->kind)) {
        return false; /* find_unordered looks at it */
    }
    if (access->commuting == 0 || (location->kind != 0 && location->kind != access->commuting)) {
        order_location(commuting, access->location);
    }
    location->kind = access->commuting;
    return !location->is_ordered;
}

/* Accesses that neither come before nor after some update tell where among them they are. */
static void find_unordered(struct commuting *commuting, const struct graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct graph_event *event = &graph->events[i];
        if (commuting_is_in_order(commuting->search, event) || oracle_is_atomic(event->kind)) {
            continue;
        }
        const uint32_t location = event->instruction->location;
        const struct graph_rows *const happens =
            &commuting->search->room->relations.happens[graph->test->locations[location].region];
        for (uint32_t j = 0; j < graph->count; j++) {
            const struct graph_event *other = &graph->events[j];
            if (oracle_is_atomic(other->kind) && other->instruction->location == location &&
                !graph_has(happens, i, j) && !graph_has(happens, j, i)) {
                order_location(commuting, location);
            }
        }
    }
}

/* A barrier of work-group scope tells its group nothing but what it orders by itself, and others
 * nothing at all. */
static bool tells_nothing(const struct graph_event *event)
{
    return event->kind == ORACLE_BARRIER && (event->instruction->scope == ORACLE_WORK_GROUP ||
                                             event->instruction->scope == ORACLE_SUB_GROUP);
}

/* An acquire fence tells, by what it synchronises with, what an update before it has read from. */
static void find_acquires(struct commuting *commuting, const struct graph *graph)
{
    bool acquires[LITMUS_THREADS_MAX] = {false}; /* later */
    for (uint32_t i = graph->count; i-- > 0;) {
        const struct graph_event *event = &graph->events[i];
        if (event->kind == ORACLE_FENCE ? oracle_acquires(event->order)
                                        : event->kind > ORACLE_FENCE && !tells_nothing(event)) {
            acquires[event->thread] = true;
        } else if (acquires[event->thread] && oracle_is_access(event->kind) &&
                   event->instruction->commuting != 0) {
            order_location(commuting, event->instruction->location);
        }
    }
}

void commuting_check(struct commuting *commuting, const struct graph *graph)
{
    find_acquires(commuting, graph);
    find_unordered(commuting, graph);
}
