#include "checkers/probe/request.h"

#include "trace/base/pack.h"

#include <string.h>

enum { REQUEST_VERSION = 3 };

static void pack_device(const struct request_device *device, struct text *text)
{
    pack_string(text, device->extensions);
    pack_number(text, device->version);
    pack_number(text, device->address_bits);
    pack_number(text, device->is_embedded);
    pack_number(text, device->has_images);
    pack_number(text, device->is_little_endian);
    pack_number(text, device->is_alone);
    pack_string(text, device->macros);
}

static void unpack_device(struct unpacker *from, struct arena *arena, struct request_device *device)
{
    device->extensions = unpack_string(from, arena);
    device->version = (uint32_t)unpack_number(from);
    device->address_bits = (uint32_t)unpack_number(from);
    device->is_embedded = unpack_number(from) != 0;
    device->has_images = unpack_number(from) != 0;
    device->is_little_endian = unpack_number(from) != 0;
    device->is_alone = unpack_number(from) != 0;
    device->macros = unpack_string(from, arena);
}

static void pack_part(const struct request_part *part, struct text *text)
{
    pack_number(text, part->is_il);
    pack_bytes(text, part->bytes, part->size);
    pack_string(text, part->options);
    pack_number(text, part->header_count);
    for (size_t i = 0; i < part->header_count; i++) {
        pack_string(text, part->headers[i].name);
        pack_bytes(text, part->headers[i].text, part->headers[i].size);
    }
    pack_number(text, part->constant_count);
    for (size_t i = 0; i < part->constant_count; i++) {
        pack_number(text, part->constants[i].id);
        pack_bytes(text, part->constants[i].bytes, part->constants[i].size);
    }
}

static const void *unpack_copy(struct unpacker *from, struct arena *arena, size_t *size)
{
    const void *bytes = unpack_bytes(from, size);
    const void *copy = arena_string_n(arena, bytes, *size); /* aligned for words of SPIR-V */
    if (!copy)
        from->failed = true;
    return copy;
}

static void unpack_constant(struct unpacker *from, struct request_constant *constant)
{
    size_t size;
    constant->id = (uint32_t)unpack_number(from);
    const void *bytes = unpack_bytes(from, &size);
    from->failed |= size > sizeof constant->bytes;
    if (from->failed)
        return;
    constant->size = (uint32_t)size;
    memcpy(constant->bytes, bytes, size);
}

static void unpack_part(struct unpacker *from, struct arena *arena, struct request_part *part)
{
    part->is_il = unpack_number(from) != 0;
    part->bytes = unpack_copy(from, arena, &part->size);
    part->options = unpack_string(from, arena);
    part->headers = unpack_list(from, arena, sizeof *part->headers, &part->header_count);
    for (size_t i = 0; i < part->header_count && !from->failed; i++) {
        part->headers[i].name = unpack_string(from, arena);
        part->headers[i].text = unpack_copy(from, arena, &part->headers[i].size);
    }
    part->constants = unpack_list(from, arena, sizeof *part->constants, &part->constant_count);
    for (size_t i = 0; i < part->constant_count && !from->failed; i++)
        unpack_constant(from, &part->constants[i]);
}

void request_pack(const struct request *request, struct text *text)
{
    pack_number(text, REQUEST_VERSION);
    pack_device(&request->device, text);
    pack_number(text, request->is_linked);
    pack_number(text, request->wants_checked);
    pack_number(text, request->part_count);
    for (size_t i = 0; i < request->part_count; i++)
        pack_part(&request->parts[i], text);
}

bool request_unpack(const void *bytes, size_t size, struct request *request)
{
    struct unpacker from = {.at = bytes, .left = size};
    struct arena *arena = &request->arena;
    *request = (struct request){0};
    if (unpack_number(&from) != REQUEST_VERSION)
        return false;
    unpack_device(&from, arena, &request->device);
    request->is_linked = unpack_number(&from) != 0;
    request->wants_checked = unpack_number(&from) != 0;
    request->parts = unpack_list(&from, arena, sizeof *request->parts, &request->part_count);
    for (size_t i = 0; i < request->part_count && !from.failed; i++)
        unpack_part(&from, arena, &request->parts[i]);
    return !from.failed && from.left == 0;
}

void request_release(struct request *request)
{
    arena_release(&request->arena);
    *request = (struct request){0};
}
