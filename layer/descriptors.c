/* A mark is a POSIX lock for reading, on a byte that no file has. "All locks associated with a file
 * for a given process shall be removed when a file descriptor for that file is closed by that
 * process" (POSIX.1-2017, fcntl): while the lock is there, no number that led to the file was
 * closed, and so none of them stands for anything else. That two numbers lead to one open file
 * (kcmp) would not say so: the program may have made the number anew, by a duplicate of its own.
 *
 * The lock is in nobody's way: it is shared, of one byte, and goes with any descriptor of the file.
 * One of an open file description is a stranger to it even in its own process, and so can ask for
 * it. */
#include "layer/session_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Files may be shared by processes, and be one to the system though they are several (anonymous
 * inodes): each process, and each mark, has a byte of its own, and a free one between, or two locks
 * would become one. */
static struct flock byte_of(uint32_t mark, short type)
{
    enum { MARKS = 1 << 24 };
    struct flock lock;
    memset(&lock, 0, sizeof lock); /* l_pid has to be 0 */
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = ((off_t)1 << 62) + ((off_t)getpid() * MARKS + mark % MARKS) * 2;
    lock.l_len = 1;
    return lock;
}

void descriptors_mark(int32_t descriptor, uint32_t mark)
{
    const int error = errno;
    struct flock lock = byte_of(mark, F_RDLCK);
    fcntl(descriptor, F_SETLK, &lock);
    errno = error;
}

enum host_descriptor descriptors_find(int32_t descriptor, uint32_t mark)
{
    const int error = errno;
    const struct flock wanted = byte_of(mark, F_RDLCK);
    struct flock lock = byte_of(mark, F_WRLCK);
    enum host_descriptor found = HOST_DESCRIPTOR_OTHER;
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
        found = HOST_DESCRIPTOR_CLOSED;
    else if (fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_RDLCK &&
             lock.l_pid == getpid() && lock.l_start == wanted.l_start && lock.l_len == wanted.l_len)
        found = HOST_DESCRIPTOR_MARKED;
    errno = error;
    return found;
}
