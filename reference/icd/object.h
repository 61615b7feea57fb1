/* What every OpenCL object of the device starts with, and how objects live and die.
 *
 * A handle is the address of a `struct _cl_context`, `struct _cl_mem` ..., whose first member is a
 * `struct object`. Two counts keep it alive: `references` are the application's (clRetain,
 * clRelease) and are what CL_*_REFERENCE_COUNT answers; `holds` are the device's own (a queue holds
 * its context, a command its buffers). When both are 0 the object is destroyed. A handle stays
 * valid as long as the object exists.
 *
 * The bytes of a destroyed object are kept for a while, marked dead, so that a released handle
 * gives CL_INVALID_* and not a crash.
 *
 * One lock guards all objects of the device. Functions whose comment says "locked" are called with
 * it held; kernels, transfers, compilers and callbacks run without it. */
#ifndef REFERENCE_ICD_OBJECT_H
#define REFERENCE_ICD_OBJECT_H

#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum object_kind {
    OBJECT_PLATFORM = 1,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEM,
    OBJECT_SAMPLER,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT,
    OBJECT_SEMAPHORE,
    OBJECT_COMMAND_BUFFER,
    OBJECT_MUTABLE_COMMAND,
    OBJECT_KIND_COUNT
};

/* Drops and frees what an object has, before its own bytes. Locked. */
typedef void object_end(void *handle);

struct object {
    const void *dispatch; /* cl_khr_icd: the first member, for the loader */
    uint64_t magic;
    enum object_kind kind;
    cl_uint references, holds;
    object_end *destroy; /* NULL = it never ends */
};

void icd_lock(void);
void icd_unlock(void);
/* Waits, the lock being held, until another thread calls icd_changed. */
void icd_wait_change(void);
/* The same, but no longer than to this time of CLOCK_MONOTONIC: false = it has come. */
bool icd_wait_change_until(const struct timespec *time);
/* Wakes all that wait; called locked after any change that somebody may wait for. */
void icd_changed(void);

/* Starts a thread of the device's, once: *started says whether it runs. It gets no signals. Locked.
 */
bool thread_start(bool *started, void *(*function)(void *));

/* Zeroed memory for an object with one reference, and what ends it; NULL when memory is out. */
void *object_create(enum object_kind kind, size_t size, object_end *destroy);
/* For an object that a constructor could not finish: frees it without destroying what it holds. */
void object_discard(void *handle);
/* Fills the head of an object with static storage, which never ends. */
void object_init_static(void *handle, enum object_kind kind);

/* What a constructor returns: what it made, NULL when it failed, and the code, for an application
 * that wants it. */
static inline void *object_give(void *made, cl_int code, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = code;
    return made;
}
static inline void *object_refuse(cl_int code, cl_int *errcode_ret)
{
    return object_give(NULL, code, errcode_ret);
}

/* Is this the handle of a live object of that kind? Any value may be asked about. */
bool object_is(const void *handle, enum object_kind kind);

/* Locked. */
void object_hold(void *handle);
void object_drop(void *handle);

/* clRetainX and clRelease X: CL_INVALID_X for what is not a live object of the kind. */
cl_int object_retain(void *handle, enum object_kind kind);
cl_int object_release(void *handle, enum object_kind kind);
/* The same; `last` is told when it was the application's last reference. It is called locked, while
 * the object is held. */
cl_int object_release_last(void *handle, enum object_kind kind, object_end *last);
/* What CL_*_REFERENCE_COUNT answers, of a live object. */
cl_uint object_reference_count(void *handle);

#endif
