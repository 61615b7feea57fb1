/* Pictures on the terminal, and in files; and bytes in files. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"
#include "viewer-cli/debug/memory.h"

#include <inttypes.h>
#include <string.h>

static struct cJSON *ask(void *user, struct text *request)
{
    return terminal_ask(user, request);
}

static void refuse(void *user, const char *sentence)
{
    terminal_refuse(user, "%s", sentence);
}

static struct debug_asker asker_of(struct terminal *terminal)
{
    return (struct debug_asker){ask, refuse, terminal};
}

static bool write_file(struct terminal *terminal, const char *path, const void *bytes, size_t size)
{
    struct error error;
    if (file_write(path, bytes, size, &error))
        return terminal_refuse(terminal, "%s", error.text);
    return true;
}

/* ---- pictures ---- */

/* What is to be seen of an image: EXPR [slice N] [level N] [FILE.png|FILE.ppm]. */
struct wanted {
    char *expression, *path; /* the latter may be NULL */
    uint64_t slice, level;
};

enum { DRAWN_MAX = 40 }; /* columns and rows of texels, of two characters each */

/* What is dark, and what is full; that of a texel that is not defined. */
static const char shades[] = " .:-=+*#%@";
static const char undefined_shade = '?';

/* ITU-R BT.601. */
static char shade_of(const unsigned char *pixel)
{
    const uint32_t light = (299U * pixel[0] + 587U * pixel[1] + 114U * pixel[2]) / 1000;
    return pixel[3] ? shades[light * (sizeof shades - 1) / 256] : undefined_shade;
}

static void draw(const struct picture *picture, struct text *text)
{
    const unsigned char *pixel = picture->pixels;
    for (uint64_t y = 0; y < picture->height; ++y) {
        text_append_char(text, '|');
        for (uint64_t x = 0; x < picture->width; ++x, pixel += PICTURE_PIXEL_SIZE) {
            const char two[] = {shade_of(pixel), shade_of(pixel)};
            text_append_n(text, two, sizeof two);
        }
        text_append(text, "|\n");
    }
}

/* "2D image ...; level 1, 4 x 3 texels; slice 0 of 0 to 2; one texel in 2 each way; black is 0,
 * white 3.5; ?? is undefined" */
static void put_title(const struct debug_image *image, const struct picture *picture,
                      const struct wanted *wanted, uint64_t step, struct text *text)
{
    text_append(text, image->text);
    if (image->levels > 1)
        text_format(text, "; level %" PRIu64 ", %" PRIu64 " x %" PRIu64 " texels", wanted->level,
                    image->width, image->height);
    if (image->slices > 1)
        text_format(text, "; slice %" PRIu64 " of 0 to %" PRIu64, wanted->slice, image->slices - 1);
    if (step > 1)
        text_format(text, "; one texel in %" PRIu64 " each way", step);
    if (picture->has_range && picture->least <= picture->greatest)
        text_format(text, "; black is %.9g, white %.9g", picture->least, picture->greatest);
    if (picture->has_undefined)
        text_format(text, "; %c%c is undefined", undefined_shade, undefined_shade);
    text_append_char(text, '\n');
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length > size && memcmp(text + length - size, end, size) == 0;
}

static bool write_picture(struct terminal *terminal, const struct picture *picture,
                          const char *path)
{
    struct text file = TEXT_INIT;
    if (ends_with(path, strlen(path), ".png"))
        picture_print_png(picture, &file);
    else
        picture_print_ppm(picture, &file);
    const bool done = file.failed ? terminal_refuse(terminal, "Memory ran out.")
                                  : write_file(terminal, path, file.bytes, file.size);
    text_release(&file);
    return done;
}

/* ---- words from the end ---- */

/* The last word of the first *length characters, which then are those before it. */
static const char *take_last_word(const char *text, size_t *length, size_t *word_length)
{
    size_t end = *length;
    while (end && strchr(" \t", text[end - 1]))
        --end;
    size_t start = end;
    while (start && !strchr(" \t", text[start - 1]))
        --start;
    *word_length = end - start;
    *length = start;
    while (*length && strchr(" \t", text[*length - 1]))
        --*length;
    return text + start;
}

/* "slice 3" at the end; false, and nothing taken, where there is none. */
static bool take_last_number(const char *text, size_t *length, const char *name, uint64_t *number)
{
    size_t left = *length;
    size_t digits;
    size_t size;
    char copied[24] = {0};
    const char *last = take_last_word(text, &left, &digits);
    const char *before = take_last_word(text, &left, &size);
    if (digits == 0 || digits >= sizeof copied || size != strlen(name) ||
        memcmp(before, name, size) != 0 || left == 0)
        return false;
    memcpy(copied, last, digits);
    if (!terminal_number(copied, number))
        return false;
    *length = left;
    return true;
}

static void read_wanted(const char *rest, struct wanted *wanted)
{
    size_t length = strlen(rest);
    size_t before = length;
    size_t size;
    const char *last = take_last_word(rest, &before, &size);
    *wanted = (struct wanted){0};
    if (before && (ends_with(last, size, ".png") || ends_with(last, size, ".ppm"))) {
        wanted->path = alloc_format("%.*s", (int)size, last);
        length = before;
    }
    while (take_last_number(rest, &length, "slice", &wanted->slice) ||
           take_last_number(rest, &length, "level", &wanted->level))
        continue;
    wanted->expression = alloc_format("%.*s", (int)length, rest);
}

static bool show_image(struct terminal *terminal, const struct wanted *wanted)
{
    const struct debug_asker asker = asker_of(terminal);
    struct debug_image image;
    struct picture picture = {0};
    bool done = debug_image_find(&asker, wanted->expression, wanted->level, &image);
    const uint64_t step = wanted->path ? 1 : debug_image_step(&image, DRAWN_MAX);
    done = done && debug_image_picture(&asker, &image, wanted->slice, step, &picture);
    if (done) {
        put_title(&image, &picture, wanted, step, &terminal->text);
        if (wanted->path)
            done = write_picture(terminal, &picture, wanted->path);
        else
            draw(&picture, &terminal->text);
    }
    picture_release(&picture);
    debug_image_release(&image);
    return done;
}

bool terminal_image(struct terminal *terminal, const char *rest)
{
    struct wanted wanted;
    if (!*rest)
        return terminal_refuse(terminal, "Which image? image ARG [slice N] [FILE.png]");
    read_wanted(rest, &wanted);
    const bool done = wanted.expression ? show_image(terminal, &wanted)
                                        : terminal_refuse(terminal, "Memory ran out.");
    alloc_free(wanted.expression);
    alloc_free(wanted.path);
    return done;
}

/* ---- bytes ---- */

static uint64_t count_undefined(const uint8_t *undefined, uint64_t size)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < size; ++i)
        count += undefined[i] != 0;
    return count;
}

static bool dump(struct terminal *terminal, const char *expression, const char *path)
{
    const struct debug_asker asker = asker_of(terminal);
    struct text request = TEXT_INIT;
    uint64_t size = 0;
    debug_request_begin(&request, DEBUG_REQUEST_MEMORY);
    json_string(&request, "expression", expression);
    json_number(&request, "count", 1);
    struct cJSON *answer = terminal_ask(terminal, &request);
    text_release(&request);
    if (!answer)
        return false;
    json_object_number(answer, "size", &size);
    uint8_t *bytes = debug_memory_read(&asker, json_object_text(answer, "address"), 0, size);
    json_object_release(answer);
    const bool done = bytes && write_file(terminal, path, bytes, size);
    const uint64_t undefined = done ? count_undefined(bytes + size, size) : 0;
    if (done)
        text_format(&terminal->text, "%" PRIu64 " byte%s%s", size, size == 1 ? "" : "s",
                    undefined ? "" : "\n");
    if (undefined)
        text_format(&terminal->text, ", of which %" PRIu64 " are undefined\n", undefined);
    alloc_free(bytes);
    return done;
}

bool terminal_dump(struct terminal *terminal, const char *rest)
{
    size_t length = strlen(rest);
    size_t size;
    const char *last = take_last_word(rest, &length, &size);
    if (length == 0)
        return terminal_refuse(terminal, "Dump what, and where? dump EXPR FILE");
    char *path = alloc_format("%.*s", (int)size, last);
    char *expression = alloc_format("%.*s", (int)length, rest);
    const bool done = path && expression ? dump(terminal, expression, path)
                                         : terminal_refuse(terminal, "Memory ran out.");
    alloc_free(path);
    alloc_free(expression);
    return done;
}
