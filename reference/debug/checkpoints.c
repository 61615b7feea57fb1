#include "reference/debug/checkpoints.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Packets are whole: one send, one receive. */
enum { PACKET_MAX = 1 << 17 };
/* Those that the original makes on its way are spread over all of it; what children leave is where
 * somebody was, and takes no place of those. Of a fork of forks each fork takes longer. */
enum { MADE_MAX = 32, LEFT_MAX = 12, CHECKPOINTS_MAX = MADE_MAX + LEFT_MAX, DEPTH_MAX = 4 };

struct checkpoint {
    pid_t process;   /* a child of this one; 0: of another checkpoint's process, */
    uint64_t parent; /* by its number: it ends with that one */
    uint64_t number;
    int control;
    uint64_t moment;
    size_t settings_size; /* of the settings when it was made */
};

struct debug_checkpoints {
    struct checkpoint list[CHECKPOINTS_MAX]; /* by moment */
    size_t count;
    uint64_t cost;    /* processor time that making the last one took, ns */
    uint64_t made;    /* at which processor time it was made */
    uint64_t number;  /* of the last one */
    uint64_t busy[2]; /* numbers of those whose children live, and search; 0 = none */
};

enum status debug_checkpoints_create(struct debug_checkpoints **checkpoints, struct error *error)
{
    *checkpoints = alloc_zero(1, sizeof **checkpoints);
    return *checkpoints ? STATUS_OK : error_no_memory(error, sizeof **checkpoints);
}

static void end(struct checkpoint *checkpoint)
{
    close(checkpoint->control); /* whoever reads from it ends */
    if (checkpoint->process == 0)
        return;
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
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
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
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *passed = -1;
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(passed, CMSG_DATA(header), sizeof(int));
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
                                  int *passed, struct error *error)
{
    return receive_packet(channel, message, sizeof *message, settings, passed, error);
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

/* With all that came from it. */
static void remove_at(struct debug_checkpoints *checkpoints, size_t index)
{
    uint64_t gone[CHECKPOINTS_MAX] = {checkpoints->list[index].number};
    size_t gone_count = 1;
    for (size_t g = 0; g < gone_count; g++) {
        size_t kept = 0;
        for (size_t i = 0; i < checkpoints->count; i++) {
            struct checkpoint *at = &checkpoints->list[i];
            if (at->number != gone[g] && at->parent == gone[g])
                gone[gone_count++] = at->number;
            if (at->number == gone[g])
                end(at);
            else
                checkpoints->list[kept++] = *at;
        }
        checkpoints->count = kept;
    }
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static const struct checkpoint *find_number(const struct debug_checkpoints *checkpoints,
                                            uint64_t number)
{
    for (size_t i = 0; i < checkpoints->count; i++) {
        if (checkpoints->list[i].number == number)
            return &checkpoints->list[i];
    }
    return NULL;
}

/* Would one that is on an errand end with it? */
static bool is_busy(const struct debug_checkpoints *checkpoints, uint64_t number)
{
    for (size_t i = 0; i < 2; i++) {
        const struct checkpoint *at = find_number(checkpoints, checkpoints->busy[i]);
        for (; at; at = find_number(checkpoints, at->parent)) {
            if (at->number == number)
                return true;
        }
    }
    return false;
}

static bool is_left(const struct checkpoint *checkpoint)
{
    return checkpoint->process == 0;
}

static size_t count_of(const struct debug_checkpoints *checkpoints, bool left)
{
    size_t count = 0;
    for (size_t i = 0; i < checkpoints->count; i++)
        count += is_left(&checkpoints->list[i]) == left;
    return count;
}

/* Of the second and later ones that children have left, or of the others, that goes whose absence
 * makes the least longer way, measured by how far it is from now: around the present they stay
 * dense. */
static void thin(struct debug_checkpoints *checkpoints, uint64_t now, bool left)
{
    size_t least = 0;
    double least_loss = 0;
    for (size_t i = 1; i < checkpoints->count; i++) {
        const struct checkpoint *at = &checkpoints->list[i];
        const bool is_last = i + 1 == checkpoints->count;
        const uint64_t after = !is_last ? at[1].moment : now > at->moment ? now : at->moment;
        const double loss =
            (double)(after - at[-1].moment) / (double)(distance(now, at->moment) + 1);
        if (is_left(at) != left || (least > 0 && loss >= least_loss) ||
            is_busy(checkpoints, at->number))
            continue;
        least = i;
        least_loss = loss;
    }
    if (least > 0)
        remove_at(checkpoints, least);
}

static void insert(struct debug_checkpoints *checkpoints, struct checkpoint made)
{
    size_t at = checkpoints->count++;
    for (; at > 0 && checkpoints->list[at - 1].moment > made.moment; at--)
        checkpoints->list[at] = checkpoints->list[at - 1];
    made.number = ++checkpoints->number;
    checkpoints->list[at] = made;
}

/* Of this thread, so that it does not matter what else the processors do. */
static uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Pages of the process that are in memory, of which each checkpoint may come to have its own; and
 * those that are to be had. */
static bool has_room(void)
{
    unsigned long long pages = 0;
    unsigned long long available = ULLONG_MAX;
    char line[128];
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        (void)!fscanf(file, "%*u %llu", &pages);
        fclose(file);
    }
    file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %llu kB", &available) == 1)
            break;
    }
    if (file)
        fclose(file);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE) / 1024 < available / 2;
}

enum debug_fork debug_checkpoints_add(struct debug_checkpoints *checkpoints, uint64_t moment,
                                      size_t settings_size, struct debug_errand *errand,
                                      struct text *settings, int *channel)
{
    int sockets[2];
    const pid_t self = getpid();
    const uint64_t before = clock_now();
    /* Who makes one runs itself: nobody is on an errand. */
    checkpoints->busy[0] = checkpoints->busy[1] = 0;
    const size_t made = count_of(checkpoints, false);
    if (made == MADE_MAX || (made > 2 && !has_room()))
        thin(checkpoints, moment, false);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return DEBUG_FORK_FAILED;
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
    checkpoints->made = clock_now();
    checkpoints->cost = checkpoints->made - before;
    close(sockets[1]);
    if (child < 0) {
        close(sockets[0]);
        return DEBUG_FORK_FAILED;
    }
    insert(checkpoints, (struct checkpoint){.process = child,
                                            .control = sockets[0],
                                            .moment = moment,
                                            .settings_size = settings_size});
    return DEBUG_FORK_MADE;
}

enum debug_fork debug_checkpoints_stay(uint64_t moment, size_t settings_size,
                                       struct debug_errand *errand, struct text *settings,
                                       int *channel)
{
    int sockets[2];
    const pid_t self = getpid();
    struct error error;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return DEBUG_FORK_FAILED;
    const pid_t child = fork();
    if (child > 0) {
        close(sockets[0]);
        close(*channel);
        wait_for_errands(sockets[1], errand, settings, channel);
        return DEBUG_FORK_ERRAND;
    }
    if (child == 0) {
        const struct debug_message message = {.word = DEBUG_WORD_STAYED,
                                              .process = getpid(),
                                              .moment = moment,
                                              .settings_size = settings_size};
        const struct packet packet = {
            .head = &message, .head_size = sizeof message, .tail = "", .passed = sockets[0]};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self)
            _exit(0);
        (void)send_packet(*channel, &packet, &error);
    }
    close(sockets[0]);
    close(sockets[1]);
    return child == 0 ? DEBUG_FORK_MADE : DEBUG_FORK_FAILED;
}

void debug_checkpoints_adopt(struct debug_checkpoints *checkpoints, bool lives, int control,
                             uint64_t moment, size_t settings_size)
{
    uint64_t *busy = &checkpoints->busy[lives ? 0 : 1];
    if (count_of(checkpoints, true) == LEFT_MAX)
        thin(checkpoints, moment, true);
    if (count_of(checkpoints, true) == LEFT_MAX) {
        close(control); /* with which it ends */
        return;
    }
    insert(checkpoints, (struct checkpoint){.parent = *busy,
                                            .control = control,
                                            .moment = moment,
                                            .settings_size = settings_size});
    *busy = checkpoints->number; /* whose child goes on */
}

uint64_t debug_checkpoints_age(const struct debug_checkpoints *checkpoints)
{
    return checkpoints->made ? clock_now() - checkpoints->made : 0;
}

uint64_t debug_checkpoints_patience(const struct debug_checkpoints *checkpoints)
{
    enum { AS_LONG = 40, REST = 500 * 1000 };
    return AS_LONG * (checkpoints->cost + REST);
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

static uint32_t depth_of(const struct debug_checkpoints *checkpoints, const struct checkpoint *at)
{
    uint32_t depth = 0;
    for (; at && is_left(at); at = find_number(checkpoints, at->parent))
        depth++;
    return depth;
}

enum status debug_checkpoints_send(struct debug_checkpoints *checkpoints, size_t index,
                                   const struct debug_errand *errand, const struct text *settings,
                                   int *channel, struct error *error)
{
    const struct checkpoint *checkpoint = &checkpoints->list[index];
    checkpoints->busy[errand->lives ? 0 : 1] = checkpoint->number;
    const size_t known = checkpoint->settings_size;
    struct debug_errand sent = *errand;
    int sockets[2];
    sent.may_stay = depth_of(checkpoints, checkpoint) < DEPTH_MAX;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return error_set_errno(error, "cannot make a socket to the past");
    const struct packet packet = {.head = &sent,
                                  .head_size = sizeof sent,
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
