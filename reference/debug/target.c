#include "reference/debug/evaluate.h"

#include "reference/debug/opaque.h"
#include "reference/vm/access.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what is meant ---- */

static bool find_memory(const struct debug_lane *lane, struct debug_target *target,
                        struct error *error)
{
    const struct vm_object *object;
    uint64_t offset;
    uint32_t index;
    const char *why;
    if (!debug_find_object(lane, target->address + target->bit_offset / 8, &object, &offset, &index,
                           &why)) {
        error_set(error, STATUS_INVALID, "'%s' has no bytes: %s", target->name, why);
        return false;
    }
    target->of_group = index != UINT32_MAX;
    target->of_item = object->private_stride != 0;
    target->object = target->of_group ? index : object->root->identity.id;
    target->first = target->of_group ? offset : object->root_offset + offset;
    return true;
}

bool debug_target_set(struct debug_session *session, const struct debug_lane *lane,
                      const struct debug_value *value, const char *name,
                      struct debug_target *target, struct error *error)
{
    const uint64_t size = debug_value_size(value);
    if (value->opaque == DEBUG_IMAGE && !value->unknown) {
        error_set(error, STATUS_INVALID,
                  "'%s' is an image: its texels have bytes, as read_imagef(%s, (int2)(0, 0))", name,
                  name);
        return false;
    }
    if (value->unknown || !value->has_spot || size == 0 || !lane->vector) {
        error_set(error, STATUS_INVALID, "'%s' has no bytes%s%s", name, value->unknown ? ": " : "",
                  value->unknown ? value->unknown : "");
        return false;
    }
    if (debug_value_has_gaps(value)) {
        error_set(error, STATUS_INVALID,
                  "the bytes of '%s' do not lie together: one element is one place", name);
        return false;
    }
    if (debug_is_between(session) && value->spot.variable) {
        error_set(error, STATUS_INVALID, "'%s' is each work-item's own, and none runs", name);
        return false;
    }
    *target = (struct debug_target){.type = value->type,
                                    .info = session->code->debug_info,
                                    .slice = value->slice,
                                    .slice_first = value->slice_first,
                                    .bit_offset = value->bit_offset,
                                    .bit_size = value->bit_size,
                                    .texel = value->texel,
                                    .address = value->spot.offset,
                                    .variable = value->spot.variable,
                                    .first = value->spot.offset + value->bit_offset / 8,
                                    .size = size,
                                    .of_group = true,
                                    .of_item = true,
                                    .launch = session->launch_number,
                                    .vector = lane->vector_index,
                                    .lane = lane->lane};
    snprintf(target->name, sizeof target->name, "%s", name);
    memcpy(target->group, lane->launch->group.id, sizeof target->group);
    return value->spot.variable || find_memory(lane, target, error);
}

bool debug_target_lives(const struct debug_session *session, const struct debug_target *target)
{
    /* Types end with their program. */
    return target->launch == session->launch_number ||
           (!target->of_group && !target->variable && session->code &&
            session->code->debug_info == target->info);
}

/* ---- accesses ---- */

static bool is_group(const struct debug_session *session, const struct debug_target *target)
{
    return memcmp(session->holder->group.id, target->group, sizeof target->group) == 0;
}

static bool is_object(const struct debug_session *session, const struct debug_target *target,
                      const struct vm_vector *vector, const struct vm_object *object)
{
    const enum observer_region region = object->identity.region;
    if (!target->of_group)
        return object->root->identity.id == target->object && region != OBSERVER_LOCAL &&
               region != OBSERVER_PRIVATE;
    return !target->variable && target->object < vector->object_count &&
           object == &vector->objects[target->object] &&
           (!target->of_item || vector->index == target->vector) && is_group(session, target);
}

/* Where the lane's bytes begin, as `first` counts. */
static uint64_t offset_of(const struct debug_target *target, const struct access_span *span,
                          uint32_t lane)
{
    const uint64_t place = access_place(span, lane);
    return target->of_group ? place - lane * span->object->private_stride
                            : place + span->object->root_offset;
}

uint64_t debug_target_lanes(const struct debug_session *session, const struct debug_target *target,
                            const struct access *access, const struct access_span *span)
{
    uint64_t lanes = 0;
    if (!is_object(session, target, access->vector, span->object))
        return 0;
    FOR_EACH_LANE(lane,
                  span->mask & (target->of_item ? UINT64_C(1) << target->lane : ~UINT64_C(0))) {
        const uint64_t first = offset_of(target, span, (uint32_t)lane);
        if (first < target->first + target->size && target->first < first + access->size)
            lanes |= UINT64_C(1) << lane;
    }
    return lanes;
}

uint64_t debug_target_element(const struct debug_target *target, const struct access_span *span,
                              uint32_t lane)
{
    const uint64_t offset = offset_of(target, span, lane);
    return target->slice && offset > target->first ? (offset - target->first) / target->type->size
                                                   : 0;
}

uint32_t debug_target_lane(const struct debug_session *session, uint64_t lanes, bool writes)
{
    uint32_t found = (uint32_t)__builtin_ctzll(lanes);
    FOR_LANES_IN_ORDER(lane, lanes, session->launch->run->lane_order) {
        found = (uint32_t)lane;
        if (!writes)
            break;
    }
    return found;
}

/* ---- variables in home rows ---- */

bool debug_target_has_site(const struct debug_session *session, const struct debug_target *target,
                           uint32_t site)
{
    const struct vm_instruction *in = &session->code->instructions[site];
    if (!target->variable || strncmp(vm_op_name((enum vm_op)in->op), "set_", 4) != 0)
        return false;
    for (uint32_t h = 0; h < target->variable->home_count; h++) {
        const struct vm_home *home = &target->variable->homes[h];
        if (home->row == in->dst && home->width != 0 &&
            home->offset < target->first + target->size &&
            target->first < (uint64_t)home->offset + home->width)
            return true;
    }
    return false;
}

bool debug_target_is_set(const struct debug_session *session, const struct debug_target *target,
                         const struct vm_vector *vector, uint32_t site)
{
    return vector->index == target->vector && (vector->active >> target->lane & 1) &&
           debug_target_lives(session, target) && is_group(session, target) &&
           debug_target_has_site(session, target, site);
}

/* ---- what is shown ---- */

void debug_target_print(struct debug_session *session, const struct debug_target *target,
                        uint32_t vector, uint32_t lane, uint64_t element, struct text *text)
{
    const struct debug_lane at = target->of_item
                                     ? debug_lane_of(session, target->vector, target->lane, 0)
                                     : debug_lane_of(session, vector, lane, 0);
    const uint64_t step = target->slice ? element * target->type->size : 0;
    const struct debug_spot spot = {.variable = target->variable, .offset = target->address + step};
    struct debug_value value;
    if (target->texel.size)
        debug_load_texel(&at, target->texel, spot.offset, &value);
    else if (target->bit_size)
        debug_load_field(&at, target->type, spot, target->bit_offset, target->bit_size, &value);
    else
        debug_load(&at, target->type, spot, &value);
    debug_print_value(&at, &value, 0, text);
}

void debug_target_print_name(const struct debug_target *target, uint64_t element, struct text *text)
{
    if (target->slice)
        text_format(text, "element %" PRIu64 " of ", target->slice_first + element);
    text_append(text, target->name);
}
