#include "checkers/probe/facts.h"

#include "trace/base/pack.h"

#include <string.h>

enum { FACTS_VERSION = 2 };

static void pack_must(const struct clerk_must *must, struct text *text)
{
    pack_number(text, must->size);
    pack_number(text, (uint64_t)must->first);
    pack_number(text, must->limit_argument);
    pack_number(text, must->limit);
    pack_number(text, must->index_bits);
    pack_number(text, must->flags);
}

static void unpack_must(struct unpacker *from, struct clerk_must *must)
{
    must->size = unpack_number(from);
    must->first = (int64_t)unpack_number(from);
    must->limit_argument = unpack_number(from);
    must->limit = unpack_number(from);
    must->index_bits = unpack_number(from);
    must->flags = unpack_number(from);
}

static void pack_argument(const struct fact_argument *argument, struct text *text)
{
    pack_string(text, argument->name);
    pack_string(text, argument->type_name);
    pack_string(text, argument->plain_type_name);
    pack_number(text, argument->address);
    pack_number(text, argument->access);
    pack_number(text, argument->type_qualifiers);
    pack_number(text, argument->size);
    pack_number(text, argument->accesses);
    pack_must(&argument->must_read, text);
    pack_must(&argument->must_write, text);
}

static void unpack_argument(struct unpacker *from, struct arena *arena,
                            struct fact_argument *argument)
{
    argument->name = unpack_string(from, arena);
    argument->type_name = unpack_string(from, arena);
    argument->plain_type_name = unpack_string(from, arena);
    argument->address = (uint32_t)unpack_number(from);
    argument->access = (uint32_t)unpack_number(from);
    argument->type_qualifiers = unpack_number(from);
    argument->size = unpack_number(from);
    argument->accesses = unpack_number(from);
    unpack_must(from, &argument->must_read);
    unpack_must(from, &argument->must_write);
}

void facts_pack(const struct facts *facts, struct text *text)
{
    pack_number(text, FACTS_VERSION);
    pack_number(text, facts->kernel_count);
    for (size_t k = 0; k < facts->kernel_count; k++) {
        const struct fact_kernel *kernel = &facts->kernels[k];
        pack_string(text, kernel->name);
        for (size_t d = 0; d < 3; d++)
            pack_number(text, kernel->group_size[d]);
        pack_number(text, kernel->argument_count);
        for (size_t i = 0; i < kernel->argument_count; i++)
            pack_argument(&kernel->arguments[i], text);
    }
}

bool facts_unpack(const void *bytes, size_t size, struct facts *facts)
{
    struct unpacker from = {.at = bytes, .left = size};
    struct arena *arena = &facts->arena;
    *facts = (struct facts){0};
    if (unpack_number(&from) != FACTS_VERSION)
        return false;
    facts->kernels = unpack_list(&from, arena, sizeof *facts->kernels, &facts->kernel_count);
    for (size_t k = 0; k < facts->kernel_count && !from.failed; k++) {
        struct fact_kernel *kernel = &facts->kernels[k];
        kernel->name = unpack_string(&from, arena);
        for (size_t d = 0; d < 3; d++)
            kernel->group_size[d] = unpack_number(&from);
        kernel->arguments =
            unpack_list(&from, arena, sizeof *kernel->arguments, &kernel->argument_count);
        for (size_t i = 0; i < kernel->argument_count && !from.failed; i++)
            unpack_argument(&from, arena, &kernel->arguments[i]);
    }
    return !from.failed && from.left == 0;
}

void facts_release(struct facts *facts)
{
    arena_release(&facts->arena);
    *facts = (struct facts){0};
}

const struct fact_kernel *facts_find(const struct facts *facts, const char *kernel)
{
    for (size_t k = 0; k < facts->kernel_count; k++)
        if (strcmp(facts->kernels[k].name, kernel) == 0)
            return &facts->kernels[k];
    return NULL;
}
