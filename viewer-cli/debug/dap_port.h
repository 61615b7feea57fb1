/* A port of the machine itself, at which one editor is waited for. */
#ifndef VIEWER_CLI_DEBUG_DAP_PORT_H
#define VIEWER_CLI_DEBUG_DAP_PORT_H

#include "trace/base/status.h"

#include <stdint.h>

/* Prints the address, "127.0.0.1:4711", and waits for the first connection of our own user: an
 * editor may have any program run, and others of the machine reach the port too. *client becomes
 * the caller's. 0 takes a free port. */
enum status dap_port_accept(uint16_t port, int *client, struct error *error);

#endif
