#include "reference/probe/insert.h"

#include "reference/compiler/sources.h"
#include "trace/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *insert_format(struct insertion_program *program, const char *format, ...)
{
    struct text text = TEXT_INIT;
    va_list list;
    va_start(list, format);
    text_format_v(&text, format, list);
    va_end(list);
    const char *made = text.failed ? NULL : arena_string_n(program->arena, text.bytes, text.size);
    program->no_memory |= !made;
    text_release(&text);
    return made;
}

void insert_at(struct insertion_program *program, struct part *part, struct insertion insertion)
{
    struct insertion *grown = alloc_grow(part->insertions, part->insertion_count,
                                         &part->insertion_room, sizeof *part->insertions);
    if (grown)
        part->insertions = grown;
    program->no_memory |= !grown || !insertion.text;
    if (insertion.offset > part->source.text.size)
        program->reason = "its syntax tree is not that of its text";
    if (!grown || !insertion.text || program->reason)
        return;
    insertion.sequence = (uint32_t)part->insertion_count;
    part->insertions[part->insertion_count++] = insertion;
}

const char *insert_name(struct insertion_program *program, const char *name)
{
    static const char *const prefixes[] = {"clerk_", "CLERK_"};
    for (size_t i = 0; name && i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *found;
        while (name && (found = strstr(name, prefixes[i])) != NULL)
            name = insert_format(program, "%.*s" INSERT_MARK "%s", (int)(found - name) + 1, name,
                                 found + 1);
    }
    return name;
}

const char *insert_type(struct insertion_program *program, const char *type)
{
    static const char word[] = "__generic";
    struct text text = TEXT_INIT;
    const char *found;
    type = insert_name(program, type);
    if (!type || !strstr(type, word))
        return type;
    while ((found = strstr(type, word)) != NULL) {
        text_append_n(&text, type, (size_t)(found - type));
        text_append(&text, "clerk_GENERIC");
        type = found + strlen(word);
    }
    text_append(&text, type);
    const char *made = text.failed ? NULL : arena_string(program->arena, text.bytes);
    program->no_memory |= !made;
    text_release(&text);
    return made;
}

const char *insert_quote(struct insertion_program *program, const struct part *part, uint32_t begin,
                         uint32_t end)
{
    const char *quoted =
        arena_string_n(program->arena, part->source.text.bytes + begin, end - begin);
    program->no_memory |= !quoted;
    return insert_name(program, quoted);
}

/* The access on one line, and not all of a long one. */
static const char *quote_site(struct insertion_program *program, const struct part *part,
                              uint32_t begin, uint32_t end)
{
    enum { SHOWN_MAX = 60 };
    struct text shown = TEXT_INIT;
    const char *text = part->source.text.bytes;
    bool is_blank = false;
    uint32_t at = begin;
    while (at < end && shown.size < SHOWN_MAX) {
        if (at > 0 && text[at - 1] == '\n' && text[at] == '#') {
            at += (uint32_t)strcspn(text + at, "\n");
            continue;
        }
        const bool blank = text[at] == ' ' || text[at] == '\n' || text[at] == '\t';
        if (!blank && is_blank)
            text_append_char(&shown, ' ');
        if (!blank)
            text_append_char(&shown, text[at]);
        is_blank = blank;
        at++;
    }
    if (at < end)
        text_append(&shown, "...");
    const char *quoted = arena_string_n(program->arena, shown.bytes, shown.size);
    program->no_memory |= !quoted || shown.failed;
    text_release(&shown);
    return quoted;
}

size_t insert_site(struct insertion_program *program, const struct part *part,
                   enum checked_access access, uint32_t begin, uint32_t end)
{
    struct checked_site *grown = alloc_grow(program->sites, program->site_count,
                                            &program->site_room, sizeof *program->sites);
    program->no_memory |= !grown;
    if (!grown)
        return 0;
    program->sites = grown;
    struct checked_site *site = &program->sites[program->site_count];
    *site = (struct checked_site){.access = access};
    preprocessed_place(&part->source, begin, &site->file, &site->line);
    site->file = strcmp(site->file, SOURCES_PROGRAM) == 0
                     ? part->name
                     : arena_string(program->arena, site->file);
    site->expression = quote_site(program, part, begin, end);
    program->no_memory |= !site->file;
    return program->site_count++;
}

static int compare(const void *a, const void *b)
{
    const struct insertion *left = a, *right = b;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    if (left->is_end != right->is_end)
        return left->is_end ? -1 : 1;
    if (left->order != right->order)
        return (left->order < right->order) == left->is_end ? 1 : -1;
    return left->sequence < right->sequence ? -1 : 1;
}

void insert_apply(struct insertion_program *program, struct part *part, struct text *text)
{
    const struct text *source = &part->source.text;
    size_t done = 0;
    if (part->insertion_count > 0)
        qsort(part->insertions, part->insertion_count, sizeof *part->insertions, compare);
    for (size_t i = 0; i < part->insertion_count && !program->no_memory; i++) {
        const struct insertion *insertion = &part->insertions[i];
        const struct function *needing = insertion->needing;
        if (needing && (!needing->has_checks || (insertion->is_for_local && !needing->uses_local)))
            continue;
        text_append_n(text, source->bytes + done, insertion->offset - done);
        text_append(text, insertion->text);
        done = insertion->offset;
    }
    text_append_n(text, source->bytes + done, source->size - done);
}

void insert_release(struct insertion_program *program)
{
    for (size_t i = 0; i < program->part_count; i++) {
        struct part *part = &program->parts[i];
        preprocessed_release(&part->source);
        ast_release(&part->ast);
        alloc_free(part->insertions);
        HASH_CLEAR(hh, part->spans);
        HASH_CLEAR(hh, part->stand_ins);
    }
    for (struct function *function = program->functions; function; function = function->hh.next)
        alloc_free(function->called);
    HASH_CLEAR(hh, program->functions);
    alloc_free(program->sites);
}
