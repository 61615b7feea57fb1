#include "layer/probes/certain_write.h"

#include "trace/api/clerk_queries.h"
#include "trace/base/size.h"

#include <string.h>

/* The number that the argument is set to; false when it is not known. */
static bool number_of(const struct probed *probed, uint64_t argument, bool is_signed,
                      uint64_t *number)
{
    const struct given *given = probed->given;
    if (!given || argument >= given->count)
        return false;
    const uint64_t size = given->arguments[argument].size;
    const void *value = given_value(&given->arguments[argument]);
    uint32_t narrow;
    if (!value || (size != sizeof narrow && size != sizeof *number))
        return false;
    memcpy(size == sizeof narrow ? (void *)&narrow : (void *)number, value, size);
    *number = size == sizeof narrow ? narrow : *number;
    return !is_signed || *number <= (size == 4 ? INT32_MAX : INT64_MAX);
}

/* The id that is the first to be beyond the limit; 0 when that is not known. */
static uint64_t limit_of(const struct probed *probed, const struct clerk_must *must)
{
    uint64_t limit = must->limit;
    if (must->limit_argument != UINT64_MAX &&
        !number_of(probed, must->limit_argument, (must->flags & CLERK_MUST_LIMIT_SIGNED) != 0,
                   &limit))
        return 0;
    return must->index_bits < 64 && limit > UINT64_C(1) << must->index_bits
               ? UINT64_C(1) << must->index_bits
               : limit;
}

/* Of a launch that has work-items: their ids in the first dimension. */
static bool ids_of(const struct launch_sizes *sizes, uint64_t *first, uint64_t *end)
{
    for (uint32_t i = 0; i < sizes->dimensions; i++)
        if (sizes->global[i] == 0)
            return false;
    *first = sizes->offset[0];
    return sizes->dimensions > 0 && size_add(*first, sizes->global[0], end);
}

bool certain_write_find(const struct probed *probed, uint64_t argument,
                        const struct launch_sizes *sizes, struct byte_range *range)
{
    const struct fact_argument *fact = probed_fact(probed, argument);
    const struct reach *reach = &probed->reaches[argument];
    const uint64_t room = reach->size & CHECKED_SIZE_UNKNOWN;
    uint64_t first, end;
    if (!fact || fact->must_write.size == 0 || fact->must_write.first < 0 ||
        (fact->must_write.flags & CLERK_MUST_ATOMIC) != 0 || room == CHECKED_SIZE_UNKNOWN ||
        !ids_of(sizes, &first, &end))
        return false;
    const struct clerk_must *must = &fact->must_write;
    const uint64_t start = (uint64_t)must->first;
    const uint64_t limit = limit_of(probed, must);
    const uint64_t fits = start < room ? (room - start) / must->size : 0;
    end = end < limit ? end : limit;
    end = end < fits ? end : fits;
    if (first >= end)
        return false;
    *range = (struct byte_range){reach->before + start + must->size * first,
                                 reach->before + start + must->size * end};
    return true;
}

bool certain_write_may_read(const struct probed *probed, uint64_t object)
{
    for (uint32_t i = 0; i < probed->checked->argument_count; i++) {
        const struct fact_argument *fact = probed_fact(probed, i);
        if (probed->reaches[i].object == object &&
            (!fact || (fact->accesses & CL_KERNEL_ARG_READS_CLERK) != 0))
            return true;
    }
    return false;
}
