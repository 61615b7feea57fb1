#include "trace/debug/message.h"

#include "trace/debug/requests.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

enum { LENGTH_SIZE = 4, CHUNK_SIZE = 4096 };

static enum status send_all(int socket, const void *bytes, size_t size, struct error *error)
{
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return error_set_errno(error, "sending a message of the debugger");
        at += sent;
        size -= (size_t)sent;
    }
    return STATUS_OK;
}

enum status message_send(int socket, const char *bytes, size_t size, struct error *error)
{
    if (size > DEBUG_MESSAGE_MAX)
        return error_set(error, STATUS_INVALID, "a message of %zu bytes is longer than %d", size,
                         DEBUG_MESSAGE_MAX);
    uint8_t length[LENGTH_SIZE];
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        length[i] = (uint8_t)(size >> 8 * i);
    const enum status status = send_all(socket, length, sizeof length, error);
    return status == STATUS_OK ? send_all(socket, bytes, size, error) : status;
}

/* *got: what came before the end. */
static enum status receive_all(int socket, void *bytes, size_t size, size_t *got,
                               struct error *error)
{
    *got = 0;
    while (*got < size) {
        const ssize_t count = read(socket, (uint8_t *)bytes + *got, size - *got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno != ECONNRESET)
            return error_set_errno(error, "receiving a message of the debugger");
        if (count <= 0)
            return error_set(error, *got ? STATUS_MALFORMED : STATUS_NOT_FOUND,
                             *got ? "a message of the debugger ends too early"
                                  : "the other side of the debugger has gone");
        *got += (size_t)count;
    }
    return STATUS_OK;
}

enum status message_receive(int socket, struct text *text, struct error *error)
{
    uint8_t length[LENGTH_SIZE];
    uint8_t chunk[CHUNK_SIZE];
    size_t got;
    uint32_t size = 0;
    const size_t before = text->size;
    enum status status = receive_all(socket, length, sizeof length, &got, error);
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        size |= (uint32_t)(status == STATUS_OK ? length[i] : 0) << 8 * i;
    if (size > DEBUG_MESSAGE_MAX)
        return error_set(error, STATUS_MALFORMED, "a message of %u bytes is longer than %d", size,
                         DEBUG_MESSAGE_MAX);
    for (uint32_t done = 0; status == STATUS_OK && done < size; done += (uint32_t)got) {
        status = receive_all(socket, chunk, size - done < CHUNK_SIZE ? size - done : CHUNK_SIZE,
                             &got, error);
        if (status == STATUS_NOT_FOUND)
            status = error_set(error, STATUS_MALFORMED, "a message of the debugger ends too early");
        if (status == STATUS_OK)
            text_append_n(text, chunk, got);
    }
    if (status != STATUS_OK)
        return status;
    if (text->failed)
        return error_no_memory(error, size);
    if (strlen(text->bytes + before) != size)
        return error_set(error, STATUS_MALFORMED, "a message of the debugger has a byte 0");
    return STATUS_OK;
}

bool message_foresee(int socket, bool (*wanted)(const char *bytes, size_t size), bool *closed)
{
    uint8_t bytes[CHUNK_SIZE];
    const ssize_t count = recv(socket, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    const size_t known = count > 0 ? (size_t)count : 0;
    size_t at = 0;
    *closed = count == 0 || (count < 0 && errno == ECONNRESET);
    while (known - at >= LENGTH_SIZE) {
        size_t size = 0;
        for (size_t i = 0; i < LENGTH_SIZE; i++)
            size |= (size_t)bytes[at + i] << 8 * i;
        at += LENGTH_SIZE;
        if (size > known - at)
            return false;
        if (wanted((const char *)bytes + at, size))
            return true;
        at += size;
    }
    return false;
}

bool message_waits(int socket)
{
    struct pollfd poll_for = {.fd = socket, .events = POLLIN};
    return poll(&poll_for, 1, 0) > 0;
}
