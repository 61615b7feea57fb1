#include "reference/icd/commands/payload.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the file holds, the same for all builds that say the same in `magic`. */
struct shared {
    char magic[24];
    _Atomic(uint32_t) signalled;
    _Atomic(uint32_t) holders, descriptors; /* that there ever were */
};

static const char magic[sizeof(((struct shared *)NULL)->magic)] = "clerk semaphore 1";

struct payload {
    struct shared *shared;
    int file;     /* a description of its own, with the lock of a holder */
    int given;    /* the number that was imported; -1 = none */
    dev_t device; /* of the file, and its number */
    ino_t inode;
};

enum locked { HOLDER, DESCRIPTOR };

static struct flock bytes(enum locked first, int count, short type)
{
    struct flock lock;
    memset(&lock, 0, sizeof(lock)); /* l_pid has to be 0 */
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = first;
    lock.l_len = count;
    return lock;
}

/* Another description of the same file, with a lock on that byte; -1: errno says why. */
static int open_anew(int file, enum locked byte)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    const int opened = open(path, O_RDWR | O_CLOEXEC);
    struct flock lock = bytes(byte, 1, F_RDLCK);
    if (opened >= 0 && fcntl(opened, F_OFD_SETLK, &lock) != 0) {
        const int why = errno;
        close(opened);
        errno = why;
        return -1;
    }
    return opened;
}

/* Takes the file over, also on failure. */
static enum status make(int file, struct payload **payload, struct error *error)
{
    struct stat stat;
    struct payload *made = alloc_zero(1, sizeof(*made));
    void *shared = MAP_FAILED;
    if (!made) {
        close(file);
        return error_no_memory(error, sizeof(*made));
    }
    if (fstat(file, &stat) == 0)
        shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) {
        const enum status status = error_set_errno(error, "cannot map a semaphore's payload");
        close(file);
        alloc_free(made);
        return status;
    }
    *made = (struct payload){
        .shared = shared, .file = file, .given = -1, .device = stat.st_dev, .inode = stat.st_ino};
    atomic_fetch_add(&made->shared->holders, 1);
    *payload = made;
    return STATUS_OK;
}

enum status payload_create(struct payload **payload, struct error *error)
{
    struct shared first = {.signalled = 0};
    memcpy(first.magic, magic, sizeof(magic));
    const int file = memfd_create("clerk semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int opened = -1;
    if (file >= 0 && write(file, &first, sizeof(first)) == (ssize_t)sizeof(first) &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        opened = open_anew(file, HOLDER);
    const enum status status =
        opened >= 0 ? make(opened, payload, error)
                    : error_set_errno(error, "cannot make a semaphore that processes share");
    if (file >= 0)
        close(file);
    return status;
}

enum status payload_export(struct payload *payload, int *descriptor, struct error *error)
{
    const int opened = open_anew(payload->file, DESCRIPTOR);
    if (opened < 0)
        return error_set_errno(error, "cannot make a descriptor of a semaphore");
    atomic_fetch_add(&payload->shared->descriptors, 1);
    *descriptor = opened;
    return STATUS_OK;
}

/* A file that cannot become shorter while it is mapped, and begins as ours do. */
static bool is_payload(int file)
{
    struct stat stat;
    char found[sizeof(magic)];
    const int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(file, &stat) == 0 &&
           stat.st_size >= (off_t)sizeof(struct shared) &&
           pread(file, found, sizeof(found), 0) == (ssize_t)sizeof(found) &&
           memcmp(found, magic, sizeof(magic)) == 0;
}

/* The number stays as it is: a layer may have marked it, to see whether it is imported again. */
enum status payload_import(int descriptor, struct payload **payload, struct error *error)
{
    if (!is_payload(descriptor))
        return error_set(error, STATUS_INVALID,
                         "descriptor %d is of no semaphore of the reference device", descriptor);
    const int opened = open_anew(descriptor, HOLDER);
    if (opened < 0)
        return error_set_errno(error, "cannot import the semaphore of descriptor %d", descriptor);
    const enum status status = make(opened, payload, error);
    if (status != STATUS_OK)
        return status;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    (*payload)->given = descriptor;
    return STATUS_OK;
}

/* A program that closed what it handed over may have something else by that number. */
static bool is_still_ours(const struct payload *payload)
{
    struct stat stat;
    return payload->given >= 0 && fstat(payload->given, &stat) == 0 &&
           stat.st_dev == payload->device && stat.st_ino == payload->inode;
}

void payload_let_go(struct payload *payload)
{
    if (is_still_ours(payload))
        close(payload->given);
    payload->given = -1;
}

void payload_destroy(struct payload *payload)
{
    if (!payload)
        return;
    payload_let_go(payload);
    munmap(payload->shared, sizeof(*payload->shared));
    close(payload->file);
    alloc_free(payload);
}

void payload_signal(struct payload *payload)
{
    atomic_store(&payload->shared->signalled, 1);
}

bool payload_take(struct payload *payload)
{
    uint32_t signalled = 1;
    return atomic_compare_exchange_strong(&payload->shared->signalled, &signalled, 0);
}

bool payload_is_signalled(const struct payload *payload)
{
    return atomic_load(&payload->shared->signalled) != 0;
}

/* Has nobody else locked any of the first bytes? */
static bool are_free(const struct payload *payload, int count)
{
    struct flock lock = bytes(HOLDER, count, F_WRLCK);
    return fcntl(payload->file, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

enum payload_company payload_company(const struct payload *payload)
{
    const bool had_holders = atomic_load(&payload->shared->holders) > 1;
    const bool had_descriptors = atomic_load(&payload->shared->descriptors) > 0;
    if (!had_holders && !had_descriptors)
        return PAYLOAD_PRIVATE;
    if (are_free(payload, 2))
        return PAYLOAD_ALONE;
    return had_holders && are_free(payload, 1) ? PAYLOAD_LEFT : PAYLOAD_SHARED;
}
