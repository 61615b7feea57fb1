#include "checkers/image_words.h"

#include <inttypes.h>

static const char *or_unknown(const char *words)
{
    return words ? words : "?";
}

/* "(3, 4)", or "3" where there is one coordinate. */
static const char *coordinates(struct arena *arena, const struct image_place *place)
{
    const char *at = arena_format(arena, "%" PRId64, place->coordinates[0]);
    for (uint32_t i = 1; at && i < place->coordinate_count; i++)
        at = arena_format(arena, "%s, %" PRId64, at, place->coordinates[i]);
    return at && place->coordinate_count > 1 ? arena_format(arena, "(%s)", at) : at;
}

const char *image_words_which(struct arena *arena, const struct image_place *place)
{
    const bool one = place->coordinate_count == 1 && place->size[0] == 1;
    const char *size = arena_format(arena, "%" PRIu64, place->size[0]);
    for (uint32_t i = 1; size && i < place->coordinate_count; i++)
        size = arena_format(arena, "%s x %" PRIu64, size, place->size[i]);
    const char *name = place->name ? arena_format(arena, " '%s'", place->name) : "";
    return or_unknown(arena_format(arena, "%s%s (%s texel%s)", place->type, or_unknown(name),
                                   or_unknown(size), one ? "" : "s"));
}

const char *image_words_texel(struct arena *arena, const struct image_place *place)
{
    return or_unknown(arena_format(arena, "texel %s of %s", or_unknown(coordinates(arena, place)),
                                   image_words_which(arena, place)));
}

const char *image_words_outside(bool is_write, bool is_sampled)
{
    if (is_write)
        return "what a write outside the image does is undefined";
    return is_sampled ? "the sampler has CLK_ADDRESS_NONE, which leaves the value undefined"
                      : "without a sampler the value is undefined";
}
