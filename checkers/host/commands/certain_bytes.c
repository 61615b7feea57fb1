#include "checkers/host/commands/certain_bytes.h"

#include "checkers/host/checker.h"
#include "trace/api/clerk_queries.h"

/* ---- the global ids ---- */

/* A list of sizes that is as long as it has to be. */
static bool is_complete(const struct api_value *sizes, uint64_t count)
{
    return sizes->present && sizes->kind == API_VALUE_SIZES && sizes->data && sizes->count == count;
}

struct launch_ids launch_ids_of(const struct api_call *call)
{
    static const struct launch_ids none;
    const struct api_value *a = call->arguments;
    const struct api_value *offset = &a[API_clEnqueueNDRangeKernel_global_work_offset];
    const struct api_value *size = &a[API_clEnqueueNDRangeKernel_global_work_size];
    struct launch_ids ids = {.first = 0, .end = 1};
    if (call->entry == API_ENTRY_clEnqueueTask)
        return ids;
    const uint64_t dimensions = a[API_clEnqueueNDRangeKernel_work_dim].bits;
    if (dimensions == 0 || !is_complete(size, dimensions) ||
        (offset->present && !is_complete(offset, dimensions)))
        return none;
    for (uint32_t i = 0; i < dimensions; i++) {
        if (list_word(size, i) == 0)
            return none;
    }
    ids.first = offset->present ? list_word(offset, 0) : 0;
    return __builtin_add_overflow(ids.first, list_word(size, 0), &ids.end) ? none : ids;
}

/* ---- limits ---- */

/* The number that an argument is set to; false when it is not known. */
static bool number_of(const struct argument_traits *argument, bool is_signed, uint64_t *number)
{
    const uint32_t size = argument->set_size;
    *number = argument->number;
    if (!argument->set || argument->lost || argument->sized || argument->svm ||
        argument->overtaken != 0 || (size != 4 && size != 8))
        return false;
    return !is_signed || *number <= (size == 4 ? INT32_MAX : INT64_MAX);
}

/* The id that is the first to be beyond the limit; 0 when that is not known. */
static uint64_t limit_of(const struct kernel_traits *kernel, const struct must_traits *must)
{
    uint64_t limit = must->limit;
    const uint8_t argument = must->limit_argument;
    const unsigned bits = must->index_bits;
    if (argument != MUST_WITHOUT_LIMIT &&
        !number_of(&kernel->arguments[argument], (must->flags & CLERK_MUST_LIMIT_SIGNED) != 0,
                   &limit))
        return 0;
    return bits < 64 && limit > UINT64_C(1) << bits ? UINT64_C(1) << bits : limit;
}

uint64_t certain_bytes_limits(const struct kernel_traits *kernel)
{
    uint64_t digest = 0;
    for (uint64_t left = kernel->limit_arguments; left != 0; left &= left - 1) {
        const struct argument_traits *argument = &kernel->arguments[__builtin_ctzll(left)];
        digest = traits_mix(digest, argument->number);
        digest = traits_mix(digest, argument->overtaken);
    }
    return digest;
}

/* ---- bytes ---- */

/* Of ids from ids->first to ids->end: the part whose bytes, first + size * id and what follows, are
 * all in a buffer. */
static struct launch_ids clip(const struct must_traits *must, uint64_t buffer_size,
                              struct launch_ids ids)
{
    const uint64_t size = must->size;
    const int64_t first = must->first;
    const uint64_t distance = first < 0 ? 0 - (uint64_t)first : (uint64_t)first;
    uint64_t room = buffer_size;
    if (first < 0) {
        const uint64_t lowest = distance / size + (distance % size != 0);
        ids.first = ids.first > lowest ? ids.first : lowest;
        room = __builtin_add_overflow(room, distance, &room) ? UINT64_MAX : room;
    } else {
        room = distance < room ? room - distance : 0;
    }
    ids.end = ids.end < room / size ? ids.end : room / size;
    return ids;
}

void certain_bytes_find(const struct kernel_traits *kernel, const struct must_traits *must,
                        const struct launch_ids *ids, uint64_t size, struct use_part *part)
{
    const uint64_t limit = limit_of(kernel, must);
    part->first = part->size = 0;
    if (must->size == 0)
        return;
    struct launch_ids certain = {ids->first, ids->end < limit ? ids->end : limit};
    certain = clip(must, size, certain);
    if (certain.first >= certain.end)
        return;
    part->first = (uint64_t)must->first + must->size * certain.first;
    part->size = must->size * (certain.end - certain.first);
}
