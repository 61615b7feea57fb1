#include "layer/readable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    /* The kernel's sigset_t, which is smaller than the C library's. */
    KERNEL_SIGSET_SIZE = 8,
    BATCH_PAGES = 256, /* so many bytes fit into any pipe */
    LINE_SIZE = 64,
};

enum answer { UNREADABLE, READABLE, UNKNOWN };

/* rt_sigprocmask reads the set before it looks at `how`; a `how` that does not exist leaves the
 * mask alone and tells EFAULT from EINVAL. It needs no rights, no file and no memory of ours. */
static bool page_readable(uintptr_t page)
{
    if (page == 0) /* no set at all would be read, and nothing is ever there */
        return false;
    const int saved = errno;
    const void *address = (const void *)(page << READABLE_PAGE_SHIFT);
    const long result = syscall(SYS_rt_sigprocmask, -1, address, NULL, KERNEL_SIGSET_SIZE);
    const bool readable = result == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

/* A byte of each page, of another line each, as the lines at one place of all pages share few
 * places of a cache. They are fetched at once: one after the other they take as long as a copy of
 * the pages.
 */
static void gather(uintptr_t page, size_t count, struct iovec *bytes)
{
    for (size_t i = 0; i < count; i++, page++) {
        const uintptr_t line = page % (READABLE_PAGE_SIZE / LINE_SIZE) * LINE_SIZE;
        bytes[i] = (struct iovec){(void *)((page << READABLE_PAGE_SHIFT) + line), 1};
        __builtin_prefetch(bytes[i].iov_base);
    }
}

/* Into a pipe and out of it again. Not by the C library's functions: tools that replace them look
 * at the bytes before the kernel does. */
static enum answer pass(const int *ends, const struct iovec *bytes, size_t count)
{
    char passed[BATCH_PAGES];
    const long written = syscall(SYS_writev, ends[1], bytes, count);
    if (written < 0 && errno == EFAULT)
        return UNREADABLE;
    return written == (long)count && syscall(SYS_read, ends[0], passed, count) == written ? READABLE
                                                                                          : UNKNOWN;
}

/* Many pages with few system calls. The pipe lives no longer than that: a program may close
 * descriptors that it does not know. */
static enum answer batches_readable(uintptr_t first, uintptr_t last)
{
    struct iovec bytes[BATCH_PAGES];
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return UNKNOWN;
    enum answer answer = first == 0 ? UNREADABLE : READABLE;
    for (uintptr_t page = first, count; answer == READABLE && page <= last; page += count) {
        count = last - page < BATCH_PAGES ? last - page + 1 : BATCH_PAGES;
        gather(page, count, bytes);
        answer = pass(ends, bytes, count);
    }
    close(ends[0]);
    close(ends[1]);
    return answer;
}

static enum answer many_readable(uintptr_t first, uintptr_t last)
{
    const int saved = errno;
    const enum answer answer = batches_readable(first, last);
    errno = saved;
    return answer;
}

bool readable_pages(struct readable *readable, const void *address, uint64_t size)
{
    if (size == 0)
        return true;
    uintptr_t first = (uintptr_t)address;
    uintptr_t last;
    if (__builtin_add_overflow(first, size - 1, &last))
        return false;
    first >>= READABLE_PAGE_SHIFT;
    last >>= READABLE_PAGE_SHIFT;
    const enum answer answer = last - first < READABLE_PAGES ? UNKNOWN : many_readable(first, last);
    if (answer != UNKNOWN)
        return answer == READABLE;
    for (uintptr_t page = first; page <= last; page++) {
        uintptr_t *known = &readable->pages[page % READABLE_PAGES];
        if (*known == page && page != 0)
            continue;
        if (!page_readable(page))
            return false;
        *known = page;
    }
    return true;
}

bool readable_string(struct readable *readable, const char *string, size_t limit, size_t *length)
{
    size_t total = 0;
    while (total < limit) {
        const char *at = string + total;
        size_t rest = READABLE_PAGE_SIZE - (uintptr_t)at % READABLE_PAGE_SIZE;
        if (rest > limit - total)
            rest = limit - total;
        if (!readable_bytes(readable, at, rest))
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

void readable_forget(struct readable *readable)
{
    memset(readable, 0, sizeof *readable);
}
