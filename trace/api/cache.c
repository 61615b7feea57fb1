/* The cache: a file per key, named by the key in hexadecimal. A file is
 *
 *     8 bytes   "clerk-c" and the version of the format
 *     16 bytes  the key
 *     16 bytes  the digest of what follows
 *     ...       the entry
 *
 * in the byte order of the host, written under another name and renamed. */
#include "trace/api/cache.h"

#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { CACHE_VERSION = '1', CACHE_FILE_MAX = 1 << 28 };

struct cache_header {
    char magic[8];
    struct cache_key key, digest;
};

static const char magic[8] = {'c', 'l', 'e', 'r', 'k', '-', 'c', CACHE_VERSION};

struct cache_key cache_digest(const void *bytes, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return (struct cache_key){.lo = hash.low64, .hi = hash.high64};
}

char *cache_directory(void)
{
    const char *chosen = setting_value(SETTING_CACHE);
    if (strcmp(chosen, "none") == 0)
        return NULL;
    if (chosen[0] != '\0')
        return alloc_string(chosen);
    const char *cache = getenv("XDG_CACHE_HOME");
    if (cache && cache[0] == '/')
        return path_join(cache, "clerk");
    const char *home = getenv("HOME");
    return home && home[0] == '/' ? path_join(home, ".cache/clerk") : NULL;
}

enum status cache_check_private(const char *directory, struct error *error)
{
    struct stat facts;
    if (stat(directory, &facts) != 0)
        return errno == ENOENT ? STATUS_OK : error_set_errno(error, "cannot see '%s'", directory);
    if (facts.st_uid != geteuid())
        return error_set(error, STATUS_INVALID, "'%s' is another user's directory", directory);
    if (facts.st_mode & (S_IWGRP | S_IWOTH))
        return error_set(error, STATUS_INVALID, "others may write into '%s'", directory);
    return STATUS_OK;
}

/* NULL when memory is out. */
static char *entry_path(const char *directory, struct cache_key key)
{
    return alloc_format("%s/%016llx%016llx", directory, (unsigned long long)key.hi,
                        (unsigned long long)key.lo);
}

static bool key_equal(struct cache_key a, struct cache_key b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

uint8_t *cache_load_from(const char *directory, struct cache_key key, size_t *size)
{
    char *path = entry_path(directory, key);
    void *bytes = NULL;
    size_t file_size = 0;
    uint8_t *entry = NULL;
    if (!path || file_read_private(path, CACHE_FILE_MAX, &bytes, &file_size, NULL) != STATUS_OK)
        goto out;
    struct cache_header header;
    if (file_size < sizeof(header))
        goto out;
    memcpy(&header, bytes, sizeof(header));
    const size_t entry_size = file_size - sizeof(header);
    const uint8_t *start = (const uint8_t *)bytes + sizeof(header);
    if (memcmp(header.magic, magic, sizeof(magic)) != 0 || !key_equal(header.key, key) ||
        !key_equal(header.digest, cache_digest(start, entry_size)))
        goto out;
    entry = alloc(entry_size);
    if (entry) {
        memcpy(entry, start, entry_size);
        *size = entry_size;
    }

out:
    alloc_free(bytes);
    alloc_free(path);
    return entry;
}

void cache_store_in(const char *directory, struct cache_key key, const void *bytes, size_t size)
{
    char *path = entry_path(directory, key);
    if (path && directory_create_private(directory, NULL) == STATUS_OK) {
        struct cache_header header = {.key = key, .digest = cache_digest(bytes, size)};
        memcpy(header.magic, magic, sizeof(magic));
        struct text file = TEXT_INIT;
        text_append_n(&file, &header, sizeof(header));
        text_append_n(&file, bytes, size);
        if (!file.failed)
            file_write_private(path, file.bytes, file.size, NULL);
        text_release(&file);
    }
    alloc_free(path);
}

uint8_t *cache_load(struct cache_key key, size_t *size)
{
    char *directory = cache_directory();
    uint8_t *entry = directory ? cache_load_from(directory, key, size) : NULL;
    alloc_free(directory);
    return entry;
}

void cache_store(struct cache_key key, const void *bytes, size_t size)
{
    char *directory = cache_directory();
    if (directory)
        cache_store_in(directory, key, bytes, size);
    alloc_free(directory);
}
