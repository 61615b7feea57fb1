#include "viewer-cli/debug/kernel_words.h"

#include "trace/base/alloc.h"

#include <string.h>

enum status kernel_words_add(struct kernel_words *words, const char *word, struct error *error)
{
    char *copy = word ? arena_string(&words->arena, word) : NULL;
    char **grown = alloc_grow(words->words, (size_t)words->count, &words->capacity, sizeof *grown);
    if (grown)
        words->words = grown;
    if (!grown || !copy)
        return error_no_memory(error, sizeof *grown);
    words->words[words->count++] = copy;
    return STATUS_OK;
}

enum status kernel_words_add_option(struct kernel_words *words, const char *name, const char *value,
                                    struct error *error)
{
    const char *const word = value ? arena_format(&words->arena, "--%s=%s", name, value)
                                   : arena_format(&words->arena, "--%s", name);
    return kernel_words_add(words, word, error);
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        ++names;
    return *names != NULL;
}

enum status kernel_words_of_options(struct kernel_words *words, const struct options *options,
                                    const char *const *without, struct error *error)
{
    const struct option_row *row;
    const char *value;
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && options_given(options, i, &row, &value); ++i)
        if (!is_among(row->name, without))
            status = kernel_words_add_option(words, row->name, value, error);
    if (!status)
        status = kernel_words_add(words, "--", error);
    return status ? status : kernel_words_add(words, options_operand(options, 0), error);
}

void kernel_words_release(struct kernel_words *words)
{
    alloc_free(words->words);
    arena_release(&words->arena);
    *words = (struct kernel_words){.words = NULL};
}
