/* One number for all that a launch is at a moment: rows that are still read or are variables',
 * masks, memories, findings. Moments that were reached by several ways must have the same. */
#include "reference/debug/private.h"
#include "reference/vm/plan.h"

#include <string.h>

static void add(uint64_t *digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        *digest = (*digest ^ word) * UINT64_C(0x100000001B3);
        *digest ^= *digest >> 29;
    }
    for (; size > 0; size--, at++)
        *digest = (*digest ^ *at) * UINT64_C(0x100000001B3);
}

static void add_object(uint64_t *digest, const struct vm_object *object)
{
    add(digest, object->bytes, object->size);
    if (object->root->undefined)
        add(digest, object->root->undefined,
            bits_word_count(object->root->size) * sizeof(uint64_t));
}

static void add_memory(uint64_t *digest, const struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const uint32_t kinds = 1 << VM_PARAMETER_GLOBAL | 1 << VM_PARAMETER_IMAGE;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_object *object = launch_argument(request, i, kinds);
        if (object && object->bytes)
            add_object(digest, object);
    }
    for (uint32_t i = 0; i < request->code->global_count; i++)
        add_object(digest, vm_memory_find(request->memory, request->globals[i]));
}

/* What other rows hold, depends on where the launch was asked to stop (plan.h). */
static void add_rows(uint64_t *digest, const struct debug_session *session)
{
    const struct launch *launch = session->holder;
    const struct vm_code *code = launch->request->code;
    const struct vm_debugger *debugger = &session->debugger.vm;
    struct vm_plans *plans = debugger->plans;
    const uint32_t site = debugger->vector ? (uint32_t)(debugger->in - code->instructions) : 0;
    for (uint32_t b = 0; plans && b < code->block_count; b++) {
        if (site - code->blocks[b].first < code->blocks[b].count)
            live_after(&plans->live, b, site - code->blocks[b].first);
    }
    for (size_t unit = 0; unit < launch->slot_count * code->frame_units; unit++) {
        const size_t row = unit % code->frame_units;
        if (plans && !plans->live.now[row] && !plans->live.exposed[row] && !plans->homes[row])
            continue;
        add(digest, launch->frames + unit * VM_UNIT_SIZE, VM_UNIT_SIZE);
        add(digest, &launch->frame_masks[unit], sizeof launch->frame_masks[unit]);
    }
}

static void add_group(uint64_t *digest, const struct launch *launch)
{
    const struct vm_code *code = launch->request->code;
    const size_t slots = launch->slot_count;
    const size_t private_size = slots * VM_LANES * launch->private_stride;
    add(digest, &launch->group, sizeof launch->group);
    add(digest, launch->pending, slots * code->block_count * sizeof(uint64_t));
    add(digest, launch->local_bytes, launch->local_size);
    add(digest, launch->private_bytes, private_size);
    if (launch->local_bits)
        add(digest, launch->local_bits, launch->local_size / 8);
    if (launch->private_bits)
        add(digest, launch->private_bits, private_size / 8);
    for (size_t v = 0; v < slots; v++) {
        const struct vm_vector *vector = &launch->vectors[v];
        add(digest, &vector->active, sizeof vector->active);
        add(digest, &vector->ended, sizeof vector->ended);
        for (uint32_t p = 0; p < vector->parked_count; p++) {
            add(digest, &vector->parked[p].site, sizeof vector->parked[p].site);
            add(digest, &vector->parked[p].mask, sizeof vector->parked[p].mask);
        }
    }
}

uint64_t debug_digest(const struct debug_session *session)
{
    const uint64_t moment = debug_moment(session);
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    add(&digest, &moment, sizeof moment);
    if (!session->launch)
        return digest;
    add_memory(&digest, session->launch);
    if (session->begun) {
        add_rows(&digest, session);
        add_group(&digest, session->holder);
    }
    for (size_t i = 0; i < session->found_count; i++) {
        const struct debug_found *found = &session->found[i];
        add(&digest, found->rule, strlen(found->rule));
        add(&digest, found->position, strlen(found->position));
    }
    return digest;
}
