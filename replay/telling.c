/* What replay tells: that a call could not be performed, and what differs. */
#include "replay/state.h"

#include <stdarg.h>

enum status replay_fail(const struct api_call *call, enum status status, struct error *error,
                        const char *format, ...)
{
    va_list list;
    va_start(list, format);
    error_set_v(error, status, format, list);
    va_end(list);
    error_prefix(error, "call %llu, %s", (unsigned long long)call->id,
                 api_entry_get(call->entry)->name);
    return status;
}

/* The contents of one transfer come in pieces: what one shows joins what those before it did. The
 * place that is named is the first that the tolerance does not cover. */
void replay_join_difference(struct replay_bytes_difference *all,
                            const struct replay_bytes_difference *piece, uint64_t piece_offset)
{
    const bool is_first = all->byte_count == 0;
    struct replay_bytes_difference joined = *all;
    if (is_first || (all->is_close && !piece->is_close)) {
        joined = *piece;
        joined.offset += piece_offset;
        joined.first_byte += piece_offset;
    }
    joined.is_close = piece->is_close && (is_first || all->is_close);
    joined.byte_count = all->byte_count + piece->byte_count;
    joined.element_count = all->element_count + piece->element_count;
    joined.ulp = all->ulp > piece->ulp ? all->ulp : piece->ulp;
    joined.relative = all->relative > piece->relative ? all->relative : piece->relative;
    *all = joined;
}

void replay_read_differs(struct replay *replay, const struct replay_difference *difference)
{
    const struct replay_bytes_difference *bytes = &difference->bytes;
    struct replay_result *result = replay->result;
    if (bytes->ulp > result->ulp)
        result->ulp = bytes->ulp;
    if (bytes->relative > result->relative)
        result->relative = bytes->relative;
    if (bytes->is_close) {
        ++result->close_reads;
        return;
    }
    if (replay->options->tolerance.allowed && !replay_type_is_known(difference->type))
        ++result->untyped_reads;
    ++result->differing_reads;
    result->differing_bytes += bytes->byte_count;
    if (replay->options->difference)
        replay->options->difference(replay->options->user, difference);
}
