/* What the text of a frame says: "sum at reduce.cl:30:5" of a kernel, "main (app.c:12)" of the host
 * where its lines are known, else "main+0x52 (/home/me/app+0x1139)". */
#ifndef CHECKERS_FRAME_H
#define CHECKERS_FRAME_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
    const char *name; /* of the function, within the text; not ended by a NUL */
    size_t name_length;
    const char *file; /* in the arena; NULL = not known, as line 0 and column 0 are */
    uint32_t line;
    uint32_t column;
};

/* Without memory the file is not known. */
struct frame frame_parse(const char *text, struct arena *arena);

/* Is it code of the program's own? What is not: a binding of OpenCL for C++, a header or library of
 * the system, what runs before main. Of these the call says nothing about where the program is
 * wrong. */
bool frame_is_own(const char *text);
/* How many are left without what the C library does before main, or before a thread's function. */
size_t frames_telling(const char *const *frames, size_t count);
/* Which is the innermost such frame; `count` = none is. */
size_t frame_find_own(const char *const *frames, size_t count);
/* Is a file that a place or frame names such code? */
bool frame_file_is_own(const char *file);

#endif
