/* The library of a server (process_server.h), alone in a shared object that depends on the C
 * library only: LD_PRELOAD loads it into the program, whose main() it puts off. The server forks a
 * process for each request, and tells its end. */
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

/* ---- who works ---- */

static struct job {
    int connection; /* -1 = who asked is gone */
    pid_t worker;
} * jobs;

static size_t job_count;

/* The worker has ended; NULL = it is nobody's. */
static struct job *find_job(pid_t worker)
{
    for (size_t i = 0; i < job_count; i++)
        if (jobs[i].worker == worker)
            return &jobs[i];
    return NULL;
}

/* Who asked is gone: that is the end of the work. */
static void abandon(struct job *job)
{
    kill(-job->worker, SIGKILL);
    close(job->connection);
    job->connection = -1;
}

static void tell_ends(void)
{
    int wait_status;
    for (pid_t ended; (ended = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
        struct job *job = find_job(ended);
        if (!job)
            continue;
        if (job->connection >= 0) {
            send(job->connection, &wait_status, sizeof wait_status, MSG_NOSIGNAL);
            close(job->connection);
        }
        *job = jobs[--job_count];
    }
}

static void start_worker(int connection, const struct process_server_request *request,
                         const int *descriptors, char **arguments, char **environment)
{
    struct job *more = realloc(jobs, (job_count + 1) * sizeof *jobs);
    if (!more)
        return;
    jobs = more;
    if (send(connection, "", 1, MSG_NOSIGNAL) != 1)
        return;
    const pid_t worker = fork();
    if (worker == 0)
        become(request, descriptors, arguments, environment);
    if (worker < 0)
        return;
    setpgid(worker, worker);
    jobs[job_count++] = (struct job){.connection = connection, .worker = worker};
}

/* Reads what is asked for and starts it. */
static void handle(int connection)
{
    /* Who asks sends all at once; who stands still keeps others waiting. */
    static const struct timeval patience = {.tv_sec = 2};
    struct process_server_request request;
    int descriptors[PROCESS_SERVER_DESCRIPTORS];
    if (setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        !receive(connection, &request, descriptors))
        return;
    char *bytes = malloc(request.size + 1);
    char *at = bytes;
    char **arguments = NULL, **environment = NULL;
    if (bytes && read_all(connection, bytes, request.size)) {
        arguments = take_strings(&at, bytes + request.size, request.argument_count);
        environment = take_strings(&at, bytes + request.size, request.environment_count);
    }
    if (arguments && environment)
        start_worker(connection, &request, descriptors, arguments, environment);
    for (int i = 0; i < PROCESS_SERVER_DESCRIPTORS; i++)
        close(descriptors[i]);
    free(environment);
    free(arguments);
    free(bytes);
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

static void greet(void)
{
    const size_t before = job_count;
    const int connection = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    if (is_ours(connection))
        handle(connection);
    if (job_count == before)
        close(connection);
}

/* What poll() is to look at: the listener, the signals, then each job's connection. */
static struct pollfd *list_polls(int signals)
{
    static struct pollfd *polls;
    struct pollfd *more = realloc(polls, (2 + job_count) * sizeof *polls);
    if (!more)
        return NULL;
    polls = more;
    polls[0] = (struct pollfd){.fd = LISTENER, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = signals, .events = POLLIN};
    for (size_t i = 0; i < job_count; i++)
        polls[2 + i] = (struct pollfd){.fd = jobs[i].connection, .events = POLLIN};
    return polls;
}

/* Until nobody has asked for a while. */
static void serve(int idle_ms)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        struct pollfd *polls = signals >= 0 ? list_polls(signals) : NULL;
        if (!polls)
            return;
        const size_t count = job_count;
        const int ready = poll(polls, 2 + count, count ? -1 : idle_ms);
        if (ready == 0)
            return;
        if (ready < 0)
            continue;
        for (size_t i = 0; i < count; i++)
            if (polls[2 + i].revents)
                abandon(&jobs[i]);
        struct signalfd_siginfo ignored;
        if (polls[1].revents && read(signals, &ignored, sizeof ignored) > 0)
            tell_ends();
        if (polls[0].revents)
            greet();
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
