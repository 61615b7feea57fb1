#include "layer/watch.h"

#include "checkers/host/host.h"
#include "layer/readable.h"
#include "trace/api/settings.h"

#include <xxhash.h>

struct host_checker *_Atomic watch_checker;

unsigned watch_whole_parts(void)
{
    return (setting_is_set(SETTING_WATCH_TRANSFERS) ? HOST_WATCH_TRANSFERS : 0u) |
           (setting_is_set(SETTING_WATCH_POINTERS) ? HOST_WATCH_POINTERS : 0u) |
           (setting_is_set(SETTING_WATCH_SVM) ? HOST_WATCH_SVM : 0u);
}

bool watch_digest(void *user, uint64_t address, uint64_t size, uint64_t *digest)
{
    struct readable readable = {0};
    const void *bytes = (const void *)(uintptr_t)address;
    (void)user;
    if (!readable_bytes(&readable, bytes, size))
        return false;
    *digest = XXH3_64bits(bytes, size);
    return true;
}
