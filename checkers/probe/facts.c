#include "checkers/probe/facts.h"

#include "trace/base/pack.h"

#include <string.h>

enum { FACTS_VERSION = 5 };

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

static void pack_term(const struct apart_term *term, struct text *text)
{
    pack_number(text, term->id);
    pack_number(text, term->dimension);
    pack_number(text, (uint64_t)term->scale);
    pack_number(text, term->factor_count);
    for (uint32_t f = 0; f < term->factor_count; f++) {
        pack_number(text, term->factors[f].kind);
        pack_number(text, term->factors[f].number);
        pack_number(text, term->factors[f].is_signed);
    }
}

static void unpack_term(struct unpacker *from, struct apart_term *term)
{
    term->id = (uint32_t)unpack_number(from);
    term->dimension = (uint32_t)unpack_number(from);
    term->scale = (int64_t)unpack_number(from);
    const uint64_t count = unpack_number(from);
    from->failed |= count > APART_FACTORS;
    term->factor_count = from->failed ? 0 : (uint32_t)count;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        term->factors[f].kind = (uint32_t)unpack_number(from);
        term->factors[f].number = (uint32_t)unpack_number(from);
        term->factors[f].is_signed = unpack_number(from) != 0;
    }
}

static void pack_apart(const struct apart *apart, struct text *text)
{
    pack_number(text, apart->is_known);
    pack_number(text, apart->writer);
    pack_number(text, apart->written);
    pack_number(text, apart->form_count);
    for (size_t f = 0; f < apart->form_count; f++) {
        const struct apart_form *form = &apart->forms[f];
        pack_number(text, form->span);
        pack_number(text, form->bits);
        pack_number(text, form->one_global);
        pack_number(text, form->one_local);
        pack_number(text, form->term_count);
        for (size_t t = 0; t < form->term_count; t++)
            pack_term(&form->terms[t], text);
    }
}

static void unpack_apart(struct unpacker *from, struct arena *arena, struct apart *apart)
{
    apart->is_known = unpack_number(from) != 0;
    apart->writer = (uint32_t)unpack_number(from);
    apart->written = unpack_number(from);
    apart->forms = unpack_list(from, arena, sizeof *apart->forms, &apart->form_count);
    for (size_t f = 0; f < apart->form_count && !from->failed; f++) {
        struct apart_form *form = &apart->forms[f];
        form->span = unpack_number(from);
        form->bits = (uint32_t)unpack_number(from);
        form->one_global = (uint32_t)unpack_number(from);
        form->one_local = (uint32_t)unpack_number(from);
        form->terms = unpack_list(from, arena, sizeof *form->terms, &form->term_count);
        for (size_t t = 0; t < form->term_count && !from->failed; t++)
            unpack_term(from, &form->terms[t]);
    }
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
    pack_apart(&argument->apart, text);
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
    unpack_apart(from, arena, &argument->apart);
}

static void pack_kernel(const struct fact_kernel *kernel, struct text *text)
{
    pack_string(text, kernel->name);
    for (size_t d = 0; d < 3; d++)
        pack_number(text, kernel->group_size[d]);
    pack_number(text, kernel->argument_count);
    for (size_t i = 0; i < kernel->argument_count; i++)
        pack_argument(&kernel->arguments[i], text);
    pack_number(text, kernel->local_size);
    pack_number(text, kernel->local_count);
    for (size_t i = 0; i < kernel->local_count; i++) {
        pack_string(text, kernel->locals[i].name);
        pack_number(text, kernel->locals[i].size);
        pack_apart(&kernel->locals[i].apart, text);
    }
}

static void unpack_kernel(struct unpacker *from, struct arena *arena, struct fact_kernel *kernel)
{
    kernel->name = unpack_string(from, arena);
    for (size_t d = 0; d < 3; d++)
        kernel->group_size[d] = unpack_number(from);
    kernel->arguments =
        unpack_list(from, arena, sizeof *kernel->arguments, &kernel->argument_count);
    for (size_t i = 0; i < kernel->argument_count && !from->failed; i++)
        unpack_argument(from, arena, &kernel->arguments[i]);
    kernel->local_size = unpack_number(from);
    kernel->locals = unpack_list(from, arena, sizeof *kernel->locals, &kernel->local_count);
    for (size_t i = 0; i < kernel->local_count && !from->failed; i++) {
        kernel->locals[i].name = unpack_string(from, arena);
        kernel->locals[i].size = unpack_number(from);
        unpack_apart(from, arena, &kernel->locals[i].apart);
    }
}

void facts_pack(const struct facts *facts, struct text *text)
{
    pack_number(text, FACTS_VERSION);
    pack_number(text, facts->kernel_count);
    for (size_t k = 0; k < facts->kernel_count; k++)
        pack_kernel(&facts->kernels[k], text);
}

bool facts_unpack(const void *bytes, size_t size, struct facts *facts)
{
    struct unpacker from = {.at = bytes, .left = size};
    struct arena *arena = &facts->arena;
    *facts = (struct facts){0};
    if (unpack_number(&from) != FACTS_VERSION)
        return false;
    facts->kernels = unpack_list(&from, arena, sizeof *facts->kernels, &facts->kernel_count);
    for (size_t k = 0; k < facts->kernel_count && !from.failed; k++)
        unpack_kernel(&from, arena, &facts->kernels[k]);
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
