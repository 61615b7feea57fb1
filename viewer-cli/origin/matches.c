#include "viewer-cli/origin/matches.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/origin/literals.h"
#include "viewer-cli/origin/origin_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Fewer bytes that are not blank are the same by chance. */
enum { TOLD_APART = 16 };

/* How a text and a file agree, the better the later. */
enum agreement {
    AGREES_WITHIN, /* the text stands somewhere in the file */
    AGREES_STRING, /* a string of the file is the text, or part of it */
    AGREES_WHOLLY, /* all of the file is the text, or part of it */
};

/* A stretch of the text that a file has. */
struct match {
    struct match *next;
    const struct tree_file *file;
    uint64_t file_hash; /* of all of the file */
    enum agreement agreement;
    size_t begin, end;              /* in the text */
    const struct literal_run *runs; /* `at` counts in the text */
    size_t run_count;
};

struct search {
    struct matches *matches;
    const char *text;
    size_t size;
    const struct tree_file *file;
    uint64_t file_hash;
};

/* ---- stretches ---- */

static bool tells_apart(const char *bytes, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size && count < TOLD_APART; ++i)
        count += !isspace((unsigned char)bytes[i]);
    return count == TOLD_APART;
}

/* The runs of `size` bytes of the piece from `from` on, as they stand from `begin` on in the text.
 */
static size_t copy_runs(const struct literal_piece *piece, size_t from, size_t size, size_t begin,
                        struct literal_run *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < piece->count && piece->runs[i].at < from + size; ++i) {
        struct literal_run run = piece->runs[i];
        if (run.at <= from) { /* the last of these is the first */
            run.column += (uint32_t)(from - run.at);
            run.at = from;
            count = 0;
        }
        run.at += begin - from;
        runs[count++] = run;
    }
    return count;
}

static void add_match(struct search *search, const struct literal_piece *piece, size_t from,
                      size_t size, size_t begin)
{
    struct arena *arena = search->matches->arena;
    struct match *match = arena_alloc(arena, 1, sizeof *match);
    struct literal_run *runs = arena_alloc(arena, piece->count + 1, sizeof *runs);
    if (!match || !runs)
        return;
    *match = (struct match){.next = search->matches->first,
                            .file = search->file,
                            .file_hash = search->file_hash,
                            .agreement = piece->text.size > size ? AGREES_WITHIN
                                         : piece->is_literal     ? AGREES_STRING
                                                                 : AGREES_WHOLLY,
                            .begin = begin,
                            .end = begin + size,
                            .runs = runs};
    match->run_count = copy_runs(piece, from, size, begin, runs);
    search->matches->first = match;
}

static const char *find(const char *in, const char *end, const char *bytes, size_t size)
{
    return in < end ? memmem(in, (size_t)(end - in), bytes, size) : NULL;
}

/* The text within the piece; twice is no place. */
static void find_text_in(struct search *search, const struct literal_piece *piece)
{
    const char *bytes = piece->text.bytes;
    const char *const end = bytes + piece->text.size;
    const char *found = find(bytes, end, search->text, search->size);
    if (found && !find(found + 1, end, search->text, search->size))
        add_match(search, piece, (size_t)(found - bytes), search->size, 0);
}

/* The piece within the text, as so many whole lines of it. */
static void find_in_text(struct search *search, const struct literal_piece *piece)
{
    const size_t size = piece->text.size;
    const char *const end = search->text + search->size;
    const bool ends_line = piece->text.bytes[size - 1] == '\n';
    const char *at = search->text;
    for (; (at = find(at, end, piece->text.bytes, size)) != NULL; ++at)
        if ((at == search->text || at[-1] == '\n') &&
            (ends_line || at + size == end || at[size] == '\n'))
            add_match(search, piece, 0, size, (size_t)(at - search->text));
}

static void compare_piece(void *user, const struct literal_piece *piece)
{
    struct search *search = user;
    if (piece->text.size >= search->size)
        find_text_in(search, piece);
    else if (tells_apart(piece->text.bytes, piece->text.size))
        find_in_text(search, piece);
}

static void compare_file(struct search *search)
{
    void *bytes = NULL;
    size_t size;
    if (file_read(search->file->path, TREE_FILE_SIZE_MAX, &bytes, &size, NULL))
        return;
    size = origin_text_plain(bytes, size);
    search->file_hash = origin_text_hash(bytes, size);
    if (search->file->has_literals)
        literals_each(bytes, size, path_has_extension(search->file->path, ".py"), TOLD_APART,
                      compare_piece, search);
    else
        literals_whole(bytes, size, compare_piece, search);
    alloc_free(bytes);
}

void matches_find(struct matches *matches, const struct tree *tree, const char *text, size_t size)
{
    struct search search = {.matches = matches, .text = text, .size = size};
    if (!tells_apart(text, size))
        return;
    for (size_t i = 0; i < tree->count; ++i) {
        search.file = &tree->files[i];
        compare_file(&search);
    }
}

/* ---- places ---- */

static bool is_hinted(const struct matches_hint *hint, const struct tree_file *file)
{
    const char *name = path_base(file->path);
    const size_t stem = strcspn(name, ".");
    for (size_t i = 0; i < hint->count; ++i)
        if (strcmp(hint->names[i], name) == 0 ||
            (strlen(hint->names[i]) == stem && strncmp(hint->names[i], name, stem) == 0))
            return true;
    return false;
}

/* More of the text says more, then how it agrees, then what is known of the program. */
static int compare_matches(const struct matches_hint *hint, const struct match *a,
                           const struct match *b)
{
    const size_t size_a = a->end - a->begin;
    const size_t size_b = b->end - b->begin;
    if (size_a != size_b)
        return size_a < size_b ? -1 : 1;
    if (a->agreement != b->agreement)
        return a->agreement < b->agreement ? -1 : 1;
    return is_hinted(hint, a->file) - is_hinted(hint, b->file);
}

static struct matches_place place_in(const struct match *match, size_t offset)
{
    size_t i = match->run_count - 1;
    while (i > 0 && match->runs[i].at > offset)
        --i;
    return (struct matches_place){.file = match->file,
                                  .line = match->runs[i].line,
                                  .column = match->runs[i].column +
                                            (uint32_t)(offset - match->runs[i].at)};
}

/* Of two that say as much: of equal files the nearest, which is the first of the tree. NULL: nobody
 * knows. */
static const struct match *choose(const struct match *a, const struct match *b, size_t offset)
{
    if (a->file == b->file)
        return place_in(a, offset).line == place_in(b, offset).line ? a : NULL;
    if (a->file_hash != b->file_hash || a->begin != b->begin)
        return NULL;
    return a->file < b->file ? a : b;
}

bool matches_place(const struct matches *matches, const struct matches_hint *hint, size_t offset,
                   struct matches_place *place)
{
    const struct match *best = NULL;
    bool is_certain = false;
    for (const struct match *match = matches->first; match; match = match->next) {
        if (offset < match->begin || offset >= match->end || !match->run_count)
            continue;
        const int order = best ? compare_matches(hint, match, best) : 1;
        const struct match *chosen = order ? NULL : choose(match, best, offset);
        if (order > 0) {
            best = match;
            is_certain = true;
        } else if (order == 0) {
            best = chosen ? chosen : best;
            is_certain &= chosen != NULL;
        }
    }
    if (is_certain)
        *place = place_in(best, offset);
    return is_certain;
}
