#include "checkers/probe/checked.h"

#include "trace/base/pack.h"

#include <string.h>

enum { CHECKED_VERSION = 5 };

static void pack_kernel(const struct checked_kernel *kernel, struct text *text)
{
    pack_string(text, kernel->name);
    pack_string(text, kernel->reason);
    pack_number(text, kernel->argument_count);
    pack_number(text, kernel->is_ordered_otherwise);
    pack_number(text, kernel->may_be_led);
    pack_number(text, kernel->hides_writes);
    pack_number(text, kernel->uses_sub_groups);
    pack_number(text, kernel->waits);
    pack_number(text, kernel->may_diverge);
    pack_number(text, kernel->parameter_count);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        pack_number(text, kernel->parameters[i].hidden);
        pack_number(text, kernel->parameters[i].argument);
        pack_number(text, kernel->parameters[i].shift);
        pack_number(text, kernel->parameters[i].is_written);
        pack_number(text, kernel->parameters[i].is_apart);
    }
}

static void unpack_kernel(struct unpacker *from, struct arena *arena, struct checked_kernel *kernel)
{
    kernel->name = unpack_string(from, arena);
    kernel->reason = unpack_string(from, arena);
    kernel->argument_count = (uint32_t)unpack_number(from);
    kernel->is_ordered_otherwise = unpack_number(from) != 0;
    kernel->may_be_led = unpack_number(from) != 0;
    kernel->hides_writes = unpack_number(from) != 0;
    kernel->uses_sub_groups = unpack_number(from) != 0;
    kernel->waits = unpack_number(from) != 0;
    kernel->may_diverge = unpack_number(from) != 0;
    kernel->parameters =
        unpack_list(from, arena, sizeof *kernel->parameters, &kernel->parameter_count);
    for (size_t i = 0; i < kernel->parameter_count && !from->failed; i++) {
        kernel->parameters[i].hidden = (uint32_t)unpack_number(from);
        kernel->parameters[i].argument = (uint32_t)unpack_number(from);
        kernel->parameters[i].shift = (uint32_t)unpack_number(from);
        kernel->parameters[i].is_written = unpack_number(from) != 0;
        kernel->parameters[i].is_apart = unpack_number(from) != 0;
    }
}

static void pack_site(const struct checked_site *site, struct text *text)
{
    pack_string(text, site->file);
    pack_number(text, site->line);
    pack_number(text, site->access);
    pack_string(text, site->expression);
    pack_string(text, site->variable ? site->variable : "");
    pack_string(text, site->function ? site->function : "");
}

static void unpack_site(struct unpacker *from, struct arena *arena, struct checked_site *site)
{
    site->file = unpack_string(from, arena);
    site->line = (uint32_t)unpack_number(from);
    site->access = (uint32_t)unpack_number(from);
    site->expression = unpack_string(from, arena);
    site->variable = unpack_string(from, arena);
    site->function = unpack_string(from, arena);
}

void checked_pack(const struct checked *checked, struct text *text)
{
    pack_number(text, CHECKED_VERSION);
    pack_string(text, checked->reason);
    pack_number(text, checked->part_count);
    for (size_t i = 0; i < checked->part_count; i++) {
        pack_bytes(text, checked->parts[i].text, checked->parts[i].size);
        pack_number(text, checked->parts[i].is_il);
        pack_string(text, checked->parts[i].options);
    }
    pack_number(text, checked->kernel_count);
    for (size_t i = 0; i < checked->kernel_count; i++)
        pack_kernel(&checked->kernels[i], text);
    pack_number(text, checked->site_count);
    for (size_t i = 0; i < checked->site_count; i++)
        pack_site(&checked->sites[i], text);
}

static void unpack_part(struct unpacker *from, struct arena *arena, struct checked_part *part)
{
    const void *bytes = unpack_bytes(from, &part->size);
    part->text = arena_string_n(arena, bytes, part->size);
    part->is_il = unpack_number(from) != 0;
    part->options = unpack_string(from, arena);
    from->failed = from->failed || !part->text;
}

bool checked_unpack(const void *bytes, size_t size, struct checked *checked)
{
    struct unpacker from = {.at = bytes, .left = size};
    struct arena *arena = &checked->arena;
    *checked = (struct checked){0};
    if (unpack_number(&from) != CHECKED_VERSION)
        return false;
    checked->reason = unpack_string(&from, arena);
    checked->parts = unpack_list(&from, arena, sizeof *checked->parts, &checked->part_count);
    for (size_t i = 0; i < checked->part_count && !from.failed; i++)
        unpack_part(&from, arena, &checked->parts[i]);
    checked->kernels = unpack_list(&from, arena, sizeof *checked->kernels, &checked->kernel_count);
    for (size_t i = 0; i < checked->kernel_count && !from.failed; i++)
        unpack_kernel(&from, arena, &checked->kernels[i]);
    checked->sites = unpack_list(&from, arena, sizeof *checked->sites, &checked->site_count);
    for (size_t i = 0; i < checked->site_count && !from.failed; i++)
        unpack_site(&from, arena, &checked->sites[i]);
    return !from.failed && from.left == 0;
}

void checked_release(struct checked *checked)
{
    arena_release(&checked->arena);
    *checked = (struct checked){0};
}

enum status checked_conclude(struct checked *checked, enum status status, const struct error *why,
                             struct error *error)
{
    if (status == STATUS_NO_MEMORY || status == STATUS_IO) {
        error_set(error, status, "%s", why->text);
    } else if (status != STATUS_OK) {
        checked_release(checked);
        checked->reason = arena_string(&checked->arena, why->text);
        status = checked->reason ? STATUS_OK : error_no_memory(error, strlen(why->text));
    }
    if (status != STATUS_OK)
        checked_release(checked);
    return status;
}

const struct checked_kernel *checked_find(const struct checked *checked, const char *kernel)
{
    for (size_t i = 0; i < checked->kernel_count; i++)
        if (strcmp(checked->kernels[i].name, kernel) == 0)
            return &checked->kernels[i];
    return NULL;
}
