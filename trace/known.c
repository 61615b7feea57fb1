/* Open addressing over slots that are claimed, filled and then published; a reader believes
 * published ones only. A digest is looked for in the few slots behind its place. */
#include "trace/known.h"

#include "trace/base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { SLOT_COUNT = 1 << 16, PROBE_COUNT = 8 };
enum slot_state { SLOT_EMPTY, SLOT_CLAIMED, SLOT_FULL };

struct slot {
    atomic_int state;
    unsigned char digest[KNOWN_DIGEST_SIZE];
};

struct known {
    struct slot slots[SLOT_COUNT];
};

struct known *known_create(void)
{
    return alloc_zero(1, sizeof(struct known));
}

void known_destroy(struct known *known)
{
    alloc_free(known);
}

static uint32_t slot_index(const unsigned char *digest, uint32_t probe)
{
    uint32_t place;
    memcpy(&place, digest, sizeof place);
    return (place + probe) % SLOT_COUNT;
}

bool known_has(const struct known *known, const unsigned char *digest)
{
    for (uint32_t probe = 0; probe < PROBE_COUNT; ++probe) {
        const struct slot *slot = &known->slots[slot_index(digest, probe)];
        const int state = atomic_load_explicit(&slot->state, memory_order_acquire);
        if (state == SLOT_EMPTY)
            return false;
        if (state == SLOT_FULL && memcmp(slot->digest, digest, KNOWN_DIGEST_SIZE) == 0)
            return true;
    }
    return false;
}

void known_add(struct known *known, const unsigned char *digest)
{
    for (uint32_t probe = 0; probe < PROBE_COUNT; ++probe) {
        struct slot *slot = &known->slots[slot_index(digest, probe)];
        int empty = SLOT_EMPTY;
        if (atomic_compare_exchange_strong(&slot->state, &empty, SLOT_CLAIMED)) {
            memcpy(slot->digest, digest, KNOWN_DIGEST_SIZE);
            atomic_store_explicit(&slot->state, SLOT_FULL, memory_order_release);
            return;
        }
    }
}
