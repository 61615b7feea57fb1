#include "viewer-cli/origin/kernel_files.h"

#include "trace/api/program_texts.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/origin/matches.h"
#include "viewer-cli/origin/origin_text.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/rows.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/base/hash.h"

enum {
    TEXTS_MAX = 10000,
    SEARCHED_MAX = 64, /* texts that are looked for in files */
};

/* Of one program. */
struct program_text {
    struct program_text *next;
    char *bytes;
    size_t size;
    bool is_searched;
    struct matches matches;
};

/* What was found for a place, so that it is found once. */
struct known_place {
    char *key;
    struct matches_place place; /* without a file: none was found */
    const char *source;         /* the line of the file; NULL = it cannot be had */
    UT_hash_handle hh;
};

struct kernel_files {
    struct search_roots roots;
    const char *directory; /* of texts; or NULL */
    struct trace *trace;   /* or NULL */
    bool has_texts;
    struct program_text *texts;
    size_t text_count, searched_count;
    struct tree tree; /* empty until a text is looked for */
    bool has_tree;
    struct known_place *known;
    struct arena arena;
};

/* ---- texts ---- */

/* Takes the bytes. */
static void add_text(struct kernel_files *files, char *bytes, size_t size)
{
    struct program_text *text =
        files->text_count < TEXTS_MAX ? arena_alloc(&files->arena, 1, sizeof *text) : NULL;
    if (!text) {
        alloc_free(bytes);
        return;
    }
    *text = (struct program_text){.next = files->texts,
                                  .bytes = bytes,
                                  .size = origin_text_plain(bytes, size),
                                  .matches.arena = &files->arena};
    files->texts = text;
    ++files->text_count;
}

static void read_directory(struct kernel_files *files)
{
    DIR *directory = opendir(files->directory);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory)) != NULL) {
        void *bytes = NULL;
        size_t size;
        char *path = entry->d_name[0] == '.' ? NULL : path_join(files->directory, entry->d_name);
        if (path &&
            file_read_private(path, PROGRAM_TEXT_SIZE_MAX, &bytes, &size, NULL) == STATUS_OK)
            add_text(files, bytes, size);
        alloc_free(path);
    }
    if (directory)
        closedir(directory);
}

static void read_trace(struct kernel_files *files)
{
    struct rows *rows = NULL;
    size_t left = PROGRAM_TEXTS_SIZE_MAX;
    enum status status =
        rows_open(files->trace,
                  "SELECT source FROM program WHERE source <> '' GROUP BY source ORDER BY min(id)",
                  &rows, NULL);
    while (rows_next(rows, &status, NULL)) {
        char *text = alloc_string(rows_text(rows, 0));
        const size_t size = text ? strlen(text) : 0;
        if (size > left) {
            alloc_free(text);
            break;
        }
        left -= size;
        if (text)
            add_text(files, text, size);
    }
    rows_close(rows);
}

static void read_texts(struct kernel_files *files)
{
    if (files->has_texts)
        return;
    files->has_texts = true;
    if (files->directory)
        read_directory(files);
    if (files->trace)
        read_trace(files);
}

/* ---- creation ---- */

static struct kernel_files *create(void)
{
    struct kernel_files *files = alloc_zero(1, sizeof *files);
    if (files)
        files->tree.arena = &files->arena;
    return files;
}

struct kernel_files *kernel_files_create(const struct options *options, char *const *command,
                                         const char *texts)
{
    struct kernel_files *files = create();
    if (!files)
        return NULL;
    files->directory = texts ? arena_string(&files->arena, texts) : NULL;
    search_roots_of_command(&files->roots, options, command, &files->arena);
    return files;
}

struct kernel_files *kernel_files_create_for(const struct options *options, struct trace *trace,
                                             bool reads_at_once)
{
    struct kernel_files *files = create();
    if (!files)
        return NULL;
    files->trace = trace;
    search_roots_of_trace(&files->roots, options, trace, &files->arena);
    if (reads_at_once)
        read_texts(files);
    return files;
}

void kernel_files_destroy(struct kernel_files *files)
{
    if (!files)
        return;
    for (struct program_text *text = files->texts; text; text = text->next)
        alloc_free(text->bytes);
    HASH_CLEAR(hh, files->known);
    tree_release(&files->tree);
    arena_release(&files->arena);
    alloc_free(files);
}

/* ---- one place ---- */

/* Where the bytes of the text are from; false when that is not known. */
static bool find_file(struct kernel_files *files, struct program_text *text, size_t offset,
                      struct matches_place *place)
{
    if (!files->has_tree) {
        files->has_tree = true;
        for (size_t i = 0; i < files->roots.count; ++i)
            tree_add(&files->tree, files->roots.directories[i]);
    }
    if (!text->is_searched && files->searched_count < SEARCHED_MAX) {
        text->is_searched = true;
        ++files->searched_count;
        matches_find(&text->matches, &files->tree, text->bytes, text->size);
    }
    return matches_place(&text->matches, &files->roots.hint, offset, place);
}

/* A text that names its lines (#line) means a file of that name. */
static bool may_be_called(const struct tree_file *file, const char *name)
{
    return origin_text_is_nameless(name) || strcmp(path_base(file->path), path_base(name)) == 0;
}

/* Can the place be in the text? */
static bool may_have(const struct program_text *text, const struct finding_place *place)
{
    size_t offset;
    return origin_text_find(text->bytes, text->size, place, &offset);
}

static bool has_kernel(const struct program_text *text, const char *kernel)
{
    return kernel && origin_text_has_word(text->bytes, text->size, kernel);
}

/* Of the texts that the place can be in, and that have its kernel if any has, all must lead to one
 * line: otherwise it is not certain which it is. `of` is the place, or a caller of it. */
static struct matches_place search(struct kernel_files *files, const char *kernel,
                                   const struct finding_place *place,
                                   const struct finding_place *of)
{
    static const struct matches_place none = {0};
    struct matches_place found = none;
    bool wants_kernel = false;
    for (const struct program_text *text = files->texts; text && !wants_kernel; text = text->next)
        wants_kernel = has_kernel(text, kernel) && may_have(text, place);
    for (struct program_text *text = files->texts; text; text = text->next) {
        struct matches_place here;
        size_t offset;
        if (!may_have(text, place) || (wants_kernel && !has_kernel(text, kernel)))
            continue;
        if (!origin_text_find(text->bytes, text->size, of, &offset) ||
            !find_file(files, text, offset, &here) || !may_be_called(here.file, of->file))
            return none;
        if (found.file && (found.file != here.file || found.line != here.line))
            return none;
        found = here;
    }
    return found;
}

/* The text of a line of a file; NULL when it cannot be had. */
static const char *read_line(const char *path, uint32_t line, struct arena *arena)
{
    void *bytes = NULL;
    size_t size;
    const char *found = NULL;
    if (file_read(path, TREE_FILE_SIZE_MAX, &bytes, &size, NULL))
        return NULL;
    const char *at = bytes;
    for (uint32_t number = 1; at && number < line; ++number) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at)
        found = arena_string_n(arena, at, strcspn(at, "\r\n"));
    alloc_free(bytes);
    return found;
}

static char *key_of(const char *kernel, const struct finding_place *place,
                    const struct finding_place *of)
{
    return alloc_format("%s\n%s:%" PRIu32 ":%" PRIu32 "\n%s\n%s:%" PRIu32 ":%" PRIu32,
                        kernel ? kernel : "", place->file, place->line, place->column,
                        place->source ? place->source : "", of->file, of->line, of->column);
}

/* NULL where no file is known. */
static const struct known_place *look_up(struct kernel_files *files, const char *kernel,
                                         const struct finding_place *place,
                                         const struct finding_place *of)
{
    struct known_place *known = NULL;
    char *key = key_of(kernel, place, of);
    if (key)
        HASH_FIND_STR(files->known, key, known);
    if (key && !known) {
        known = arena_alloc(&files->arena, 1, sizeof *known);
        char *kept = known ? arena_string(&files->arena, key) : NULL;
        read_texts(files);
        if (kept) {
            *known = (struct known_place){.key = kept, .place = search(files, kernel, place, of)};
            if (known->place.file)
                known->source =
                    read_line(known->place.file->path, known->place.line, &files->arena);
            HASH_ADD_KEYPTR(hh, files->known, known->key, strlen(kept), known);
        }
    }
    alloc_free(key);
    return known && known->place.file ? known : NULL;
}

/* ---- findings ---- */

/* Of "sum at <source>:30:5": the length of the name, and the place. False for a frame that is in
 * another file than `from`. */
static bool parse_frame(const char *frame, const struct finding_place *from, struct arena *arena,
                        size_t *name_length, struct finding_place *place)
{
    static const char before[] = " at ";
    const char *at = strstr(frame, before);
    const char *file = at ? at + sizeof before - 1 : NULL;
    const size_t length = file ? strcspn(file, ":") : 0;
    *place = (struct finding_place){0};
    if (!file || sscanf(file + length, ":%" SCNu32 ":%" SCNu32, &place->line, &place->column) < 1)
        return false;
    *name_length = (size_t)(at - frame);
    place->file = arena_string_n(arena, file, length);
    return place->file &&
           (origin_text_is_nameless(place->file) || strcmp(place->file, from->file) == 0);
}

static void name_frames(struct kernel_files *files, const char *kernel,
                        const struct finding_place *from, struct finding_place *place,
                        struct arena *arena)
{
    const char **frames = arena_alloc(arena, place->frame_count + 1, sizeof *frames);
    if (!frames)
        return;
    for (size_t i = 0; i < place->frame_count; ++i) {
        struct finding_place of;
        size_t length;
        frames[i] = place->frames[i];
        if (!parse_frame(frames[i], from, arena, &length, &of))
            continue;
        const struct known_place *found = look_up(files, kernel, from, &of);
        const char *named =
            found ? arena_format(arena, "%.*s at %s:%" PRIu32 ":%" PRIu32, (int)length, frames[i],
                                 found->place.file->shown, found->place.line,
                                 of.column ? found->place.column : 0)
                  : NULL;
        frames[i] = named ? named : frames[i];
    }
    place->frames = frames;
}

/* What a compiler had as a string, or calls by a name (#line) that no file has from here. */
static bool lacks_file(const struct finding_place *place)
{
    return place->kind == FINDING_PLACE_KERNEL && place->line && place->file && !place->compiled &&
           (origin_text_is_nameless(place->file) || access(place->file, F_OK) != 0);
}

static void name_place(struct kernel_files *files, const char *kernel, struct finding_place *place,
                       struct arena *arena)
{
    const struct finding_place from = *place;
    const struct known_place *found = look_up(files, kernel, &from, &from);
    const struct finding_compiled compiled = {
        .file = place->file, .line = place->line, .column = place->column, .source = place->source};
    const struct finding_compiled *kept =
        found ? arena_copy(arena, &compiled, sizeof compiled) : NULL;
    const char *file = kept ? arena_string(arena, found->place.file->shown) : NULL;
    const char *source = file && found->source ? arena_string(arena, found->source) : NULL;
    if (!file)
        return;
    place->compiled = kept;
    place->file = file;
    place->line = found->place.line;
    if (place->column && source) { /* without a column it is not a line that is quoted */
        place->column = found->place.column;
        place->source = source;
    }
    name_frames(files, kernel, &from, place, arena);
}

void kernel_files_name(struct kernel_files *files, struct finding *finding, struct arena *arena)
{
    struct finding_place *places = NULL;
    for (size_t i = 0; files && i < finding->place_count; ++i) {
        if (!lacks_file(&finding->places[i]))
            continue;
        if (!places)
            places = arena_copy(arena, finding->places, finding->place_count * sizeof *places);
        if (!places)
            return;
        name_place(files, finding->kernel, &places[i], arena);
    }
    if (places)
        finding->places = places;
}
