#include "trace/debug/handover.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A message of one byte that carries a descriptor. */
struct carrier {
    struct msghdr message;
    struct iovec bytes;
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
};

static void prepare(struct carrier *carrier)
{
    memset(carrier, 0, sizeof *carrier);
    carrier->bytes = (struct iovec){.iov_base = &carrier->byte, .iov_len = 1};
    carrier->message.msg_iov = &carrier->bytes;
    carrier->message.msg_iovlen = 1;
    carrier->message.msg_control = carrier->control;
    carrier->message.msg_controllen = sizeof carrier->control;
}

static void send_descriptor(int connection, int descriptor)
{
    struct carrier carrier;
    prepare(&carrier);
    struct cmsghdr *header = CMSG_FIRSTHDR(&carrier.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    /* Who has gone meanwhile does not want it. */
    (void)sendmsg(connection, &carrier.message, MSG_NOSIGNAL);
}

static int receive_descriptor(int connection)
{
    struct carrier carrier;
    int descriptor = -1;
    ssize_t count;
    prepare(&carrier);
    do
        count = recvmsg(connection, &carrier.message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    const struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&carrier.message) : NULL;
    if (header && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof descriptor))
        memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static bool put_path(struct sockaddr_un *address, const char *path)
{
    address->sun_family = AF_UNIX;
    const size_t size = strlen(path) + 1;
    if (size > sizeof address->sun_path)
        return false;
    memcpy(address->sun_path, path, size);
    return true;
}

/* The two descriptors of an offer, as a thread is given them. */
struct offer {
    int listener, socket;
};

/* The first that comes gets it. Who connects later is refused, since nobody listens any more. */
static void *hand_over(void *user)
{
    const struct offer offer = *(struct offer *)user;
    int connection;
    alloc_free(user);
    do
        connection = accept4(offer.listener, NULL, NULL, SOCK_CLOEXEC);
    while (connection < 0 && errno == EINTR);
    shutdown(offer.listener, SHUT_RDWR);
    if (connection >= 0) {
        send_descriptor(connection, offer.socket);
        close(connection);
    }
    close(offer.socket);
    return NULL;
}

static enum status listen_at(struct debug_handover *handover, struct error *error)
{
    struct sockaddr_un address = {0};
    enum status status = scratch_make_directory(&handover->directory, error);
    if (status)
        return status;
    handover->path = path_join(handover->directory.path, "debugger");
    if (!handover->path)
        return error_no_memory(error, 64);
    if (!put_path(&address, handover->path))
        return error_set(error, STATUS_UNSUPPORTED, "the path '%s' is too long for a socket",
                         handover->path);
    handover->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handover->listener < 0 ||
        bind(handover->listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(handover->path, S_IRUSR | S_IWUSR) != 0 || listen(handover->listener, 1) != 0)
        return error_set_errno(error, "cannot make a socket for the debugger");
    return STATUS_OK;
}

enum status debug_handover_offer(struct debug_handover *handover, int socket, struct error *error)
{
    struct offer *offer = NULL;
    pthread_t thread;
    handover->listener = -1;
    enum status status = listen_at(handover, error);
    if (!status && !(offer = alloc_zero(1, sizeof *offer)))
        status = error_no_memory(error, sizeof *offer);
    if (!status) {
        *offer = (struct offer){.listener = handover->listener, .socket = socket};
        errno = pthread_create(&thread, NULL, hand_over, offer);
        if (errno)
            status = error_set_errno(error, "cannot start a thread for the debugger");
        else
            pthread_detach(thread);
    }
    if (status) {
        alloc_free(offer);
        close(socket);
    }
    return status;
}

void debug_handover_release(struct debug_handover *handover)
{
    if (handover->path && handover->listener >= 0) {
        shutdown(handover->listener, SHUT_RDWR); /* the thread goes */
        close(handover->listener);
    }
    scratch_release(&handover->directory);
    alloc_free(handover->path);
    *handover = (struct debug_handover){.path = NULL};
}

int debug_handover_take(const char *path)
{
    struct sockaddr_un address = {0};
    int taken = -1;
    if (!put_path(&address, path))
        return -1;
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection >= 0 &&
        connect(connection, (const struct sockaddr *)&address, sizeof address) == 0)
        taken = receive_descriptor(connection);
    if (connection >= 0)
        close(connection);
    return taken;
}
