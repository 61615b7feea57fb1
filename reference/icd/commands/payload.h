/* The payload of a binary semaphore that several processes have (cl_khr_external_semaphore): one
 * word in a memory file, which everybody maps who has the semaphore.
 *
 * A descriptor that is handed out is an open file description of its own, made anew for each. So
 * locks tell who there is: who has the semaphore holds one on byte 0 by its own description, and a
 * descriptor that was handed out one on byte 1, wherever it is: duplicated, in another process or
 * on its way through a socket. The system gives them back with the last descriptor, however that
 * ends. */
#ifndef REFERENCE_ICD_COMMANDS_PAYLOAD_H
#define REFERENCE_ICD_COMMANDS_PAYLOAD_H

#include "trace/base/status.h"

#include <stdbool.h>

struct payload;

/* One that is not signalled. */
enum status payload_create(struct payload **payload, struct error *error);
/* A new descriptor of it, the caller's. */
enum status payload_export(struct payload *payload, int *descriptor, struct error *error);
/* The payload that payload_export gave the descriptor of, here or elsewhere. The number then
 * belongs to the payload, which closes it. STATUS_INVALID: it is no such descriptor, and stays as
 * it is. */
enum status payload_import(int descriptor, struct payload **payload, struct error *error);
void payload_destroy(struct payload *payload);
/* Closes the number that was imported: nobody has it any more, though somebody waits still. */
void payload_let_go(struct payload *payload);

void payload_signal(struct payload *payload);
/* If it is signalled: it is not any more, and the caller has waited for it. */
bool payload_take(struct payload *payload);
bool payload_is_signalled(const struct payload *payload);

/* There were others who had it, or could have got it, and now ... */
enum payload_company {
    PAYLOAD_SHARED,  /* there may be, as far as the system tells */
    PAYLOAD_LEFT,    /* who had it has it no more; a descriptor of it may be left */
    PAYLOAD_ALONE,   /* nobody can have it any more, but by a new descriptor of this one */
    PAYLOAD_PRIVATE, /* ... and there never were */
};
enum payload_company payload_company(const struct payload *payload);

#endif
