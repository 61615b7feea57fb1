/* A program that takes longer to load than to work is loaded once and forked for each request: its
 * server is the program itself, stopped before main() by a library that is loaded into it
 * (served.c).
 *
 * Servers stand in a directory that nobody but the user may write, each as a socket. A server works
 * for processes that are in its circumstances alone (namespaces, limits, privileges, what the
 * dynamic linker reads: process_server_name), so that what it forks is what a process that we start
 * would be. It ends when for a while nobody has asked.
 *
 * Who asks sends a struct process_server_request with the descriptors below, and then `size` bytes:
 * the arguments, then the environment, each string with its NUL. A byte comes back before a process
 * is forked, and an int as wait() has it when that has ended. Closing the connection ends it
 * with all that it started. */
#ifndef TRACE_BASE_PROCESS_SERVER_H
#define TRACE_BASE_PROCESS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROCESS_SERVER_DIRECTORY = 3, /* the descriptor after the standard three: where to work */
    PROCESS_SERVER_DESCRIPTORS,
    PROCESS_SERVER_BYTES_MAX = 4 << 20,
};

/* In the server's environment: how many milliseconds it waits for a request, and the path of its
 * socket, which it removes at its end. */
#define PROCESS_SERVER_IDLE   "CLERK_SERVER_IDLE"
#define PROCESS_SERVER_SOCKET "CLERK_SERVER_SOCKET"

struct process_server_request {
    uint32_t argument_count, environment_count;
    uint64_t size;
    uint64_t memory_max;  /* bytes; 0 = as many as the server */
    uint64_t seconds_max; /* of processor time; 0 likewise */
};

struct process_server {
    const char *directory; /* which need not be there yet */
    const char *name;      /* of the socket, up to 32 characters */
    const char *library;   /* is loaded into the program */
    const char *idle;      /* PROCESS_SERVER_IDLE=N */
};

struct process_request;
struct text;

/* Appends all that has to be the same for a server of this program to fit us: a name is to be made
 * of it. False when it cannot be known. Any thread. */
bool process_server_circumstances(const char *program, struct text *text);

/* Each returns a descriptor, or -1 when there is none. */
int process_server_connect(const struct process_server *server);
int process_server_listen(const struct process_server *server);
/* Which process is the server that was started. While it stays a zombie, because whoever gets
 * orphans here asks for none of them, no other one comes about. */
void process_server_remember(const struct process_server *server, int64_t id);
/* That such servers do not come about here: nobody is to try again. */
void process_server_give_up(const struct process_server *server);

/* Sends it; `streams` are the standard three of the process that is wanted. */
bool process_server_ask(int connection, const struct process_request *request, uint64_t seconds_max,
                        const int *streams);
/* Waits until it is about to be forked; false = it will not be, and nobody reads its input. */
bool process_server_took(int connection);
/* Waits until it has ended: false = it has not within `wait_ms` (-1 = for ever). Of one whose
 * server is gone the wait status is that of a kill. */
bool process_server_wait(int connection, int wait_ms, int *wait_status);

#endif
