/* Loaded before a program: of the requests for memory that come from clerk itself, the program or
 * its libraries, the n-th fails, and it is noted.
 *
 *     FAIL_AT=N        the N-th; 0 = none
 *     FAIL_NOTE=FILE   gets the number of requests at the end, and "failed" before it if one did */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ulong requests;
static atomic_bool failed;
static unsigned long fail_at;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *note = requests > 0 ? getenv("FAIL_NOTE") : NULL;
    const int file = note ? open(note, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0) {
        char line[64];
        const int size = snprintf(line, sizeof line, "%s%lu\n", failed ? "failed " : "",
                                  (unsigned long)requests);
        if (write(file, line, (size_t)size) < 0)
            abort();
        close(file);
    }
}

/* Is the caller clerk, or a library of clerk's? */
static bool is_clerk(const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return false;
    const char *name = strrchr(info.dli_fname, '/');
    name = name ? name + 1 : info.dli_fname;
    return strcmp(name, "clerk") == 0 || strncmp(name, "libclerk_", 9) == 0;
}

static bool refuse(const void *caller)
{
    if (!is_clerk(caller))
        return false;
    const bool refused = atomic_fetch_add(&requests, 1) + 1 == fail_at;
    if (refused) {
        failed = true;
        errno = ENOMEM;
    }
    return refused;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (refuse(__builtin_return_address(0)))
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
