/* What commands did to memory objects, and which two of them nothing orders.
 *
 * A *use* is that a command reads or writes bytes of an object. Two uses of common bytes conflict
 * if at least one writes and they are not both atomic; it is a race if neither command happens
 * before the other (checkers/order/commands.h). Atomic ones race as well if their scopes do not
 * reach from one command to the other. Besides there are two rules of OpenCL's own: an object that
 * is mapped for writing is not to be used, one that is mapped for reading not to be written, until
 * it is unmapped (OpenCL API 3.0, 5.5.3: "irrespective of whether the mapped regions span the
 * entire memory object"); and atomic updates by two unordered kernels are guaranteed nothing,
 * whatever bytes they touch (3.3.6).
 *
 * Of two commands that clash in several places one is told: where both use the bytes for certain
 * (use.h), if there is one.
 *
 * Uses are told once the past of their command is final: when the device has executed it, or when
 * command_is_settled. Each is compared with those told before, then kept until the host knows that
 * its command has ended: whatever comes later is ordered after that. Any thread; who tells of a
 * command, or asks about one, has its queue locked (commands_queue_lock), or all. */
#ifndef CHECKERS_ORDER_USES_H
#define CHECKERS_ORDER_USES_H

#include "checkers/order/commands.h"
#include "checkers/order/use.h"

/* The uses that are kept of one object; older ones are forgotten. Bits, of all uses, are kept up to
 * 64 MiB. */
enum { USES_MAX = 1024 };

struct uses;

/* What a command is called, for reports: the library only keeps and returns it. */
enum { USE_DETAIL_SIZE = 40 };
struct use_origin {
    const char *function;         /* the entry point, a literal */
    char detail[USE_DETAIL_SIZE]; /* "'sum'", the kernel; "" = none */
    uint64_t queue;               /* the queue's ordinal */
    uint64_t call_id, stack;      /* of the call that enqueues it */
    /* Of what a command-buffer executes: `function` is the call that recorded it, and this its id
     * and stack. */
    bool recorded;
    uint64_t recorded_call_id, recorded_stack;
};

struct use_side {
    const struct use_origin *origin;
    enum use_kind kind;
    enum use_reach reach;
    uint64_t device;
    bool possible, own_memory;
};

enum uses_clash {
    USES_RACE,
    USES_SCOPES,  /* both are atomic, and not both reach the other */
    USES_MAPPED,  /* the earlier side is a mapping that has not ended before the later command */
    USES_ATOMICS, /* both are atomic; first and size are 0 */
};

struct uses_conflict {
    enum uses_clash clash;
    uint64_t object;
    uint64_t first, size; /* the first bytes that both touch, without a gap */
    struct use_side earlier, later;
    unsigned why; /* command_why_unordered */
};
/* What it is told of lives until it returns. */
typedef void uses_report(void *user, const struct uses_conflict *conflict);

/* The two may clash, and of one it will be known (use.h: `awaited`): true when the receiver decides
 * later whether they do, which is not reported here then. Every such pair is told. `earlier` has
 * the bytes that are mapped, if it is a mapping; `why` is there, and all lives until it returns.
 * What is locked is locked: it calls nothing of this library. */
typedef bool uses_postpone(void *user, const struct uses_conflict *conflict,
                           const struct use *earlier, const struct use *later);

/* NULL when memory is out. `commands` is borrowed. */
struct uses *uses_create(struct commands *commands, uses_report *report, void *user);
void uses_destroy(struct uses *uses);
/* Before anything is told; with the user of the other function. */
void uses_set_postpone(struct uses *uses, uses_postpone *postpone);

/* The command makes these uses; bits are copied. Unless `keep`, they are judged only. Threads that
 * use objects of their own in queues of their own do not wait for each other. */
void uses_add(struct uses *uses, struct ordered_command *command, const struct use_origin *origin,
              const struct use *added, size_t count, bool keep);

/* The command maps: it makes the use, and from then on the bytes of `whole` are mapped, for reading
 * or writing as the use says, until the command that uses_unmap tells. `handle` finds it again:
 * the oldest mapping of the object with that handle. */
void uses_map(struct uses *uses, struct ordered_command *command, const struct use_origin *origin,
              const struct use *use, const struct use_bytes *whole, uint64_t handle);
void uses_unmap(struct uses *uses, uint64_t object, uint64_t handle,
                struct ordered_command *command);
/* Is any of the object mapped, or unmapped by a command that this one does not follow? */
bool uses_is_mapped(struct uses *uses, uint64_t object, const struct ordered_command *command);

/* Is any use kept at all; of the object? Without a lock, and those that only may have any without
 * looking closely: that is an upper bound, but for the object 0. */
bool uses_has_any(const struct uses *uses);
bool uses_may_have(const struct uses *uses, uint64_t object);
bool uses_may_have_write(const struct uses *uses, uint64_t object);
/* Do commands write any of these bytes, of which the host does not know that they have ended? */
bool uses_has_write(struct uses *uses, uint64_t object, const struct use_bytes *bytes);
/* The object is no more. */
void uses_forget(struct uses *uses, uint64_t object);

#endif
