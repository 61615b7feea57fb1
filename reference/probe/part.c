#include "reference/probe/part.h"

#include <string.h>

bool part_take_request(const struct request_part *part, struct arena *arena,
                       struct take_request *request)
{
    struct spec_constant *constants =
        arena_alloc(arena, part->constant_count + 1, sizeof *constants);
    if (!constants)
        return false;
    for (size_t i = 0; i < part->constant_count; i++) {
        constants[i] =
            (struct spec_constant){.id = part->constants[i].id, .size = part->constants[i].size};
        memcpy(constants[i].bytes, part->constants[i].bytes, sizeof constants[i].bytes);
    }
    *request = (struct take_request){.bytes = part->bytes,
                                     .size = part->size,
                                     .constants = constants,
                                     .constant_count = part->constant_count};
    return true;
}
