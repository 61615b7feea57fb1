#include "trace/base/pack.h"

#include <string.h>

void pack_number(struct text *text, uint64_t number)
{
    text_append_n(text, &number, sizeof(number));
}

void pack_bytes(struct text *text, const void *bytes, size_t size)
{
    pack_number(text, size);
    text_append_n(text, bytes, size);
}

void pack_string(struct text *text, const char *string)
{
    pack_bytes(text, string, strlen(string));
}

uint64_t unpack_number(struct unpacker *from)
{
    uint64_t number = 0;
    if (from->left < sizeof(number)) {
        from->failed = true;
        return 0;
    }
    memcpy(&number, from->at, sizeof(number));
    from->at += sizeof(number);
    from->left -= sizeof(number);
    return number;
}

const void *unpack_bytes(struct unpacker *from, size_t *size)
{
    const uint64_t given = unpack_number(from);
    *size = 0;
    if (from->failed || given > from->left) {
        from->failed = true;
        return "";
    }
    const void *bytes = from->at;
    from->at += given;
    from->left -= given;
    *size = given;
    return bytes;
}

const char *unpack_string(struct unpacker *from, struct arena *arena)
{
    size_t size;
    const char *bytes = unpack_bytes(from, &size);
    const char *copy = arena_string_n(arena, bytes, size);
    if (!copy)
        from->failed = true;
    return copy ? copy : "";
}

void *unpack_list(struct unpacker *from, struct arena *arena, size_t element_size, size_t *count)
{
    const uint64_t given = unpack_number(from);
    *count = 0;
    if (given > from->left / sizeof(given))
        from->failed = true;
    void *list = from->failed ? NULL : arena_alloc(arena, given + 1, element_size);
    if (list)
        *count = given;
    else
        from->failed = true;
    return list;
}
