/* Reference outputs: what a target gave, to compare others with. They are contents of a trace
 * without calls, in pieces as the spool cuts them. */
#include "replay/state.h"
#include "trace/segment.h"
#include "trace/store.h"

struct trace *replay_reference(const struct replay *replay)
{
    return replay->options->golden ? replay->options->golden : replay->trace;
}

enum status replay_keep(const struct replay *replay, uint64_t call_id,
                        const struct api_content *content, struct error *error)
{
    enum status status = STATUS_OK;
    if (!replay->options->keep)
        return STATUS_OK;
    for (uint64_t done = 0; status == STATUS_OK && done < content->size;) {
        struct api_content piece = *content;
        piece.offset += done;
        piece.size = content->size - done;
        if (piece.size > SEGMENT_CONTENT_SIZE)
            piece.size = SEGMENT_CONTENT_SIZE;
        piece.bytes = (const unsigned char *)content->bytes + done;
        status = store_content(replay->options->keep, call_id, &piece, error);
        done += piece.size;
    }
    return status;
}
