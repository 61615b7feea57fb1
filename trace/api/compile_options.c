#include "trace/api/compile_options.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <stdbool.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The next word at *at, quotes taken off, in `word`; false at the end. A quote may begin within a
 * word, as in -I"a b". */
static bool next_word(const char **at, const char *end, struct text *word)
{
    char quote = 0;
    text_clear(word);
    while (*at < end && is_space(**at))
        ++*at;
    if (*at == end)
        return false;
    for (; *at < end && (quote || !is_space(**at)); ++*at) {
        if (quote ? **at == quote : **at == '"' || **at == '\'')
            quote = quote ? 0 : **at;
        else
            text_append_char(word, **at);
    }
    return true;
}

/* The directory that the word names, or the one after it; NULL = none. */
static const char *directory_of(const char **at, const char *end, struct text *word)
{
    if (word->failed || strncmp(word->bytes, "-I", 2) != 0)
        return NULL;
    if (word->bytes[2])
        return word->bytes + 2;
    return next_word(at, end, word) && !word->failed ? word->bytes : NULL;
}

void include_directories_parse(const char *options, size_t size,
                               struct include_directories *directories)
{
    const char *at = options;
    struct text word = TEXT_INIT;
    while (next_word(&at, options + size, &word)) {
        const char *directory = directory_of(&at, options + size, &word);
        char *copy = directory ? alloc_string(directory) : NULL;
        char **grown = copy ? alloc_grow(directories->items, directories->count,
                                         &directories->capacity, sizeof *grown)
                            : NULL;
        if (!grown) {
            alloc_free(copy);
            continue;
        }
        directories->items = grown;
        grown[directories->count++] = copy;
    }
    text_release(&word);
}

void include_directories_release(struct include_directories *directories)
{
    for (size_t i = 0; i < directories->count; i++)
        alloc_free(directories->items[i]);
    alloc_free(directories->items);
    *directories = (struct include_directories){0};
}

/* Not every driver takes quotes off. */
void include_directory_print(const char *root, const char *path, struct text *options)
{
    const char *quote = strpbrk(root, " \t") || strpbrk(path, " \t") ? "\"" : "";
    text_format(options, " -I %s%s%s%s", quote, root, path, quote);
}

void include_directories_move(const char *options, size_t size, const char *root, const char *base,
                              struct text *moved)
{
    const char *at = options;
    struct text word = TEXT_INIT;
    for (const char *begin = at; next_word(&at, options + size, &word); begin = at) {
        const char *directory = directory_of(&at, options + size, &word);
        char *path = directory ? path_normalise(base, directory) : NULL;
        if (path)
            include_directory_print(root, path, moved);
        else
            text_append_n(moved, begin, (size_t)(at - begin));
        alloc_free(path);
    }
    text_release(&word);
}

char *path_normalise(const char *base, const char *path)
{
    char *joined = path_join(base, path);
    char *made = joined ? alloc(strlen(joined) + 2) : NULL;
    size_t length = 0;
    for (const char *at = joined; made && *at;) {
        const size_t part = strcspn(at, "/");
        if (part == 2 && strncmp(at, "..", 2) == 0) {
            while (length && made[--length] != '/')
                continue;
        } else if (part && !(part == 1 && *at == '.')) {
            made[length++] = '/';
            memcpy(made + length, at, part);
            length += part;
        }
        at += part + (at[part] == '/');
    }
    if (made && length == 0)
        made[length++] = '/';
    if (made)
        made[length] = '\0';
    alloc_free(joined);
    return made;
}
