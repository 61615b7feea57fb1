#include "trace/base/standard_error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* No number that a program was started with is closed on exec. */
static bool is_inherited(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFD);
    return flags >= 0 && !(flags & FD_CLOEXEC);
}

static dev_t device;
static ino_t number;

__attribute__((constructor)) static void look(void)
{
    struct stat facts;
    if (!is_inherited(STDERR_FILENO) || fstat(STDERR_FILENO, &facts) != 0)
        return;
    device = facts.st_dev;
    number = facts.st_ino;
}

static bool may_be_put_there(const struct stat *facts)
{
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    if (!is_inherited(STDERR_FILENO) || S_ISSOCK(facts->st_mode))
        return false;
    return !S_ISREG(facts->st_mode) || flags & O_APPEND || (flags & O_ACCMODE) == O_WRONLY;
}

bool standard_error_is_there(void)
{
    const int saved = errno;
    struct stat facts;
    const bool is_there =
        fstat(STDERR_FILENO, &facts) == 0 &&
        ((facts.st_dev == device && facts.st_ino == number) || may_be_put_there(&facts));
    errno = saved;
    return is_there;
}
