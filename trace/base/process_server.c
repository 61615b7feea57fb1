#include "trace/base/process_server.h"

#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- circumstances ---- */

static bool append_link(struct text *text, const char *path)
{
    char target[256];
    const ssize_t size = readlink(path, target, sizeof target);
    if (size > 0)
        text_append_n(text, target, (size_t)size);
    return size > 0;
}

static bool append_identity(struct text *text, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return false;
    text_format(text, "%ju %ju %jd %jd.%ld\n", (uintmax_t)facts.st_dev, (uintmax_t)facts.st_ino,
                (intmax_t)facts.st_size, (intmax_t)facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec);
    return true;
}

static bool begins_with_one_of(const char *line, const char *const *beginnings)
{
    while (*beginnings && strncmp(line, *beginnings, strlen(*beginnings)) != 0)
        beginnings++;
    return *beginnings != NULL;
}

/* The lines of a file of /proc that begin so; NULL = all. */
static bool append_file(struct text *text, const char *path, const char *const *beginnings)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file))
        if (!beginnings || begins_with_one_of(line, beginnings))
            text_append(text, line);
    fclose(file);
    return true;
}

bool process_server_circumstances(const char *program, struct text *text)
{
    static const char *const states[] = {
        "Umask",      "Uid",     "Gid",           "Groups",        "Cap",
        "NoNewPrivs", "Seccomp", "Cpus_allowed:", "Mems_allowed:", NULL};
    static const char *const read_early[] = {"LD_", "GLIBC_", "MALLOC_", "LLVM_", NULL};
    bool known = append_file(text, "/proc/sys/kernel/random/boot_id", NULL) &&
                 append_identity(text, program) && append_identity(text, "/") &&
                 append_link(text, "/proc/self/ns/mnt") && append_link(text, "/proc/self/ns/pid") &&
                 append_link(text, "/proc/self/ns/user") &&
                 append_link(text, "/proc/self/ns/net") &&
                 append_file(text, "/proc/thread-self/status", states) &&
                 append_file(text, "/proc/self/limits", NULL) &&
                 append_file(text, "/proc/self/cgroup", NULL);
    text_format(text, "nice %d\n", getpriority(PRIO_PROCESS, 0));
    for (char **variable = environ; *variable; variable++)
        if (begins_with_one_of(*variable, read_early))
            text_format(text, "%s\n", *variable);
    return known && !text->failed;
}

/* ---- sockets ---- */

/* A socket's path may have 107 bytes, and a directory's is often longer. */
static bool make_address(int directory, const char *name, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int size = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                              directory, name);
    return size > 0 && (size_t)size < sizeof address->sun_path;
}

static int open_directory(const char *path)
{
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int close_unless(bool good, int descriptor)
{
    if (good || descriptor < 0)
        return descriptor;
    close(descriptor);
    return -1;
}

int process_server_connect(const struct process_server *server)
{
    struct sockaddr_un address;
    const int folder = open_directory(server->directory);
    if (folder < 0)
        return -1;
    const int connection = open_socket();
    const bool good = connection >= 0 && make_address(folder, server->name, &address) &&
                      connect(connection, (struct sockaddr *)&address, sizeof address) == 0;
    close(folder);
    return close_unless(good, connection);
}

/* A symbolic link whose target is the id of a server. */
static const char LAST[] = "last";

static bool last_is_zombie(int folder)
{
    char who[64];
    const ssize_t size = readlinkat(folder, LAST, who, sizeof who - 1);
    if (size <= 0)
        return false;
    who[size] = '\0';
    return process_is_zombie(strtoll(who, NULL, 10));
}

/* Where nobody asks how orphans ended they are zombies for good, of which there are to be few.
 * Others ask, but only every few seconds. */
static bool zombies_stay(int folder)
{
    enum { STAYS_SECONDS = 60 };
    struct stat facts;
    return fstatat(folder, LAST, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           time(NULL) - facts.st_mtim.tv_sec > STAYS_SECONDS && last_is_zombie(folder);
}

void process_server_remember(const struct process_server *server, int64_t id)
{
    char who[64], next[64];
    const int folder = open_directory(server->directory);
    snprintf(who, sizeof who, "%" PRId64, id);
    snprintf(next, sizeof next, "%s.%ld", LAST, (long)getpid());
    if (folder >= 0 && !last_is_zombie(folder) && symlinkat(who, folder, next) == 0 &&
        renameat(folder, next, folder, LAST) != 0)
        unlinkat(folder, next, 0);
    close_unless(false, folder);
}

/* Of several that come about at once, the last one is found, and the others have nothing to do. */
int process_server_listen(const struct process_server *server)
{
    static atomic_uint count;
    struct sockaddr_un address;
    char first_name[64];
    if (directory_create_private(server->directory, NULL) != STATUS_OK)
        return -1;
    const int folder = open_directory(server->directory);
    if (folder < 0)
        return -1;
    const int listener = zombies_stay(folder) ? -1 : open_socket();
    snprintf(first_name, sizeof first_name, "%.32s.%ld-%u", server->name, (long)getpid(), count++);
    const bool bound = listener >= 0 && make_address(folder, first_name, &address) &&
                       bind(listener, (struct sockaddr *)&address, sizeof address) == 0;
    const bool good = bound && listen(listener, 64) == 0 &&
                      renameat(folder, first_name, folder, server->name) == 0;
    if (bound && !good)
        unlinkat(folder, first_name, 0);
    close(folder);
    return close_unless(good, listener);
}

/* A directory in the socket's place: no socket can be renamed onto it. */
void process_server_give_up(const struct process_server *server)
{
    const int folder = open_directory(server->directory);
    if (folder < 0)
        return;
    unlinkat(folder, server->name, 0);
    mkdirat(folder, server->name, 0700);
    close(folder);
}

/* ---- requests ---- */

static uint32_t append_strings(struct text *text, const char *const *strings)
{
    uint32_t count = 0;
    for (; strings[count]; count++)
        text_append_n(text, strings[count], strlen(strings[count]) + 1);
    return count;
}

static bool send_all(int connection, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t sent = send(connection, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool send_head(int connection, struct process_server_request *head, const int *descriptors)
{
    const size_t size = PROCESS_SERVER_DESCRIPTORS * sizeof *descriptors;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(PROCESS_SERVER_DESCRIPTORS * sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {head, sizeof *head};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = control.room,
                                   .msg_controllen = sizeof control.room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(size)};
    memcpy(CMSG_DATA(header), descriptors, size);
    return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *head;
}

bool process_server_ask(int connection, const struct process_request *request, uint64_t seconds_max,
                        const int *streams)
{
    /* What a server that stands still has not read would keep us here. */
    static const struct timeval patience = {.tv_sec = 2};
    int descriptors[PROCESS_SERVER_DESCRIPTORS];
    struct text bytes = TEXT_INIT;
    struct process_server_request head = {.memory_max = request->memory_max,
                                          .seconds_max = seconds_max};
    head.argument_count = append_strings(&bytes, request->arguments);
    head.environment_count = append_strings(
        &bytes, request->environment ? request->environment : (const char *const *)environ);
    head.size = bytes.size;
    memcpy(descriptors, streams, PROCESS_SERVER_DIRECTORY * sizeof *streams);
    descriptors[PROCESS_SERVER_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const bool sent =
        descriptors[PROCESS_SERVER_DIRECTORY] >= 0 && !bytes.failed &&
        bytes.size <= PROCESS_SERVER_BYTES_MAX &&
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        send_head(connection, &head, descriptors) && send_all(connection, bytes.bytes, bytes.size);
    close_unless(false, descriptors[PROCESS_SERVER_DIRECTORY]);
    text_release(&bytes);
    return sent;
}

/* Reads within `wait_ms` as much as that, or up to the end of the connection, of which less is
 * told: -1 = it takes longer. */
static ssize_t read_within(int connection, int wait_ms, void *bytes, size_t size)
{
    struct pollfd polls = {.fd = connection, .events = POLLIN};
    const uint64_t end_ms = clock_monotonic_ns() / 1000000 + (uint64_t)wait_ms;
    int left = wait_ms;
    for (;;) {
        const int ready = poll(&polls, 1, left);
        if (ready > 0) {
            const ssize_t got = recv(connection, bytes, size, MSG_WAITALL);
            if (got >= 0 || errno != EINTR)
                return got < 0 ? 0 : got;
        }
        const uint64_t now_ms = clock_monotonic_ns() / 1000000;
        if (wait_ms >= 0 && (ready == 0 || now_ms >= end_ms))
            return -1;
        if (wait_ms >= 0)
            left = (int)(end_ms - now_ms);
    }
}

bool process_server_took(int connection)
{
    enum { LOADING_MS = 10000 };
    char sign;
    return read_within(connection, LOADING_MS, &sign, 1) == 1;
}

bool process_server_wait(int connection, int wait_ms, int *wait_status)
{
    const ssize_t got = read_within(connection, wait_ms, wait_status, sizeof *wait_status);
    if (got >= 0 && (size_t)got < sizeof *wait_status)
        *wait_status = SIGKILL;
    return got >= 0;
}
