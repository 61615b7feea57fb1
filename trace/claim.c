/* Names for traces: which recording, and which run, has one. */
#include "trace/claim.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/spool_directory.h"
#include "trace/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MAX_NUMBER = 9999 /* of "NAME.9999.db" */ };

/* ---- what is beside a trace ---- */

/* The files of a trace: the database, and those that SQLite keeps beside it, which takes whatever
 * has one of these names for its own, and removes it. */
enum { PART_START = 4 };
static const struct part {
    const char *suffix;
    unsigned char start[PART_START]; /* of one that SQLite made; its last bits are flags */
} parts[] = {
    {"", {0}}, /* the database, which is_trace knows */
    {"-wal", {0x37, 0x7f, 0x06, 0x80}},
    {"-journal", {0xd9, 0xd5, 0x05, 0xf8}},
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    {"-shm", {0x18, 0xe2, 0x2d, 0x00}}, /* 3007000 */
#else
    {"-shm", {0x00, 0x2d, 0xe2, 0x18}},
#endif
};
enum { PART_COUNT = sizeof parts / sizeof *parts, FIRST_COMPANION = 1 };

static bool is_there(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

/* Did SQLite make it? One that it has not begun, or has done with, starts with zeros. */
static bool is_companion(const struct part *part, int descriptor)
{
    static const unsigned char zeros[PART_START];
    unsigned char start[PART_START];
    const ssize_t size = pread(descriptor, start, sizeof start, 0);
    if (size != PART_START)
        return size == 0;
    if (memcmp(start, zeros, sizeof start) == 0)
        return true;
    start[PART_START - 1] &= 0xf8;
    return memcmp(start, part->start, sizeof start) == 0;
}

/* Is the file a trace by its header (or one that was never begun)? Not by opening it as one: it may
 * be damaged. */
static bool is_trace(int descriptor)
{
    enum { APPLICATION_ID_OFFSET = 68, START_SIZE = 72 };
    static const char magic[16] = "SQLite format 3";
    unsigned char start[START_SIZE];
    const ssize_t size = read(descriptor, start, sizeof start);
    if (size == 0)
        return true;
    const unsigned char *id = start + APPLICATION_ID_OFFSET;
    return size == START_SIZE && memcmp(start, magic, sizeof magic) == 0 &&
           ((uint32_t)id[0] << 24 | (uint32_t)id[1] << 16 | (uint32_t)id[2] << 8 | id[3]) ==
               STORE_APPLICATION_ID;
}

static enum status check_part(const struct part *part, const char *path, struct error *error)
{
    const bool is_database = part == parts;
    int descriptor;
    char *name = alloc_format("%s%s", path, part->suffix);
    if (!name)
        return error_no_memory(error, strlen(path) + 16);
    enum status status =
        file_open_private(AT_FDCWD, name, O_RDONLY, name, &descriptor, NULL, error);
    if (status == STATUS_NOT_FOUND) {
        status = STATUS_OK;
    } else if (!status) {
        if (!(is_database ? is_trace(descriptor) : is_companion(part, descriptor)))
            status = error_set(
                error, STATUS_INVALID, "'%s' exists and is %s; it is left alone", name,
                is_database ? "not a clerk trace" : "nothing that SQLite keeps beside a trace");
        close(descriptor);
    }
    alloc_free(name);
    return status;
}

enum status claim_spare_trace(const char *path, struct error *error)
{
    struct error ignored;
    struct stat facts;
    int descriptor;
    if (file_open_private(AT_FDCWD, path, O_RDONLY, path, &descriptor, &facts, &ignored))
        return STATUS_OK;
    const bool is_there = facts.st_size > 0 && is_trace(descriptor);
    close(descriptor);
    return is_there
               ? error_set(error, STATUS_INVALID, "'%s' is a clerk trace; it is left alone", path)
               : STATUS_OK;
}

/* May a recording take this name? That nothing is there is fine. */
static enum status check_replaceable(const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PART_COUNT && !status; ++i)
        status = check_part(&parts[i], path, error);
    return status;
}

static bool has_companions(const char *path)
{
    bool found = false;
    for (size_t i = FIRST_COMPANION; i < PART_COUNT && !found; ++i) {
        char *name = alloc_format("%s%s", path, parts[i].suffix);
        found = !name || is_there(name);
        alloc_free(name);
    }
    return found;
}

/* ---- one process ---- */

/* "app.db" is "app.2.db" for number 2; "app" is "app.2". */
char *claim_numbered_path(const char *path, unsigned number)
{
    if (number == 1)
        return alloc_string(path);
    const char *base = path_base(path);
    const char *dot = strrchr(base, '.');
    if (!dot || dot == base)
        return alloc_format("%s.%u", path, number);
    return alloc_format("%.*s.%u%s", (int)(dot - path), path, number, dot);
}

static enum status make_file(const char *path, struct error *error)
{
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return errno == EEXIST ? STATUS_NOT_FOUND
                               : error_set_errno(error, "cannot create '%s'", path);
    close(descriptor);
    return STATUS_OK;
}

/* The directory is what is claimed: one process alone makes it. STATUS_NOT_FOUND when the name is
 * taken. */
static enum status claim_one(const char *path, struct error *error)
{
    char *spool = spool_directory_path(path);
    if (!spool)
        return error_no_memory(error, strlen(path) + 8);
    enum status status = spool_directory_make(spool, error);
    if (!status) {
        status = has_companions(path) ? STATUS_NOT_FOUND : make_file(path, error);
        if (status)
            spool_directory_discard(spool);
    }
    alloc_free(spool);
    return status;
}

enum status claim_trace(const char *path, char **claimed, struct error *error)
{
    /* The program may change its directory while it runs. */
    char directory[4096];
    char *absolute =
        getcwd(directory, sizeof directory) ? path_join(directory, path) : alloc_string(path);
    if (!absolute)
        return error_no_memory(error, strlen(path) + sizeof directory);
    enum status status = STATUS_NOT_FOUND;
    for (unsigned number = 1; status == STATUS_NOT_FOUND && number <= NAME_MAX_NUMBER; ++number) {
        char *candidate = claim_numbered_path(absolute, number);
        if (!candidate) {
            status = error_no_memory(error, strlen(absolute) + 16);
            break;
        }
        status = claim_one(candidate, error);
        if (status)
            alloc_free(candidate);
        else
            *claimed = candidate;
    }
    if (status == STATUS_NOT_FOUND)
        status = error_set(error, STATUS_IO, "'%s' and %d more names for the trace are taken", path,
                           NAME_MAX_NUMBER - 1);
    alloc_free(absolute);
    return status;
}

/* ---- making room ---- */

/* Opens the spool of a dead process; *directory is -1 if there is none. Refuses one that is being
 * recorded, and what nobody recorded. */
static enum status open_left(const char *spool, const char *path, int *directory,
                             struct error *error)
{
    struct spool_writer writer;
    *directory = -1;
    const enum status status = spool_directory_open(spool, directory, error);
    if (status)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    if (!spool_directory_writer(*directory, &writer) || !writer.is_running)
        return STATUS_OK;
    close(*directory);
    return error_set(error, STATUS_INVALID, "'%s' is being recorded by process %" PRId64, path,
                     writer.process);
}

/* Who else removes it, or stores it, is waited for. */
static enum status remove_left(const char *spool, const char *path, struct error *error)
{
    bool is_ours = false;
    int directory;
    enum status status = open_left(spool, path, &directory, error);
    if (status || directory < 0)
        return status;
    status = spool_directory_lock(directory, spool, &is_ours, error);
    if (!status && is_ours)
        spool_directory_remove(directory, spool);
    close(directory);
    return status;
}

/* As a recording would, so that none begins under this name meanwhile. */
static enum status take_name(const char *spool, const char *path, struct error *error)
{
    enum { TRIES = 100 };
    enum status status = STATUS_NOT_FOUND;
    for (int i = 0; i < TRIES && status == STATUS_NOT_FOUND; ++i) {
        status = remove_left(spool, path, error);
        if (!status)
            status = spool_directory_make(spool, error);
    }
    if (status == STATUS_NOT_FOUND)
        return error_set(error, STATUS_INVALID, "'%s' holds more than clerk's files", spool);
    return status;
}

static enum status remove_file(const char *path, const char *suffix, struct error *error)
{
    struct stat facts;
    char *name = alloc_format("%s%s", path, suffix);
    enum status status = STATUS_OK;
    if (!name)
        return error_no_memory(error, strlen(path) + 16);
    if (lstat(name, &facts) != 0)
        status = errno == ENOENT ? STATUS_OK : error_set_errno(error, "cannot remove '%s'", name);
    else if (!S_ISREG(facts.st_mode))
        status = error_set(error, STATUS_INVALID, "'%s' is not a regular file", name);
    else if (unlink(name) != 0)
        status = error_set_errno(error, "cannot remove '%s'", name);
    alloc_free(name);
    return status;
}

static enum status remove_one(const char *path, const char *spool, struct error *error)
{
    enum status status = take_name(spool, path, error);
    if (status)
        return status;
    status = check_replaceable(path, error);
    for (size_t i = 0; i < PART_COUNT && !status; ++i)
        status = remove_file(path, parts[i].suffix, error);
    spool_directory_discard(spool);
    return status;
}

/* What claim_remove does with one file of a run. */
typedef enum status room_step(const char *path, const char *spool, struct error *error);

static enum status check_one(const char *path, const char *spool, struct error *error)
{
    int directory = -1;
    enum status status = check_replaceable(path, error);
    if (!status)
        status = open_left(spool, path, &directory, error);
    if (!status && directory >= 0)
        close(directory);
    return status;
}

/* Is a trace with a number one that a process of a run under `path` made, rather than one whose
 * name somebody asked for? One that was never begun is nobody's loss. */
static bool is_of_run(const char *candidate, const char *path)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *rows = NULL;
    struct stat facts;
    if (check_replaceable(candidate, NULL))
        return false;
    bool is = lstat(candidate, &facts) != 0 || facts.st_size == 0;
    if (!is && store_connect(candidate, SQLITE_OPEN_READONLY, &database, NULL) == STATUS_OK &&
        store_check(database, candidate, NULL) == STATUS_OK &&
        store_prepare(database, candidate, "SELECT value FROM meta WHERE name = 'asked_for'", &rows,
                      NULL) == STATUS_OK &&
        sqlite3_step(rows) == SQLITE_ROW) {
        const char *asked_for = (const char *)sqlite3_column_text(rows, 0);
        is = asked_for && strcmp(asked_for, path_base(path)) == 0;
    }
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return is;
}

static enum status each_of_run(const char *path, room_step *step, struct error *error)
{
    enum status status = STATUS_OK;
    bool found = true;
    for (unsigned number = 1; !status && found && number <= NAME_MAX_NUMBER; ++number) {
        char *candidate = claim_numbered_path(path, number);
        char *spool = candidate ? spool_directory_path(candidate) : NULL;
        if (!spool)
            status = error_no_memory(error, strlen(path) + 16);
        found = spool && (number == 1 || is_there(candidate) || is_there(spool));
        if (found && (number == 1 || is_of_run(candidate, path)))
            status = step(candidate, spool, error);
        alloc_free(spool);
        alloc_free(candidate);
    }
    return status;
}

enum status claim_remove(const char *path, struct error *error)
{
    const enum status status = each_of_run(path, check_one, error);
    return status ? status : each_of_run(path, remove_one, error);
}

/* ---- one run at a time ---- */

/* A file beside the trace, locked for as long as its owner lives: the kernel gives the lock back.
 */
struct reservation {
    int descriptor;
    char *path;
};

/* The number of its owner; "" while that has not written it. False: it is another file. */
enum { OWNER_SIZE = 32 };
static bool read_owner(int descriptor, char owner[OWNER_SIZE])
{
    const ssize_t size = pread(descriptor, owner, OWNER_SIZE, 0);
    if (size < 0 || size == OWNER_SIZE)
        return false;
    owner[size] = 0;
    const size_t digits = strspn(owner, "0123456789");
    const bool is_owner = size == 0 || (digits == (size_t)size - 1 && owner[digits] == '\n');
    owner[digits] = 0;
    return is_owner;
}

/* Who has just locked the file may not have written its number yet. */
static enum status say_reserved(int descriptor, const char *path, struct error *error)
{
    enum { TRIES = 1000 };
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    char owner[OWNER_SIZE] = "";
    for (int i = 0; i < TRIES && read_owner(descriptor, owner) && !owner[0]; ++i)
        nanosleep(&pause, NULL);
    return error_set(error, STATUS_INVALID, "'%s' is being recorded by %s%s", path,
                     owner[0] ? "clerk run, process " : "another clerk run", owner);
}

static enum status lock_name(const char *path, const char *name, int *descriptor,
                             struct error *error)
{
    for (;;) {
        struct stat facts;
        const enum status status =
            file_open_private(AT_FDCWD, name, O_RDWR | O_CREAT, name, descriptor, &facts, error);
        if (status)
            return status;
        enum status failed = STATUS_OK;
        char owner[OWNER_SIZE];
        if (!file_is_own(&facts) || !read_owner(*descriptor, owner))
            failed =
                error_set(error, STATUS_INVALID, "'%s' is not clerk's; it is left alone", name);
        else if (flock(*descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            failed = say_reserved(*descriptor, path, error);
        /* Who had the file may have removed it while we waited: then it is another one's. */
        if (!failed && file_is_at(*descriptor, name))
            return STATUS_OK;
        close(*descriptor);
        if (failed)
            return failed;
    }
}

enum status claim_reserve(const char *path, struct reservation **reservation, struct error *error)
{
    struct reservation *made = alloc_zero(1, sizeof *made);
    if (!made || !(made->path = alloc_format("%s.lock", path))) {
        alloc_free(made);
        return error_no_memory(error, strlen(path) + 8);
    }
    const enum status status = lock_name(path, made->path, &made->descriptor, error);
    if (status) {
        alloc_free(made->path);
        alloc_free(made);
        return status;
    }
    /* For who comes meanwhile. */
    char owner[OWNER_SIZE];
    const int size = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
    if (ftruncate(made->descriptor, 0) == 0)
        descriptor_write(made->descriptor, owner, (size_t)size, made->path, NULL);
    *reservation = made;
    return STATUS_OK;
}

void claim_drop(struct reservation *reservation)
{
    if (!reservation)
        return;
    unlink(reservation->path);
    close(reservation->descriptor);
    alloc_free(reservation->path);
    alloc_free(reservation);
}
