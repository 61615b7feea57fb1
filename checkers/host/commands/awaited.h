/* Launches of which it will be known which bytes they really used, once they have ended: from
 * whoever watches them run (host_checker_await). What such a launch may clash with until then is
 * kept here, and decided when that is known: a clash in bytes that both used is certain; without
 * any there is none; and of a launch that is never told of it stays unclear.
 *
 * Any thread. Nothing is called with the lock, so that these may be called with any. */
#ifndef CHECKERS_HOST_COMMANDS_AWAITED_H
#define CHECKERS_HOST_COMMANDS_AWAITED_H

#include "checkers/host/commands/commands.h"
#include "checkers/order/uses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct awaited;

/* Clashes that are decided go to `report`. NULL when memory is out. */
struct awaited *awaited_create(uses_report *report, void *user);
void awaited_destroy(struct awaited *awaited); /* NULL is fine */

/* Of the launch that this call enqueues it will be known how it used these objects. False when
 * memory is out: it will not. */
bool awaited_add(struct awaited *awaited, uint64_t call_id, const uint64_t *objects, size_t count);
/* The call has returned; NULL = nothing is known of its command, which it may hold. */
void awaited_bind(struct awaited *awaited, uint64_t call_id, struct ordered_command *command);
/* What the call's command may use, with a mark where it is awaited: `found`, or `room`. */
const struct call_uses *awaited_mark(struct awaited *awaited, uint64_t call_id,
                                     const struct call_uses *found, struct call_uses *room);
/* A uses_postpone. Of a launch that has been told of or given up meanwhile, which another thread
 * may do while a command is enqueued, nothing more is said. */
bool awaited_postpone(struct awaited *awaited, const struct uses_conflict *conflict,
                      const struct use *earlier, const struct use *later);

/* Does the host know that the launch has ended, so that no more clashes come? */
bool awaited_is_over(struct awaited *awaited, struct commands *commands, uint64_t call_id);
/* Does a clash depend on how it used the object? */
bool awaited_wants(struct awaited *awaited, uint64_t call_id, uint64_t object);
/* All that it did to the object; bits are copied. */
void awaited_tell(struct awaited *awaited, uint64_t call_id, uint64_t object,
                  const struct use *uses, size_t count);
/* Nothing more is known of it. */
void awaited_end(struct awaited *awaited, uint64_t call_id);

#endif
