#include "checkers/access_words.h"

#include <inttypes.h>
#include <stdbool.h>

static const char *or_unknown(const char *words)
{
    return words ? words : "?";
}

const char *access_words_id(struct arena *arena, const uint64_t id[3], uint32_t dimensions)
{
    const char *words =
        dimensions == 1 ? arena_format(arena, "%" PRIu64, id[0])
        : dimensions == 2
            ? arena_format(arena, "(%" PRIu64 ",%" PRIu64 ")", id[0], id[1])
            : arena_format(arena, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", id[0], id[1], id[2]);
    return or_unknown(words);
}

const char *access_words_bytes(struct arena *arena, uint64_t count)
{
    return count == 1 ? "1 byte" : or_unknown(arena_format(arena, "%" PRIu64 " bytes", count));
}

const char *access_words_where(struct arena *arena, const struct access_place *place)
{
    const int64_t bytes = (int64_t)place->bytes;
    const bool is_element = bytes > 0 && bytes <= 8 && place->offset >= 0 &&
                            place->offset % bytes == 0 && place->size % place->bytes == 0;
    return or_unknown(arena_format(
        arena, "at %s %" PRId64 " of %s memory '%s' (%s)", is_element ? "element" : "byte",
        is_element ? place->offset / bytes : place->offset, place->region, place->name,
        access_words_bytes(arena, place->size)));
}

const char *access_words_beyond(struct arena *arena, const struct access_place *place)
{
    const char *const name = place->name;
    if (place->size == 0)
        return or_unknown(arena_format(arena, "'%s' has no bytes", name));
    if (place->offset < 0)
        return or_unknown(arena_format(arena, "the access begins %s before the start of '%s'",
                                       access_words_bytes(arena, 0 - (uint64_t)place->offset),
                                       name));
    const uint64_t offset = (uint64_t)place->offset;
    if (offset < place->size)
        return or_unknown(
            arena_format(arena, "the access begins inside '%s' and ends %s past its end", name,
                         access_words_bytes(arena, offset + place->bytes - place->size)));
    const uint64_t beyond = offset - place->size;
    const char *const distance =
        beyond == 0
            ? "right at the end"
            : or_unknown(arena_format(arena, "%s past the end", access_words_bytes(arena, beyond)));
    if (place->bytes <= 8 && place->size % place->bytes == 0)
        return or_unknown(
            arena_format(arena, "the access begins %s of '%s', whose elements are 0 to %" PRIu64,
                         distance, name, place->size / place->bytes - 1));
    return or_unknown(arena_format(arena, "the access begins %s of '%s'", distance, name));
}
