#include "reference/icd/memory/host_copy.h"

#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <string.h>

/* Bytes that the host has for writing: what it wrote there nothing overwrites before the unmap, not
 * even a map for reading that overlaps. */
struct held {
    struct held *next;
    uint32_t object;
    struct use_bytes bytes;
    uintptr_t begin; /* the host's address of the first one */
};

static struct held *all_held; /* with the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

bool host_copy_begins(cl_mem_flags flags)
{
    const cl_mem_flags copying =
        CL_MEM_COPY_HOST_PTR | (limits_personality()->separate ? CL_MEM_USE_HOST_PTR : 0);
    return (flags & copying) != 0;
}

/* ---- what is held ---- */

static uint64_t count_of(uint64_t rows)
{
    return rows == 0 ? 1 : rows;
}

static void lower_to(uintptr_t *end, uintptr_t limit)
{
    if (limit < *end)
        *end = limit;
}

/* The index of the row or slice that begins at or before the place; *place becomes the place in it.
 */
static uint64_t step(uint64_t *place, uint64_t pitch, uint64_t count)
{
    const uint64_t index = count_of(count) == 1 ? 0 : *place / pitch;
    *place -= index * pitch;
    return index;
}

/* Is the byte at the host's address among these? *end is lowered to where the answer may change. */
static bool has_byte(const struct held *held, uintptr_t address, uintptr_t *end)
{
    const struct use_bytes *bytes = &held->bytes;
    if (address < held->begin) {
        lower_to(end, held->begin);
        return false;
    }
    uint64_t place = address - held->begin;
    const uint64_t slice = step(&place, bytes->slice_pitch, bytes->slices);
    const uintptr_t slice_begin = address - place;
    const uint64_t row = step(&place, bytes->row_pitch, bytes->rows);
    if (slice >= count_of(bytes->slices))
        return false;
    if (row >= count_of(bytes->rows)) {
        lower_to(end, slice_begin + bytes->slice_pitch);
        return false;
    }
    if (place < bytes->size) {
        lower_to(end, address - place + bytes->size);
        return true;
    }
    if (row + 1 < count_of(bytes->rows))
        lower_to(end, address - place + bytes->row_pitch);
    else if (slice + 1 < count_of(bytes->slices))
        lower_to(end, slice_begin + bytes->slice_pitch);
    return false;
}

static bool is_held(uintptr_t address, uintptr_t *end)
{
    bool held = false;
    for (const struct held *item = all_held; item; item = item->next)
        held |= has_byte(item, address, end);
    return held;
}

static bool is_same(const struct held *held, uint32_t object, const struct use_bytes *bytes)
{
    return held->object == object &&
           (!bytes || (held->bytes.first == bytes->first && held->bytes.size == bytes->size));
}

/* Bytes NULL: all of the object. */
static void let_go(uint32_t object, const struct use_bytes *bytes)
{
    struct held **link = &all_held;
    while (*link) {
        struct held *held = *link;
        if (!is_same(held, object, bytes)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        alloc_free(held);
        if (bytes)
            return;
    }
}

static bool hold(const struct vm_object *object, uint32_t number, const struct use_bytes *bytes)
{
    struct held *held = alloc(sizeof(*held));
    if (!held)
        return false;
    *held = (struct held){.next = all_held,
                          .object = number,
                          .bytes = *bytes,
                          .begin = (uintptr_t)object->host_copy + bytes->first};
    all_held = held;
    return true;
}

/* ---- rows ---- */

typedef void row_function(uint8_t *host, uint8_t *device, uint64_t size);

static void each_row(const struct vm_object *object, const struct use_bytes *bytes,
                     row_function *row)
{
    for (uint64_t z = 0; z < count_of(bytes->slices); z++) {
        for (uint64_t y = 0; y < count_of(bytes->rows); y++) {
            const uint64_t place = bytes->first + z * bytes->slice_pitch + y * bytes->row_pitch;
            row(object->host_copy + place, object->bytes + place, bytes->size);
        }
    }
}

static void spoil_row(uint8_t *host, uint8_t *device, uint64_t size)
{
    (void)device;
    memset(host, HOST_COPY_UNDEFINED, size);
}

/* What is the same stays untouched: the program's memory may be read-only. */
static void take_row(uint8_t *host, uint8_t *device, uint64_t size)
{
    const uintptr_t last = (uintptr_t)host + size;
    for (uintptr_t at = (uintptr_t)host; at < last;) {
        uintptr_t end = last;
        const uint64_t done = at - (uintptr_t)host;
        if (!is_held(at, &end) && memcmp(host + done, device + done, end - at) != 0)
            memcpy(host + done, device + done, end - at);
        at = end;
    }
}

static void give_row(uint8_t *host, uint8_t *device, uint64_t size)
{
    memcpy(device, host, size);
}

/* ---- the commands ---- */

cl_int host_copy_map(uint32_t object, const struct use_bytes *bytes, cl_map_flags flags)
{
    const struct vm_object *found = vm_memory_find(icd_memory(), object);
    bool noted = true;
    if (!found->host_copy)
        return CL_SUCCESS;
    pthread_mutex_lock(&lock);
    if ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0)
        each_row(found, bytes, spoil_row);
    else if (flags != 0)
        each_row(found, bytes, take_row);
    if ((flags & writing) != 0)
        noted = hold(found, object, bytes);
    pthread_mutex_unlock(&lock);
    return noted ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void host_copy_unmap(uint32_t object, const struct use_bytes *bytes, cl_map_flags flags)
{
    const struct vm_object *found = vm_memory_find(icd_memory(), object);
    if (!found->host_copy || (flags & writing) == 0)
        return;
    pthread_mutex_lock(&lock);
    each_row(found, bytes, give_row);
    let_go(object, bytes);
    pthread_mutex_unlock(&lock);
}

void host_copy_forget(uint32_t object)
{
    pthread_mutex_lock(&lock);
    let_go(object, NULL);
    pthread_mutex_unlock(&lock);
}
