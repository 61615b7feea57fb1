/* Counting, validity and the quarantine of dead objects. */
#include "reference/icd/object.h"

#include "reference/icd/dispatch.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/thread.h"

#define MAGIC_LIVE UINT64_C(0x636c65726b6f626a)
#define MAGIC_DEAD UINT64_C(0x636c65726b646561)

/* Dead objects whose bytes are kept; the oldest goes when another one dies. */
enum { QUARANTINE_COUNT = 1024 };
static void *quarantine[QUARANTINE_COUNT];
static size_t quarantine_next;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

__attribute__((constructor)) static void make_condition(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

void icd_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void icd_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void icd_wait_change(void)
{
    pthread_cond_wait(&changed, &mutex);
}

bool icd_wait_change_until(const struct timespec *time)
{
    return pthread_cond_timedwait(&changed, &mutex, time) == 0;
}

void icd_changed(void)
{
    pthread_cond_broadcast(&changed);
}

bool thread_start(bool *started, void *(*function)(void *))
{
    if (!*started)
        *started = thread_start_detached(function, NULL, 0);
    return *started;
}

void object_init_static(void *handle, enum object_kind kind)
{
    struct object *object = handle;
    *object = (struct object){
        .dispatch = icd_dispatch, .magic = MAGIC_LIVE, .kind = kind, .references = 1, .holds = 1};
}

void *object_create(enum object_kind kind, size_t size, object_end *destroy)
{
    ASSERT(size >= sizeof(struct object));
    struct object *object = alloc_zero(1, size);
    if (object) {
        object_init_static(object, kind);
        object->holds = 0;
        object->destroy = destroy;
    }
    return object;
}

void object_discard(void *handle)
{
    alloc_free(handle);
}

bool object_is(const void *handle, enum object_kind kind)
{
    /* No object of ours lies in the first page or at an odd address; the loader has read the first
     * member of any other handle before the call came here. */
    const uintptr_t address = (uintptr_t)handle;
    if (address < 4096 || address % _Alignof(struct object) != 0)
        return false;
    const struct object *object = handle;
    return object->magic == MAGIC_LIVE && object->kind == kind;
}

static void object_destroy(struct object *object)
{
    ASSERT(object->destroy);
    object->destroy(object);
    object->magic = MAGIC_DEAD;
    alloc_free(quarantine[quarantine_next]);
    quarantine[quarantine_next] = object;
    quarantine_next = (quarantine_next + 1) % QUARANTINE_COUNT;
}

void object_hold(void *handle)
{
    struct object *object = handle;
    ASSERT(object->magic == MAGIC_LIVE);
    object->holds++;
}

void object_drop(void *handle)
{
    struct object *object = handle;
    ASSERT(object->magic == MAGIC_LIVE && object->holds > 0);
    object->holds--;
    if (object->holds == 0 && object->references == 0)
        object_destroy(object);
}

cl_uint object_reference_count(void *handle)
{
    icd_lock();
    const cl_uint count = ((struct object *)handle)->references;
    icd_unlock();
    return count;
}

/* CL_INVALID_CONTEXT for OBJECT_CONTEXT, and so on. */
static cl_int object_invalid_code(enum object_kind kind)
{
    static const cl_int codes[OBJECT_KIND_COUNT] = {
        [OBJECT_PLATFORM] = CL_INVALID_PLATFORM,
        [OBJECT_DEVICE] = CL_INVALID_DEVICE,
        [OBJECT_CONTEXT] = CL_INVALID_CONTEXT,
        [OBJECT_QUEUE] = CL_INVALID_COMMAND_QUEUE,
        [OBJECT_MEM] = CL_INVALID_MEM_OBJECT,
        [OBJECT_SAMPLER] = CL_INVALID_SAMPLER,
        [OBJECT_PROGRAM] = CL_INVALID_PROGRAM,
        [OBJECT_KERNEL] = CL_INVALID_KERNEL,
        [OBJECT_EVENT] = CL_INVALID_EVENT,
        [OBJECT_SEMAPHORE] = CL_INVALID_SEMAPHORE_KHR,
        [OBJECT_COMMAND_BUFFER] = CL_INVALID_COMMAND_BUFFER_KHR,
        [OBJECT_MUTABLE_COMMAND] = CL_INVALID_MUTABLE_COMMAND_KHR,
    };
    return codes[kind];
}

cl_int object_retain(void *handle, enum object_kind kind)
{
    icd_lock();
    const bool valid = object_is(handle, kind);
    if (valid)
        ((struct object *)handle)->references++;
    icd_unlock();
    return valid ? CL_SUCCESS : object_invalid_code(kind);
}

cl_int object_release_last(void *handle, enum object_kind kind, object_end *last)
{
    icd_lock();
    struct object *object = handle;
    const bool valid = object_is(handle, kind) && object->references > 0;
    if (valid) {
        object_hold(handle);
        if (--object->references == 0 && last)
            last(handle);
        object_drop(handle);
    }
    icd_unlock();
    return valid ? CL_SUCCESS : object_invalid_code(kind);
}

cl_int object_release(void *handle, enum object_kind kind)
{
    return object_release_last(handle, kind, NULL);
}

/* ---- the calls that do nothing but count ---- */

#define COUNTED(name, verb, type, kind)                                                            \
    cl_int icd_##name(type object)                                                                 \
    {                                                                                              \
        return object_##verb(object, kind);                                                        \
    }
COUNTED(clRetainContext, retain, cl_context, OBJECT_CONTEXT)
COUNTED(clReleaseContext, release, cl_context, OBJECT_CONTEXT)
COUNTED(clRetainCommandQueue, retain, cl_command_queue, OBJECT_QUEUE)
COUNTED(clRetainMemObject, retain, cl_mem, OBJECT_MEM)
COUNTED(clReleaseMemObject, release, cl_mem, OBJECT_MEM)
COUNTED(clRetainSampler, retain, cl_sampler, OBJECT_SAMPLER)
COUNTED(clReleaseSampler, release, cl_sampler, OBJECT_SAMPLER)
COUNTED(clRetainProgram, retain, cl_program, OBJECT_PROGRAM)
COUNTED(clReleaseProgram, release, cl_program, OBJECT_PROGRAM)
COUNTED(clRetainKernel, retain, cl_kernel, OBJECT_KERNEL)
COUNTED(clReleaseKernel, release, cl_kernel, OBJECT_KERNEL)
COUNTED(clRetainEvent, retain, cl_event, OBJECT_EVENT)
COUNTED(clRetainSemaphoreKHR, retain, cl_semaphore_khr, OBJECT_SEMAPHORE)
COUNTED(clRetainCommandBufferKHR, retain, cl_command_buffer_khr, OBJECT_COMMAND_BUFFER)
COUNTED(clReleaseCommandBufferKHR, release, cl_command_buffer_khr, OBJECT_COMMAND_BUFFER)
