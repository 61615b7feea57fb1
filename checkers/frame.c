#include "checkers/frame.h"

#include "trace/base/file.h"

#include <stdlib.h>
#include <string.h>

/* The number after the last colon before `end`; 0 if there is none. *end is then that colon. */
static uint32_t take_number(const char *begin, const char **end)
{
    const char *at = *end;
    while (at > begin && at[-1] >= '0' && at[-1] <= '9')
        --at;
    if (at == *end || at == begin || at[-1] != ':')
        return 0;
    *end = at - 1;
    return (uint32_t)strtoul(at, NULL, 10);
}

/* FILE:LINE or FILE:LINE:COLUMN */
static void parse_spot(struct frame *frame, const char *begin, const char *end, struct arena *arena)
{
    const uint32_t last = take_number(begin, &end);
    const uint32_t first = last ? take_number(begin, &end) : 0;
    if (!last || end == begin || *begin == '<')
        return;
    frame->file = arena_string_n(arena, begin, (size_t)(end - begin));
    frame->line = !frame->file ? 0 : first ? first : last;
    frame->column = frame->file && first ? last : 0;
}

/* Parameters of C++ have parentheses and spaces too: what is known of a place comes last. */
static const char *last_of(const char *text, const char *part)
{
    const char *last = NULL;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        last = at;
    return last;
}

struct frame frame_parse(const char *text, struct arena *arena)
{
    const size_t length = strlen(text);
    const char *open = length && text[length - 1] == ')' ? last_of(text, " (") : NULL;
    const char *at = open ? NULL : last_of(text, " at ");
    struct frame frame = {.name = text, .name_length = length};
    if (open)
        parse_spot(&frame, open + 2, text + length - 1, arena);
    else if (at)
        parse_spot(&frame, at + 4, text + length, arena);
    if (open || at)
        frame.name_length = (size_t)((open ? open : at) - text);
    for (const char *plus = strstr(text, "+0x"); plus && plus < text + frame.name_length;
         plus = strstr(plus + 1, "+0x"))
        frame.name_length = (size_t)(plus - text);
    return frame;
}

static bool begins_with_any(const char *string, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strncmp(string, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

bool frame_file_is_own(const char *file)
{
    static const char *const system[] = {"/usr/include/", "/usr/local/include/", "/usr/lib",
                                         "/lib/", "/lib64/"};
    /* Programs bring copies of their own, in whatever directory. */
    static const char *const bindings[] = {"opencl.hpp", "cl2.hpp", "cl.hpp"};
    if (begins_with_any(file, system, sizeof system / sizeof *system))
        return false;
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || file[0] == '<' ||
        strstr(file, "/lib/python3.") || strncmp(name, "python3", 7) == 0 ||
        strncmp(name, "libpython3", 10) == 0 || strncmp(name, "libclerk_", 9) == 0)
        return false;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; ++i)
        if (strcmp(name, bindings[i]) == 0)
            return false;
    return true;
}

/* What runs before main, or is a binding. Names of C++ may begin with the type that is returned:
 * "int cl::detail::f<int>(int)". */
static bool is_others(const char *name, size_t length)
{
    static const char *const startup[] = {"__libc_", "_start+", "_start ("};
    const char *const parameters = memchr(name, '(', length);
    const size_t size = parameters ? (size_t)(parameters - name) : length;
    return (size > 4 && strncmp(name, "cl::", 4) == 0) ||
           begins_with_any(name, startup, sizeof startup / sizeof *startup) ||
           (size > 10 && strncmp(name, "pyopencl::", 10) == 0) ||
           (size > 12 && memmem(name, size, " cl::detail::", 13) != NULL);
}

static bool is_startup(const char *frame)
{
    return strstr(frame, "/libc.so.6+0x") || strncmp(frame, "__libc_", 7) == 0 ||
           strncmp(frame, "_start+", 7) == 0 || strncmp(frame, "_start (", 8) == 0;
}

size_t frames_telling(const char *const *frames, size_t count)
{
    while (count > 1 && is_startup(frames[count - 1]))
        --count;
    return count;
}

size_t frame_find_own(const char *const *frames, size_t count)
{
    size_t i = 0;
    while (i < count && !frame_is_own(frames[i]))
        ++i;
    return i;
}

bool frame_is_own(const char *text)
{
    struct arena arena = {0};
    const struct frame frame = frame_parse(text, &arena);
    const char *open = last_of(text, " (");
    const bool own =
        !is_others(frame.name, frame.name_length) && frame_file_is_own(frame.file ? frame.file
                                                                       : open     ? open + 2
                                                                                  : "");
    arena_release(&arena);
    return own;
}
