#include "viewer-cli/debug/dap_port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static enum status listen_at(int listener, uint16_t port, struct error *error)
{
    const int yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (const struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return error_set_errno(error, "cannot listen at port %u", (unsigned)port);
    printf("127.0.0.1:%u\n", ntohs(address.sin_port));
    fflush(stdout);
    return STATUS_OK;
}

/* ---- whose the other end is ---- */

/* In the kernel's table of connections: are there ends with these ports, and all of them open and
 * ours? One that was closed is nobody's. */
static bool table_says_ours(const char *table, unsigned local, unsigned remote)
{
    enum { ESTABLISHED = 1 };
    char line[512];
    bool found = false;
    bool ours = true;
    FILE *file = fopen(table, "re");
    while (file && fgets(line, sizeof line, file)) {
        unsigned ports[2];
        unsigned state;
        unsigned user;
        if (sscanf(line, "%*d: %*[0-9A-F]:%x %*[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %u", &ports[0],
                   &ports[1], &state, &user) != 4 ||
            ports[0] != local || ports[1] != remote)
            continue;
        found = true;
        ours = ours && state == ESTABLISHED && user == getuid();
    }
    if (file)
        fclose(file);
    return found && ours;
}

static bool is_ours(int client)
{
    struct sockaddr_in here;
    struct sockaddr_in there;
    socklen_t size = sizeof here;
    if (getsockname(client, (struct sockaddr *)&here, &size) != 0)
        return false;
    size = sizeof there;
    if (getpeername(client, (struct sockaddr *)&there, &size) != 0)
        return false;
    const unsigned local = ntohs(there.sin_port);
    const unsigned remote = ntohs(here.sin_port);
    return table_says_ours("/proc/net/tcp", local, remote) ||
           table_says_ours("/proc/net/tcp6", local, remote);
}

enum status dap_port_accept(uint16_t port, int *client, struct error *error)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return error_set_errno(error, "cannot make a socket");
    enum status status = listen_at(listener, port, error);
    *client = -1;
    while (!status && *client < 0) {
        *client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (*client < 0 && errno != EINTR) {
            status = error_set_errno(error, "no editor could connect");
        } else if (*client >= 0 && !is_ours(*client)) {
            fputs("clerk dap: a connection that is not of this user was refused\n", stderr);
            close(*client);
            *client = -1;
        }
    }
    close(listener); /* one client is served */
    return status;
}
