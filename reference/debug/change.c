/* What the user has changed: `who` is to know of it, since no work-item has written it. In each
 * process the changes of its own history, which past.c makes again where it passes them. */
#include "reference/debug/evaluate.h"
#include "reference/debug/private.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct debug_change {
    uint64_t moment;
    struct debug_target target;
};

static void note(struct debug_session *session, const struct debug_target *target)
{
    struct debug_change *list = alloc_grow(session->changes, session->change_count,
                                           &session->change_capacity, sizeof *list);
    if (!list) /* `who` will not know of it */
        return;
    session->changes = list;
    list[session->change_count++] =
        (struct debug_change){.moment = debug_moment(session), .target = *target};
}

void debug_note_change(struct debug_session *session, const struct debug_lane *lane,
                       const struct debug_value *value, const char *name)
{
    struct debug_target target;
    struct error error;
    if (debug_target_set(session, lane, value, name, &target, &error))
        note(session, &target);
}

/* Do they have a byte in common? */
static bool overlap(const struct debug_target *a, const struct debug_target *b)
{
    if (a->launch != b->launch || a->variable || b->variable || a->of_group != b->of_group ||
        a->object != b->object)
        return false;
    if (a->of_group && memcmp(a->group, b->group, sizeof a->group) != 0)
        return false;
    if (a->of_item && (a->vector != b->vector || a->lane != b->lane))
        return false;
    return a->first < b->first + b->size && b->first < a->first + a->size;
}

bool debug_find_change(const struct debug_session *session, const struct debug_target *target,
                       uint64_t *moment)
{
    for (size_t i = session->change_count; i-- > 0;) {
        const struct debug_change *change = &session->changes[i];
        if (!overlap(&change->target, target))
            continue;
        *moment = change->moment;
        return true;
    }
    return false;
}

/* ---- bytes ---- */

static bool read_bytes(const char *digits, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned byte;
        if (sscanf(digits + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

bool debug_write_bytes(struct debug_session *session, const struct debug_lane *lane,
                       uint64_t address, const char *digits, struct text *answer,
                       struct error *error)
{
    enum { COUNT_MAX = 4096 };
    uint8_t bytes[COUNT_MAX];
    const size_t count = strlen(digits) / 2;
    const struct debug_value value = {.type = debug_named_type("uchar"),
                                      .has_spot = true,
                                      .spot = {.offset = address},
                                      .slice = count};
    const char *why;
    if (count == 0 || count > COUNT_MAX || !read_bytes(digits, bytes, count)) {
        error_set(error, STATUS_INVALID, "from 1 to %d bytes are changed at a time", COUNT_MAX);
        return false;
    }
    if (!debug_poke(lane, value.spot, count, bytes, &why)) {
        error_set(error, STATUS_INVALID, "they cannot be changed: %s", why);
        return false;
    }
    debug_note_change(session, lane, &value, "bytes");
    json_number(answer, "written", count);
    return true;
}
