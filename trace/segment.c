#include "trace/segment.h"

#include "trace/base/size.h"

#include <string.h>

enum segment_step segment_next(const unsigned char *segment, uint64_t size, uint64_t *offset,
                               struct segment_record *record)
{
    if (*offset % 8 || !range_within(*offset, 8, size))
        return *offset == size ? SEGMENT_STEP_NOTHING : SEGMENT_STEP_DAMAGED;
    /* The writer may be at work on this word now. */
    const uint64_t *word = (const uint64_t *)(const void *)(segment + *offset);
    const uint64_t commit = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (!commit)
        return SEGMENT_STEP_NOTHING;
    const uint32_t kind = (uint32_t)(commit >> 32) & 0xffff;
    const uint32_t payload_size = (uint32_t)commit;
    if (commit >> 48 != SEGMENT_MARK || kind < SEGMENT_CALL_BEGIN || kind >= SEGMENT_KIND_END ||
        !range_within(*offset, segment_record_size(payload_size), size))
        return SEGMENT_STEP_DAMAGED;
    if (kind == SEGMENT_END)
        return SEGMENT_STEP_END;
    *record = (struct segment_record){
        .kind = (enum segment_kind)kind, .payload = segment + *offset + 8, .size = payload_size};
    *offset += segment_record_size(payload_size);
    return SEGMENT_STEP_RECORD;
}

enum segment_start segment_look(const unsigned char *segment, uint64_t size)
{
    static const char unwritten[sizeof((struct segment_header *)0)->magic];
    struct segment_header header;
    if (size == 0)
        return SEGMENT_START_NONE;
    if (size < sizeof header)
        return SEGMENT_START_DAMAGED;
    memcpy(&header, segment, sizeof header);
    /* Its magic is written last of the header. */
    if (memcmp(header.magic, unwritten, sizeof unwritten) == 0 && header.stream == 0)
        return SEGMENT_START_NONE;
    return memcmp(header.magic, SEGMENT_MAGIC, sizeof header.magic) == 0 &&
                   header.version == SEGMENT_VERSION
               ? SEGMENT_START_VALID
               : SEGMENT_START_DAMAGED;
}

void segment_print_strings(uint64_t number, const char *const *strings, size_t count,
                           struct text *text)
{
    text_append_n(text, &number, sizeof number);
    for (size_t i = 0; i < count; ++i) {
        const char *string = strings[i] ? strings[i] : "";
        const uint32_t size = (uint32_t)strnlen(string, UINT32_MAX / 2);
        text_append_n(text, &size, sizeof size);
        text_append_n(text, string, size);
    }
}

bool segment_strings_begin(const struct segment_record *record, struct segment_strings *strings,
                           uint64_t *number)
{
    if (record->size < sizeof *number)
        return false;
    memcpy(number, record->payload, sizeof *number);
    strings->next = record->payload + sizeof *number;
    strings->end = record->payload + record->size;
    return true;
}

bool segment_strings_next(struct segment_strings *strings, const char **string, size_t *size)
{
    uint32_t length;
    if ((size_t)(strings->end - strings->next) < sizeof length)
        return false;
    memcpy(&length, strings->next, sizeof length);
    if ((size_t)(strings->end - strings->next) - sizeof length < length)
        return false;
    *string = (const char *)strings->next + sizeof length;
    *size = length;
    strings->next += sizeof length + length;
    return true;
}
