#include "trace/api/program_texts.h"

#include "trace/base/file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* FNV-1a of 64 bits: equal texts have one file. */
static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void program_text_keep(const void *text, size_t size)
{
    static atomic_size_t kept;
    char path[PATH_MAX];
    const char *directory = getenv(PROGRAM_TEXTS_DIRECTORY);
    if (!directory || !*directory || size == 0 || size > PROGRAM_TEXT_SIZE_MAX)
        return;
    const int length =
        snprintf(path, sizeof path, "%s/%016" PRIx64 "-%zu", directory, hash_of(text, size), size);
    if (length >= (int)sizeof path || file_exists(path) ||
        atomic_fetch_add(&kept, size) > PROGRAM_TEXTS_SIZE_MAX)
        return;
    file_write_private(path, text, size, NULL);
}
