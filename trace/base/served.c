/* The library of a server (process_server.h), alone in a shared object that depends on the C
 * library only: LD_PRELOAD loads it into the program, whose main() it puts off. The server forks a
 * process for each connection, which reads the request, forks the one that works, and stays to tell
 * its end. */
#include "trace/base/process_server.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef int main_function(int, char **, char **);

static main_function *program;

enum { LISTENER = STDIN_FILENO };

/* What a program left open for those that it starts is not ours to keep: somebody may wait for its
 * end. */
static void close_from(int first)
{
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
    for (long i = first, end = sysconf(_SC_OPEN_MAX); i < end; i++)
        close((int)i);
}

static bool read_all(int descriptor, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        const ssize_t more = read(descriptor, (char *)bytes + got, size - got);
        if (more > 0)
            got += (size_t)more;
        else if (more == 0 || errno != EINTR)
            return false;
    }
    return true;
}

static bool receive(int connection, struct process_server_request *request, int *descriptors)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(PROCESS_SERVER_DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != (ssize_t)sizeof *request)
        return false;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(PROCESS_SERVER_DESCRIPTORS * sizeof(int)))
        return false;
    memcpy(descriptors, CMSG_DATA(header), PROCESS_SERVER_DESCRIPTORS * sizeof(int));
    return request->argument_count > 0 && request->size <= PROCESS_SERVER_BYTES_MAX;
}

/* The next `count` strings; NULL when they are not there. */
static char **take_strings(char **at, const char *end, uint32_t count)
{
    char **strings = count < PROCESS_SERVER_BYTES_MAX ? calloc(count + 1, sizeof *strings) : NULL;
    for (uint32_t i = 0; strings && i < count; i++) {
        const size_t length = strnlen(*at, (size_t)(end - *at));
        if (*at + length == end)
            return NULL;
        strings[i] = *at;
        *at += length + 1;
    }
    return strings;
}

static void set_limit(int which, uint64_t value)
{
    const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    if (value)
        setrlimit((__rlimit_resource_t)which, &limit);
}

/* Does the work. */
static void become(const struct process_server_request *request, const int *descriptors,
                   char **arguments, char **environment)
{
    setpgid(0, 0);
    if (fchdir(descriptors[PROCESS_SERVER_DIRECTORY]) != 0)
        _exit(127);
    for (int i = 0; i < PROCESS_SERVER_DIRECTORY; i++)
        dup2(descriptors[i], i);
    close_from(PROCESS_SERVER_DIRECTORY);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    set_limit(RLIMIT_AS, request->memory_max);
    set_limit(RLIMIT_CPU, request->seconds_max);
    environ = environment;
    exit(program((int)request->argument_count, arguments, environment));
}

/* Until the process ends, or who asked is gone, which is its end. */
static void attend(int connection, pid_t worker, int signals)
{
    struct pollfd polls[] = {{.fd = connection, .events = POLLIN},
                             {.fd = signals, .events = POLLIN}};
    int wait_status = 0;
    while (waitpid(worker, &wait_status, WNOHANG) == 0) {
        if (poll(polls, 2, -1) > 0 && polls[0].revents) {
            kill(-worker, SIGKILL);
            waitpid(worker, &wait_status, 0);
            break;
        }
        struct signalfd_siginfo ignored;
        if (polls[1].revents && read(signals, &ignored, sizeof ignored) < 0)
            continue;
    }
    send(connection, &wait_status, sizeof wait_status, MSG_NOSIGNAL);
}

static void handle(int connection)
{
    struct process_server_request request;
    int descriptors[PROCESS_SERVER_DESCRIPTORS];
    if (!receive(connection, &request, descriptors))
        return;
    char *bytes = malloc(request.size + 1);
    if (!bytes || !read_all(connection, bytes, request.size))
        return;
    char *at = bytes;
    char **arguments = take_strings(&at, bytes + request.size, request.argument_count);
    char **environment = take_strings(&at, bytes + request.size, request.environment_count);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const int signals = signalfd(-1, &child, SFD_CLOEXEC);
    if (!arguments || !environment || signals < 0 || send(connection, "", 1, MSG_NOSIGNAL) != 1)
        return;
    const pid_t worker = fork();
    if (worker == 0)
        become(&request, descriptors, arguments, environment);
    if (worker < 0)
        return;
    setpgid(worker, worker);
    for (int i = 0; i < PROCESS_SERVER_DESCRIPTORS; i++)
        close(descriptors[i]);
    attend(connection, worker, signals);
}

static bool is_ours(int connection)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
           who.uid == geteuid();
}

static ino_t number_of(const char *path)
{
    struct stat facts;
    return path && lstat(path, &facts) == 0 ? facts.st_ino : 0;
}

static void serve(int idle_ms)
{
    struct pollfd polls = {.fd = LISTENER, .events = POLLIN};
    for (;;) {
        const int ready = poll(&polls, 1, idle_ms);
        if (ready == 0)
            return;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        const int connection = ready > 0 ? accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (connection < 0)
            continue;
        if (is_ours(connection) && fork() == 0) {
            dup2(STDERR_FILENO, LISTENER); /* so that no descriptor of the request is that one */
            handle(connection);
            _exit(EXIT_SUCCESS);
        }
        close(connection);
    }
}

static bool is_listener(void)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    return getsockopt(LISTENER, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

static int main_put_off(int count, char **arguments, char **environment)
{
    const char *idle = getenv(PROCESS_SERVER_IDLE);
    if (!idle || !is_listener())
        return program(count, arguments, environment);
    /* By now it may be another's, who takes no harm from losing it. */
    const char *socket = getenv(PROCESS_SERVER_SOCKET);
    const ino_t number = number_of(socket);
    close_from(STDERR_FILENO + 1);
    if (chdir("/") == 0)
        serve(atoi(idle));
    if (number != 0 && number_of(socket) == number)
        unlink(socket);
    return EXIT_SUCCESS;
}

typedef int start_function(main_function *main, int count, char **arguments, void (*init)(void),
                           void (*fini)(void), void (*end)(void), void *stack);

/* What a program's first instructions call. */
__attribute__((visibility("default"))) start_function __libc_start_main;

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack)
{
    start_function *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return start(main_put_off, count, arguments, init, fini, end, stack);
}
