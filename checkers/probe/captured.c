#include "checkers/probe/captured.h"

#include "trace/base/pack.h"

enum { CAPTURED_VERSION = 4 };

static void pack_sizes(struct text *text, const uint64_t *sizes)
{
    for (size_t i = 0; i < 3; i++)
        pack_number(text, sizes[i]);
}

static uint64_t bits_size(uint64_t size)
{
    return size / 8 + (size % 8 != 0);
}

static void pack_memory(struct text *text, const struct captured_memory *memory)
{
    const struct captured_image *image = &memory->image;
    pack_number(text, memory->type);
    pack_number(text, memory->flags);
    pack_number(text, memory->size);
    pack_number(text, image->order);
    pack_number(text, image->channel);
    pack_number(text, image->width);
    pack_number(text, image->height);
    pack_number(text, image->depth);
    pack_number(text, image->layers);
    pack_number(text, memory->address);
    pack_bytes(text, memory->bytes, memory->size);
    pack_bytes(text, memory->undefined ? (const void *)memory->undefined : "",
               memory->undefined ? bits_size(memory->size) : 0);
}

static bool has_bytes(const struct captured_argument *argument)
{
    return argument->kind == CAPTURED_VALUE || argument->kind == CAPTURED_SAMPLER;
}

static void pack_argument(struct text *text, const struct captured_argument *argument)
{
    const bool with_bytes = has_bytes(argument);
    pack_number(text, argument->kind);
    pack_number(text, argument->index);
    pack_number(text, argument->size);
    pack_bytes(text, with_bytes ? argument->bytes : "", with_bytes ? argument->size : 0);
}

void captured_pack(const struct captured *captured, struct text *text)
{
    pack_number(text, CAPTURED_VERSION);
    pack_string(text, captured->kernel);
    pack_string(text, captured->reason);
    pack_string(text, captured->function);
    pack_number(text, captured->call_id);
    pack_number(text, captured->is_after);
    pack_number(text, captured->is_running);
    pack_number(text, captured->dimensions);
    pack_sizes(text, captured->offset);
    pack_sizes(text, captured->global);
    pack_sizes(text, captured->local);
    pack_bytes(text, captured->program ? captured->program : "", captured->program_size);
    pack_number(text, captured->memory_count);
    for (size_t i = 0; i < captured->memory_count; i++)
        pack_memory(text, &captured->memory[i]);
    pack_number(text, captured->argument_count);
    for (size_t i = 0; i < captured->argument_count; i++)
        pack_argument(text, &captured->arguments[i]);
}

/* ---- reading ---- */

static void unpack_sizes(struct unpacker *from, uint64_t *sizes)
{
    for (size_t i = 0; i < 3; i++)
        sizes[i] = unpack_number(from);
}

static void unpack_memory(struct unpacker *from, struct captured_memory *memory)
{
    size_t byte_count, bits_count;
    struct captured_image *image = &memory->image;
    memory->type = (uint32_t)unpack_number(from);
    memory->flags = unpack_number(from);
    memory->size = unpack_number(from);
    image->order = (uint32_t)unpack_number(from);
    image->channel = (uint32_t)unpack_number(from);
    image->width = unpack_number(from);
    image->height = unpack_number(from);
    image->depth = unpack_number(from);
    image->layers = unpack_number(from);
    memory->address = unpack_number(from);
    memory->bytes = (void *)(uintptr_t)unpack_bytes(from, &byte_count);
    const void *bits = unpack_bytes(from, &bits_count);
    memory->undefined = bits_count > 0 ? bits : NULL;
    if (memory->size == 0 || byte_count != memory->size ||
        (bits_count > 0 && bits_count != bits_size(memory->size)))
        from->failed = true;
}

static void unpack_argument(struct unpacker *from, const struct captured *captured,
                            struct captured_argument *argument)
{
    size_t byte_count;
    argument->kind = (uint32_t)unpack_number(from);
    argument->index = (uint32_t)unpack_number(from);
    argument->size = unpack_number(from);
    argument->bytes = unpack_bytes(from, &byte_count);
    const bool in_memory = argument->kind == CAPTURED_MEMORY || argument->kind == CAPTURED_SHARED;
    if (argument->kind > CAPTURED_SHARED ||
        byte_count != (has_bytes(argument) ? argument->size : 0) ||
        (argument->kind == CAPTURED_SAMPLER && byte_count != sizeof(struct captured_sampler)) ||
        (in_memory && argument->index >= captured->memory_count))
        from->failed = true;
}

bool captured_unpack(const void *bytes, size_t size, struct captured *captured)
{
    struct unpacker from = {.at = bytes, .left = size};
    struct arena *arena = &captured->arena;
    *captured = (struct captured){0};
    if (unpack_number(&from) != CAPTURED_VERSION)
        return false;
    captured->kernel = unpack_string(&from, arena);
    captured->reason = unpack_string(&from, arena);
    captured->function = unpack_string(&from, arena);
    captured->call_id = unpack_number(&from);
    captured->is_after = unpack_number(&from) != 0;
    captured->is_running = unpack_number(&from) != 0;
    captured->dimensions = (uint32_t)unpack_number(&from);
    unpack_sizes(&from, captured->offset);
    unpack_sizes(&from, captured->global);
    unpack_sizes(&from, captured->local);
    captured->program = unpack_bytes(&from, &captured->program_size);
    captured->memory = unpack_list(&from, arena, sizeof *captured->memory, &captured->memory_count);
    for (size_t i = 0; i < captured->memory_count && !from.failed; i++)
        unpack_memory(&from, &captured->memory[i]);
    captured->arguments =
        unpack_list(&from, arena, sizeof *captured->arguments, &captured->argument_count);
    for (size_t i = 0; i < captured->argument_count && !from.failed; i++)
        unpack_argument(&from, captured, &captured->arguments[i]);
    return !from.failed && from.left == 0 && captured->dimensions <= 3;
}

void captured_release(struct captured *captured)
{
    arena_release(&captured->arena);
    *captured = (struct captured){0};
}
