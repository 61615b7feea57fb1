#include "layer/probe.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /* The kernel's sigset_t, which is smaller than the C library's. */
    KERNEL_SIGSET_SIZE = 8,
};

/* rt_sigprocmask reads the set before it looks at `how`; a `how` that does not exist leaves the
 * mask alone and tells EFAULT from EINVAL. It needs no rights, no file and no memory of ours. */
static bool page_readable(uintptr_t page)
{
    if (page == 0) /* no set at all would be read, and nothing is ever there */
        return false;
    const int saved = errno;
    const void *address = (const void *)(page << PROBE_PAGE_SHIFT);
    const long result = syscall(SYS_rt_sigprocmask, -1, address, NULL, KERNEL_SIGSET_SIZE);
    const bool readable = result == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

bool probe_pages(struct probe *probe, const void *address, uint64_t size)
{
    if (size == 0)
        return true;
    const uintptr_t first = (uintptr_t)address;
    uintptr_t last;
    if (__builtin_add_overflow(first, size - 1, &last))
        return false;
    for (uintptr_t page = first >> PROBE_PAGE_SHIFT; page <= last >> PROBE_PAGE_SHIFT; page++) {
        uintptr_t *known = &probe->pages[page % PROBE_PAGES];
        if (*known == page && page != 0)
            continue;
        if (!page_readable(page))
            return false;
        *known = page;
    }
    return true;
}

bool probe_string(struct probe *probe, const char *string, size_t limit, size_t *length)
{
    size_t total = 0;
    while (total < limit) {
        const char *at = string + total;
        size_t rest = PROBE_PAGE_SIZE - (uintptr_t)at % PROBE_PAGE_SIZE;
        if (rest > limit - total)
            rest = limit - total;
        if (!probe_readable(probe, at, rest))
            return false;
        const char *end = memchr(at, '\0', rest);
        if (end) {
            *length = (size_t)(end - string);
            return true;
        }
        total += rest;
    }
    return false;
}

void probe_forget(struct probe *probe)
{
    memset(probe, 0, sizeof *probe);
}
