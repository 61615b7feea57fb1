#include "trace/base/process.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { INPUT, OUTPUT, ERRORS, STREAM_COUNT };

struct child {
    pid_t id;
    int server; /* the connection to who forks it, -1 = it is our child */
    bool server_is_new;
    int ours[STREAM_COUNT];   /* our ends, -1 when closed */
    int theirs[STREAM_COUNT]; /* the child's ends */
};

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void close_all(int descriptors[STREAM_COUNT])
{
    for (int stream = 0; stream < STREAM_COUNT; ++stream)
        close_descriptor(&descriptors[stream]);
}

static uint64_t now_ms(void)
{
    return clock_monotonic_ns() / 1000000;
}

static enum status open_streams(struct child *child, bool with_input, struct error *error)
{
    for (int stream = 0; stream < STREAM_COUNT; ++stream) {
        if (stream == INPUT && !with_input) {
            child->theirs[INPUT] = open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (child->theirs[INPUT] < 0)
                return error_set_errno(error, "cannot open '/dev/null'");
            continue;
        }
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return error_set_errno(error, "cannot make a pipe");
        child->ours[stream] = ends[stream == INPUT];
        child->theirs[stream] = ends[stream != INPUT];
        fcntl(child->ours[stream], F_SETFL, O_NONBLOCK);
    }
    return STATUS_OK;
}

static bool has_group(const struct process_request *request)
{
    return request->own_group || request->hidden;
}

/* The child starts with default signal actions and no blocked signal, whatever our threads have. */
static enum status start(struct child *child, const struct process_request *request,
                         struct error *error)
{
    enum status status = STATUS_OK;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return error_no_memory(error, sizeof actions);
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error_no_memory(error, sizeof attributes);
    }
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    const int group = has_group(request) ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes,
                             (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
    int failed = 0;
    for (int stream = 0; stream < STREAM_COUNT && !failed; ++stream)
        failed = posix_spawn_file_actions_adddup2(&actions, child->theirs[stream], stream);
    char *const *arguments = (char *const *)(uintptr_t)request->arguments;
    char *const *environment =
        request->environment ? (char *const *)(uintptr_t)request->environment : environ;
    if (!failed)
        failed = posix_spawnp(&child->id, request->arguments[0], &actions, &attributes, arguments,
                              environment);
    if (failed == ENOENT)
        status =
            error_set(error, STATUS_NOT_FOUND, "there is no program '%s'", request->arguments[0]);
    else if (failed)
        status = error_set(error, STATUS_IO, "cannot start '%s': %s", request->arguments[0],
                           strerror(failed));
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer takes `clone` for a fork: what the thread does later would count for nothing. It
 * does not know this one. */
int __clone(int (*function)(void *), void *stack, int flags, void *user, ...); /* NOLINT */
#define clone __clone
#endif

struct hidden_start {
    struct child *child;
    const struct process_request *request;
    struct error *error;
    enum status status;
};

/* In a process between, which shares our memory while we wait for its end: it ends by returning.
 * AddressSanitizer looks for the stack of who calls _exit, and says that it knows none such. */
static int start_between(void *user)
{
    struct hidden_start *hidden = user;
    hidden->status = start(hidden->child, hidden->request, hidden->error);
    return EXIT_SUCCESS;
}

/* The process between sends no signal when it ends, so that only a wait that names it finds it; its
 * child is then nobody's that we know. */
static enum status start_hidden(struct child *child, const struct process_request *request,
                                struct error *error)
{
    enum { STACK_SIZE = 64 << 10 };
    struct hidden_start hidden = {child, request, error, STATUS_IO};
    char *stack = alloc_aligned(64, STACK_SIZE);
    if (!stack)
        return error_no_memory(error, STACK_SIZE);
    const int between = clone(start_between, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, &hidden);
    enum status status = between < 0 ? error_set_errno(error, "cannot start a process") : STATUS_OK;
    while (status == STATUS_OK && waitpid(between, NULL, __WALL) < 0)
        if (errno != EINTR)
            break;
    alloc_free(stack);
    return status == STATUS_OK ? hidden.status : status;
}

/* Of processor time, which ends it should we be gone by then; 0 = none. */
static rlim_t seconds_max(const struct process_request *request)
{
    return has_group(request) && request->timeout_ms ? request->timeout_ms / 1000 + 2 : 0;
}

/* Before it has done anything that matters. */
static void limit(const struct child *child, const struct process_request *request)
{
    const rlim_t seconds = seconds_max(request);
    const struct rlimit memory = {.rlim_cur = request->memory_max, .rlim_max = request->memory_max};
    const struct rlimit time = {.rlim_cur = seconds, .rlim_max = seconds};
    if (request->memory_max)
        prlimit(child->id, RLIMIT_AS, &memory, NULL);
    if (seconds)
        prlimit(child->id, RLIMIT_CPU, &time, NULL);
}

/* ---- by a server ---- */

static const char *const *server_environment(const struct process_request *request,
                                             struct arena *arena)
{
    size_t count = 0;
    while (request->environment[count])
        count++;
    const char **variables = arena_alloc(arena, count + 5, sizeof *variables);
    if (!variables)
        return NULL;
    memcpy(variables, request->environment, count * sizeof *variables);
    variables[count] = arena_format(arena, "LD_PRELOAD=%s", request->server->library);
    variables[count + 1] = arena_format(arena, PROCESS_SERVER_SOCKET "=%s/%s",
                                        request->server->directory, request->server->name);
    variables[count + 2] = request->server->idle;
    variables[count + 3] = "LD_BIND_NOW=1"; /* else each fork would bind what it calls */
    variables[count + 4] = NULL;
    return variables[count] && variables[count + 1] ? variables : NULL;
}

/* The program with the library, which listens on its standard input. */
static bool start_server(const struct process_request *request)
{
    struct arena arena = {0};
    const char *const *environment = server_environment(request, &arena);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct child server = {.theirs = {process_server_listen(request->server), nothing, nothing}};
    /* Without the library it tells its version; with it, who looks at processes is told this. */
    const char *const arguments[] = {request->arguments[0], "--version",
                                     "clerk: waits a moment for more to do", NULL};
    const struct process_request start_it = {
        .arguments = arguments, .environment = environment, .hidden = true};
    const bool started = environment && nothing >= 0 && server.theirs[INPUT] >= 0 &&
                         start_hidden(&server, &start_it, NULL) == STATUS_OK;
    if (started)
        process_server_remember(request->server, server.id);
    close_descriptor(&server.theirs[INPUT]);
    if (nothing >= 0)
        close(nothing);
    arena_release(&arena);
    return started;
}

static bool ask_server(struct child *child, const struct process_request *request)
{
    child->server = process_server_connect(request->server);
    if (child->server < 0) {
        child->server_is_new = start_server(request);
        child->server = child->server_is_new ? process_server_connect(request->server) : -1;
        if (child->server_is_new && child->server < 0)
            process_server_give_up(request->server);
    }
    if (child->server >= 0 &&
        !process_server_ask(child->server, request, seconds_max(request), child->theirs))
        close_descriptor(&child->server);
    return child->server >= 0;
}

/* Where no server forks it we do. */
static enum status settle(struct child *child, const struct process_request *request,
                          struct error *error)
{
    enum status status = STATUS_OK;
    if (child->server >= 0 && !process_server_took(child->server)) {
        close_descriptor(&child->server);
        if (child->server_is_new)
            process_server_give_up(request->server);
        status = start(child, request, error);
        if (!status)
            limit(child, request);
    }
    close_all(child->theirs);
    return status;
}

static void end(struct child *child, const struct process_request *request)
{
    if (child->server >= 0) {
        shutdown(child->server, SHUT_RDWR); /* a fork of ours may have it, too */
        close_descriptor(&child->server);
        return;
    }
    kill(has_group(request) ? -child->id : child->id, SIGKILL);
}

/* What a stream has ready; 0 = nothing. Closes it at its end. */
static size_t read_ready(int *descriptor, char *buffer, size_t size)
{
    const ssize_t got = read(*descriptor, buffer, size);
    if (got > 0)
        return (size_t)got;
    if (got == 0 || (errno != EINTR && errno != EAGAIN))
        close_descriptor(descriptor);
    return 0;
}

/* Hands on what a stream has ready. False when nothing more is wanted. */
static bool hand_on(int *descriptor, const struct process_request *request)
{
    char buffer[65536];
    const size_t got = read_ready(descriptor, buffer, sizeof buffer);
    return got == 0 || request->take(request->user, buffer, got);
}

/* Moves what a stream has ready. False when it has more than `max`. */
static bool pump_output(int *descriptor, struct text *text, size_t max)
{
    char buffer[16384];
    const size_t got = read_ready(descriptor, buffer, sizeof buffer);
    const size_t room = text->size < max ? max - text->size : 0;
    text_append_n(text, buffer, got < room ? got : room);
    return got <= room;
}

static void pump_input(int *descriptor, const unsigned char *bytes, size_t size, size_t *sent)
{
    const ssize_t put = write(*descriptor, bytes + *sent, size - *sent);
    if (put < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (put > 0)
        *sent += (size_t)put;
    if (put < 0 || *sent == size)
        close_descriptor(descriptor);
}

/* How long poll may wait: -1 = for ever. */
static int time_left(const struct process_request *request, uint64_t start_ms)
{
    if (!request->timeout_ms)
        return -1;
    const uint64_t spent = now_ms() - start_ms;
    return spent < request->timeout_ms ? (int)(request->timeout_ms - spent) : 0;
}

static void communicate(struct child *child, const struct process_request *request,
                        uint64_t start_ms, struct process_result *result)
{
    size_t sent = 0;
    while (child->ours[OUTPUT] >= 0 || child->ours[ERRORS] >= 0) {
        struct pollfd polls[STREAM_COUNT];
        for (int stream = 0; stream < STREAM_COUNT; ++stream)
            polls[stream] = (struct pollfd){.fd = child->ours[stream],
                                            .events = stream == INPUT ? POLLOUT : POLLIN};
        const int wait_ms = time_left(request, start_ms);
        const int ready = poll(polls, STREAM_COUNT, wait_ms);
        if (ready == 0 || wait_ms == 0) {
            result->timed_out = true;
            end(child, request);
            return;
        }
        if (ready < 0)
            continue;
        if (polls[INPUT].revents)
            pump_input(&child->ours[INPUT], request->input, request->input_size, &sent);
        bool within = true, wanted = true;
        if (polls[OUTPUT].revents && request->take)
            wanted = hand_on(&child->ours[OUTPUT], request);
        else if (polls[OUTPUT].revents)
            within =
                pump_output(&child->ours[OUTPUT], &result->standard_output, request->output_max);
        if (polls[ERRORS].revents)
            within &=
                pump_output(&child->ours[ERRORS], &result->standard_error, request->output_max);
        if (!wanted || (!within && request->output_limited)) {
            result->flooded = true;
            end(child, request);
            return;
        }
    }
}

/* Waits for the end of the child, which may have closed its streams long before. */
static pid_t await(struct child *child, const struct process_request *request, uint64_t start_ms,
                   struct process_result *result, int *wait_status)
{
    const struct timespec pause = {.tv_nsec = 500000};
    while (request->timeout_ms && !result->timed_out && !result->flooded) {
        const pid_t waited = waitpid(child->id, wait_status, WNOHANG);
        if (waited > 0 || (waited < 0 && errno != EINTR))
            return waited;
        if (time_left(request, start_ms) == 0) {
            result->timed_out = true;
            end(child, request);
        } else if (waited == 0) {
            nanosleep(&pause, NULL);
        }
    }
    pid_t waited;
    while ((waited = waitpid(child->id, wait_status, 0)) < 0 && errno == EINTR)
        continue;
    return waited;
}

/* The same of one that a server forked. When it was ended nobody is asked any more. */
static int await_server(struct child *child, const struct process_request *request,
                        uint64_t start_ms, struct process_result *result)
{
    int wait_status = SIGKILL;
    if (child->server >= 0 &&
        !process_server_wait(child->server, time_left(request, start_ms), &wait_status)) {
        result->timed_out = true;
        end(child, request);
    }
    return wait_status;
}

static enum status learn_end(struct child *child, const struct process_request *request,
                             uint64_t start_ms, struct process_result *result, struct error *error)
{
    int wait_status = 0;
    if (child->id < 0)
        wait_status = await_server(child, request, start_ms, result);
    else if (await(child, request, start_ms, result, &wait_status) < 0)
        return error_set_errno(error, "cannot wait for '%s'", request->arguments[0]);
    if (WIFEXITED(wait_status))
        result->exit_status = WEXITSTATUS(wait_status);
    else
        result->signal = WTERMSIG(wait_status);
    return STATUS_OK;
}

/* A write to a child that no longer reads must fail rather than kill us: SIGPIPE is blocked for
 * this thread and taken away if it arrived. */
static void block_pipe_signal(sigset_t *before)
{
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, before);
}

static void unblock_pipe_signal(const sigset_t *before)
{
    if (!sigismember(before, SIGPIPE)) {
        sigset_t pipe_signal;
        sigemptyset(&pipe_signal);
        sigaddset(&pipe_signal, SIGPIPE);
        const struct timespec now = {0};
        while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static enum status begin(struct child *child, const struct process_request *request,
                         bool with_input, struct error *error)
{
    *child = (struct child){.id = -1, .server = -1, .ours = {-1, -1, -1}, .theirs = {-1, -1, -1}};
    enum status status = open_streams(child, with_input, error);
    if (!status && request->server && ask_server(child, request))
        return STATUS_OK;
    if (!status)
        status =
            request->hidden ? start_hidden(child, request, error) : start(child, request, error);
    close_all(child->theirs);
    if (status) {
        close_all(child->ours);
        return status;
    }
    limit(child, request);
    if (request->running)
        *request->running = child->id;
    return STATUS_OK;
}

static enum status complete(struct child *child, const struct process_request *request,
                            struct process_result *result, struct error *error)
{
    struct process_result made = {
        .exit_status = -1, .standard_output = TEXT_INIT, .standard_error = TEXT_INIT};
    const uint64_t start_ms = now_ms();
    enum status status = STATUS_OK;
    sigset_t signals_before;
    block_pipe_signal(&signals_before);
    status = settle(child, request, error);
    if (!status)
        communicate(child, request, start_ms, &made);
    if (!status && !request->hidden)
        status = learn_end(child, request, start_ms, &made, error);
    if (request->running)
        *request->running = 0;
    close_descriptor(&child->server);
    close_all(child->ours);
    unblock_pipe_signal(&signals_before);
    if (!status && (made.standard_output.failed || made.standard_error.failed))
        status = error_no_memory(error, request->output_max);
    if (status)
        process_result_release(&made);
    else
        *result = made;
    return status;
}

enum status process_run(const struct process_request *request, struct process_result *result,
                        struct error *error)
{
    struct child child;
    const enum status status = begin(&child, request, request->input_size != 0, error);
    return status ? status : complete(&child, request, result, error);
}

/* ---- in two steps ---- */

struct process {
    struct child child;
    struct process_request request;
};

enum status process_start(const struct process_request *request, struct process **process,
                          struct error *error)
{
    ASSERT(!request->hidden);
    struct process *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->request = *request;
    const enum status status = begin(&made->child, request, true, error);
    if (status)
        alloc_free(made);
    else
        *process = made;
    return status;
}

enum status process_finish(struct process *process, const void *input, size_t input_size,
                           struct process_result *result, struct error *error)
{
    process->request.input = input;
    process->request.input_size = input_size;
    const enum status status = complete(&process->child, &process->request, result, error);
    alloc_free(process);
    return status;
}

void process_abandon(struct process *process)
{
    if (!process)
        return;
    end(&process->child, &process->request);
    close_all(process->child.theirs);
    close_all(process->child.ours);
    while (process->child.id >= 0 && waitpid(process->child.id, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (process->request.running)
        *process->request.running = 0;
    alloc_free(process);
}

void process_result_release(struct process_result *result)
{
    text_release(&result->standard_output);
    text_release(&result->standard_error);
}

static bool loads_a_layer(const char *variable)
{
    return strncmp(variable, "OPENCL_LAYERS=", strlen("OPENCL_LAYERS=")) == 0 ||
           strncmp(variable, "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0;
}

const char *const *process_environment(struct arena *arena, const char *added)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    const char **copy = arena_alloc(arena, count + 2, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (loads_a_layer(environ[i]))
            continue;
        copy[kept] = arena_string(arena, environ[i]);
        if (!copy[kept++])
            return NULL;
    }
    if (copy)
        copy[kept] = added;
    return copy;
}

char *process_find_program(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? alloc_string(name) : NULL;
    const char *path = getenv("PATH");
    if (!path)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        const size_t length = strcspn(path, ":");
        char *candidate =
            length ? alloc_format("%.*s/%s", (int)length, path, name) : alloc_format("./%s", name);
        if (!candidate)
            return NULL;
        if (access(candidate, X_OK) == 0 && !file_is_directory(candidate))
            return candidate;
        alloc_free(candidate);
        if (!path[length])
            return NULL;
        path += length + 1;
    }
}

/* ---- descriptors of a thread ---- */

/* Before Linux 5.9: a copy of the table, of which all is closed. */
static int unshare_descriptors(void)
{
    if (unshare(CLONE_FILES) != 0)
        return -1;
    DIR *listing = opendir("/proc/thread-self/fd");
    if (!listing)
        return -1;
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        const int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && descriptor != dirfd(listing))
            close(descriptor);
    }
    closedir(listing);
    return 0;
}

enum status process_own_descriptors(struct error *error)
{
#ifdef SYS_close_range
    enum { UNSHARE = 1 << 1 }; /* CLOSE_RANGE_UNSHARE */
    if (syscall(SYS_close_range, 0u, ~0u, UNSHARE) != 0 && unshare_descriptors() != 0)
#else
    if (unshare_descriptors() != 0)
#endif
        return error_set_errno(error, "the system refuses a thread descriptors of its own");
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; nowhere >= 0 && stream < STREAM_COUNT; ++stream)
        if (stream != nowhere)
            dup2(nowhere, stream);
    return STATUS_OK;
}

/* ---- this process ---- */

void process_command_line(struct text *text)
{
    void *bytes = NULL;
    size_t size;
    if (file_read("/proc/self/cmdline", 1 << 20, &bytes, &size, NULL))
        return;
    const char *word = bytes;
    const char *separator = "";
    for (const char *end = word + size; word < end; word += strlen(word) + 1) {
        text_format(text, "%s%s", separator, word);
        separator = " ";
    }
    alloc_free(bytes);
}

/* ---- other processes ---- */

/* The fields of /proc/PID/stat after the command in parentheses, which may hold anything. */
static bool read_stat(int64_t id, char *state, uint64_t *start_time)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%lld/stat", (long long)id);
    FILE *file = fopen(name, "re");
    if (!file)
        return false;
    char line[1024];
    const size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = 0;
    const char *field = strrchr(line, ')');
    if (!field || field[1] != ' ')
        return false;
    *state = field[2];
    for (int i = 3; i <= 22 && field; ++i)
        field = strchr(field + 1, ' ');
    if (!field)
        return false;
    *start_time = strtoull(field + 1, NULL, 10);
    return true;
}

bool process_is_running(int64_t id, uint64_t start_time)
{
    char state;
    uint64_t found;
    return id > 0 && read_stat(id, &state, &found) && found == start_time && state != 'Z' &&
           state != 'X';
}

bool process_is_zombie(int64_t id)
{
    char state;
    uint64_t found;
    return id > 0 && read_stat(id, &state, &found) && state == 'Z';
}

uint64_t process_start_time(int64_t id)
{
    char state;
    uint64_t found;
    return read_stat(id, &state, &found) ? found : 0;
}
