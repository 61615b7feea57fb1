#include "reference/debug/checkpoints.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Packets are whole: one send, one receive. */
enum { CHECKPOINTS_MAX = 16, PACKET_MAX = 1 << 17 };

struct checkpoint {
    pid_t process;
    int control;
    uint64_t moment;
    size_t settings_size; /* of the settings when it was made */
};

struct debug_checkpoints {
    struct checkpoint list[CHECKPOINTS_MAX]; /* by moment */
    size_t count;
    uint64_t cost;
};

enum status debug_checkpoints_create(struct debug_checkpoints **checkpoints, struct error *error)
{
    *checkpoints = alloc_zero(1, sizeof **checkpoints);
    return *checkpoints ? STATUS_OK : error_no_memory(error, sizeof **checkpoints);
}

static void end(struct checkpoint *checkpoint)
{
    close(checkpoint->control);
    kill(checkpoint->process, SIGKILL);
    while (waitpid(checkpoint->process, NULL, 0) < 0 && errno == EINTR)
        ;
}

void debug_checkpoints_drop(struct debug_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->count; i++)
        end(&checkpoints->list[i]);
    checkpoints->count = 0;
}

void debug_checkpoints_destroy(struct debug_checkpoints *checkpoints)
{
    if (checkpoints)
        debug_checkpoints_drop(checkpoints);
    alloc_free(checkpoints);
}

/* ---- packets ---- */

struct packet {
    const void *head;
    size_t head_size;
    const char *tail;
    size_t tail_size;
    int passed; /* a descriptor that goes with it; -1 = none */
};

static enum status send_packet(int socket, const struct packet *packet, struct error *error)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec parts[] = {{(void *)(uintptr_t)packet->head, packet->head_size},
                            {(void *)(uintptr_t)packet->tail, packet->tail_size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (packet->passed >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &packet->passed, sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? error_set_errno(error, "asking a process of the past") : STATUS_OK;
}

/* The head into `head`, what follows is appended to `tail`. */
static enum status receive_packet(int socket, void *head, size_t head_size, struct text *tail,
                                  int *passed, struct error *error)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    char *rest = alloc(PACKET_MAX);
    struct iovec parts[] = {{head, head_size}, {rest, PACKET_MAX}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = 2,
                             .msg_control = passed ? control.bytes : NULL,
                             .msg_controllen = passed ? sizeof control.bytes : 0};
    ssize_t got = -1;
    if (!rest)
        return error_no_memory(error, PACKET_MAX);
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const bool complete = got >= (ssize_t)head_size && !(message.msg_flags & MSG_TRUNC);
    if (complete)
        text_append_n(tail, rest, (size_t)got - head_size);
    alloc_free(rest);
    if (!complete)
        return error_set(error, STATUS_IO, "a process of the past has ended");
    if (passed) {
        const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *passed = -1;
        if (header && header->cmsg_type == SCM_RIGHTS)
            memcpy(passed, CMSG_DATA(header), sizeof(int));
    }
    return STATUS_OK;
}

enum status debug_channel_send(int channel, const struct debug_message *message,
                               const char *settings, size_t settings_size, struct error *error)
{
    const struct packet packet = {.head = message,
                                  .head_size = sizeof *message,
                                  .tail = settings,
                                  .tail_size = settings_size,
                                  .passed = -1};
    return send_packet(channel, &packet, error);
}

enum status debug_channel_receive(int channel, struct debug_message *message, struct text *settings,
                                  struct error *error)
{
    return receive_packet(channel, message, sizeof *message, settings, NULL, error);
}

/* ---- the checkpoints ---- */

/* In the checkpoint: for ever. Returns in its children. */
static void wait_for_errands(int control, struct debug_errand *errand, struct text *settings,
                             int *channel)
{
    const pid_t self = getpid();
    struct error error;
    const size_t size = settings->size;
    signal(SIGCHLD, SIG_IGN); /* nobody waits for its children */
    for (;;) {
        settings->size = size;
        if (receive_packet(control, errand, sizeof *errand, settings, channel, &error) != STATUS_OK)
            _exit(0);
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != self)
                _exit(0);
            close(control);
            signal(SIGCHLD, SIG_DFL);
            return;
        }
        close(*channel); /* where there is no child, that is told so */
    }
}

/* Of the second and later ones, that goes whose absence makes the least longer way, measured by how
 * far it is from now: around the present they stay dense. */
static void thin(struct debug_checkpoints *checkpoints, uint64_t now)
{
    size_t least = 1;
    double least_loss = 0;
    for (size_t i = 1; i < checkpoints->count; i++) {
        const uint64_t before = checkpoints->list[i - 1].moment;
        const uint64_t after = i + 1 < checkpoints->count ? checkpoints->list[i + 1].moment : now;
        const double loss = (double)(after - before) / (double)(now - before + 1);
        if (i > 1 && loss >= least_loss)
            continue;
        least = i;
        least_loss = loss;
    }
    end(&checkpoints->list[least]);
    memmove(&checkpoints->list[least], &checkpoints->list[least + 1],
            (--checkpoints->count - least) * sizeof *checkpoints->list);
}

static uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum debug_fork debug_checkpoints_add(struct debug_checkpoints *checkpoints, uint64_t moment,
                                      size_t settings_size, struct debug_errand *errand,
                                      struct text *settings, int *channel)
{
    int sockets[2];
    const pid_t self = getpid();
    if (checkpoints->count == CHECKPOINTS_MAX)
        thin(checkpoints, moment);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return DEBUG_FORK_FAILED;
    const uint64_t before = clock_now();
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        close(sockets[0]);
        for (size_t i = 0; i < checkpoints->count; i++)
            close(checkpoints->list[i].control);
        checkpoints->count = 0;
        wait_for_errands(sockets[1], errand, settings, channel);
        return DEBUG_FORK_ERRAND;
    }
    checkpoints->cost = clock_now() - before;
    close(sockets[1]);
    if (child < 0) {
        close(sockets[0]);
        return DEBUG_FORK_FAILED;
    }
    checkpoints->list[checkpoints->count++] = (struct checkpoint){
        .process = child, .control = sockets[0], .moment = moment, .settings_size = settings_size};
    return DEBUG_FORK_MADE;
}

uint64_t debug_checkpoints_cost(const struct debug_checkpoints *checkpoints)
{
    return checkpoints->cost;
}

size_t debug_checkpoints_find(const struct debug_checkpoints *checkpoints, uint64_t moment, bool at)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < checkpoints->count; i++) {
        if (checkpoints->list[i].moment < moment || (at && checkpoints->list[i].moment == moment))
            found = i;
    }
    return found;
}

uint64_t debug_checkpoints_moment(const struct debug_checkpoints *checkpoints, size_t index)
{
    return checkpoints->list[index].moment;
}

enum status debug_checkpoints_send(struct debug_checkpoints *checkpoints, size_t index,
                                   const struct debug_errand *errand, const struct text *settings,
                                   int *channel, struct error *error)
{
    const struct checkpoint *checkpoint = &checkpoints->list[index];
    const size_t known = checkpoint->settings_size;
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return error_set_errno(error, "cannot make a socket to the past");
    const struct packet packet = {.head = errand,
                                  .head_size = sizeof *errand,
                                  .tail = settings->size > known ? settings->bytes + known : "",
                                  .tail_size = settings->size - known,
                                  .passed = sockets[1]};
    const enum status status = send_packet(checkpoint->control, &packet, error);
    close(sockets[1]);
    if (status != STATUS_OK)
        close(sockets[0]);
    else
        *channel = sockets[0];
    return status;
}
