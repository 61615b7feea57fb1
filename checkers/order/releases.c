#include "checkers/order/sync.h"

#include "checkers/order/engine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

void releases_reset(struct releases *releases)
{
    releases->count = 1;
    releases->free = 0;
    releases->failed = false;
    releases->overlap = false;
}

void releases_release(struct releases *releases)
{
    alloc_free(releases->items);
    *releases = (struct releases){0};
}

static bool same_key(const struct release *a, const struct release *b)
{
    return memcmp(&a->key, &b->key, sizeof a->key) == 0 &&
           (a->key.level == OBSERVER_SCOPE_DEVICE ||
            (a->group == b->group && a->sub_group == b->sub_group));
}

static uint32_t take_free(struct releases *releases)
{
    const uint32_t taken = releases->free;
    if (taken != 0) {
        ASSERT(taken < releases->count);
        releases->free = releases->items[taken].next;
        return taken;
    }
    struct release *grown =
        releases->count >= UINT32_MAX
            ? NULL
            : alloc_grow(releases->items, releases->count, &releases->capacity, sizeof *grown);
    if (grown == NULL) {
        releases->failed = true;
        return 0;
    }
    releases->items = grown;
    return (uint32_t)releases->count++;
}

/* The release of that key and unit in the list; 0 = none. */
static uint32_t find(const struct releases *releases, uint32_t list, const struct release *release)
{
    while (list != 0 && !same_key(release_get(releases, list), release)) {
        list = release_get(releases, list)->next;
    }
    return list;
}

static void push(struct releases *releases, uint32_t *list, const struct release *release)
{
    const uint32_t at = take_free(releases);
    if (at != 0) {
        *release_get(releases, at) = *release;
        release_get(releases, at)->next = *list;
        *list = at;
    }
}

void releases_add(struct releases *releases, struct clocks *clocks, uint32_t *list,
                  const struct release *release)
{
    const uint32_t at = find(releases, *list, release);
    if (at == 0) {
        push(releases, list, release);
        return;
    }
    struct release *known = release_get(releases, at);
    if (known->group != release->group && !releases->overlap) {
        known->clocks.of[ORDER_LOCAL] = CLOCK_EMPTY;
    }
    known->group = release->group;
    region_clocks_join(clocks, &known->clocks, &release->clocks, ORDER_ALL_REGIONS);
}

void releases_renew(struct releases *releases, uint32_t *list, const struct release *release)
{
    const uint32_t at = find(releases, *list, release);
    if (at == 0) {
        push(releases, list, release);
    } else {
        release_get(releases, at)->clocks = release->clocks;
    }
}

static void put_free(struct releases *releases, uint32_t at)
{
    ASSERT(at > 0 && at < releases->count);
    struct release *release = release_get(releases, at);
    *release = (struct release){.next = releases->free};
    releases->free = at;
}

void releases_drop(struct releases *releases, uint32_t *list)
{
    while (*list != 0) {
        const uint32_t next = release_get(releases, *list)->next;
        put_free(releases, *list);
        *list = next;
    }
}

void releases_drop_groups(struct releases *releases, uint32_t *list, const struct order *order)
{
    while (*list != 0) {
        struct release *release = release_get(releases, *list);
        if (release->key.level == OBSERVER_SCOPE_DEVICE ||
            engine_group_lives(order, release->group)) {
            list = &release->next;
            continue;
        }
        const uint32_t next = release->next;
        put_free(releases, *list);
        *list = next;
    }
}
