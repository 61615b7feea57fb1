#include "trace/base/scratch.h"

#include "trace/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = SCRATCH_PREFIX;

static const char *find_place(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && directory[0] != '\0' ? directory : "/tmp";
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

static void remove_all(const char *path)
{
    enum { DESCRIPTORS = 8 };
    nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* A file or directory that is not this user's alone was not made here. */
static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() && (S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode)) &&
           (facts->st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Takes the lock of what is at the path; -1 = somebody has it, or it is not ours. */
static int take_lock(const char *path, struct file_identity *file)
{
    struct stat opened;
    const int lock = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (lock < 0)
        return -1;
    /* It may have been removed before the lock was taken. */
    if (flock(lock, LOCK_EX | LOCK_NB) == 0 && fstat(lock, &opened) == 0 && is_own(&opened) &&
        file_is_at(lock, path)) {
        *file = file_identity_of(&opened);
        return lock;
    }
    close(lock);
    return -1;
}

static void sweep(const char *place)
{
    DIR *entries = opendir(place);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        struct file_identity left;
        char *path = alloc_format("%s/%s", place, entry->d_name);
        const int lock = path ? take_lock(path, &left) : -1;
        if (lock >= 0) {
            remove_all(path);
            close(lock);
        }
        alloc_free(path);
    }
    closedir(entries);
}

static void sweep_once(const char *place)
{
    static atomic_flag swept = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&swept))
        sweep(place);
}

static bool create(char *path, bool is_directory)
{
    if (is_directory)
        return mkdtemp(path) != NULL;
    const int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

/* False: a sweep of another process has it. A file system without locks has none that a sweep could
 * take either. */
static bool keep(struct scratch *made)
{
    struct stat facts;
    made->lock = take_lock(made->path, &made->file);
    return made->lock >= 0 ||
           (errno != EWOULDBLOCK && lstat(made->path, &facts) == 0 && is_own(&facts));
}

static enum status make(struct scratch *scratch, bool is_directory, struct error *error)
{
    enum { TRIES = 8 }; /* where a sweep of another process is in the way */
    const char *place = find_place();
    const int saved = errno;
    enum status status = STATUS_OK;
    struct scratch made = {.path = NULL, .lock = -1};
    sweep_once(place);
    bool is_kept = false;
    for (int i = 0; i < TRIES && !status && !is_kept; i++) {
        alloc_free(made.path);
        made.path = alloc_format("%s/%sXXXXXX", place, prefix);
        if (!made.path)
            status = error_no_memory(error, strlen(place));
        else if (!create(made.path, is_directory))
            status = error_set_errno(error, "cannot make a %s in '%s'",
                                     is_directory ? "directory" : "file", place);
        else
            is_kept = keep(&made);
    }
    if (status)
        alloc_free(made.path);
    else
        *scratch = made;
    errno = saved;
    return status;
}

enum status scratch_make_file(struct scratch *scratch, struct error *error)
{
    return make(scratch, false, error);
}

enum status scratch_make_directory(struct scratch *scratch, struct error *error)
{
    return make(scratch, true, error);
}

void scratch_release(struct scratch *scratch)
{
    if (!scratch->path)
        return;
    remove_all(scratch->path);
    /* The number may be another file's by now, where the program closed it. */
    if (scratch->lock >= 0 && file_is(scratch->lock, &scratch->file))
        close(scratch->lock);
    alloc_free(scratch->path);
    *scratch = (struct scratch){.lock = -1};
}
