#include "layer/probes/running.h"

#include "layer/probes/capture.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct running {
    pthread_mutex_t mutex;           /* no call of the driver while it is held */
    const struct captured *captured; /* NULL = nothing is to be written any more */
    char *path;
    atomic_size_t reads;   /* that have not ended */
    atomic_size_t holders; /* its owner, and callbacks that are still to come */
};

static void drop(struct running *running)
{
    if (atomic_fetch_sub(&running->holders, 1) != 1)
        return;
    pthread_mutex_destroy(&running->mutex);
    alloc_free(running->path);
    alloc_free(running);
}

/* ---- the file ---- */

static void write_file(struct running *running)
{
    pthread_mutex_lock(&running->mutex);
    if (running->captured)
        capture_write(running->captured, running->path);
    pthread_mutex_unlock(&running->mutex);
}

static void remove_file(struct running *running)
{
    pthread_mutex_lock(&running->mutex);
    running->captured = NULL;
    unlink(running->path);
    pthread_mutex_unlock(&running->mutex);
}

/* ---- what the driver tells ---- */

static void CL_CALLBACK read_has_ended(cl_event event, cl_int status, void *user)
{
    struct running *running = user;
    (void)event;
    if (status < 0)
        remove_file(running);
    if (atomic_fetch_sub(&running->reads, 1) == 1)
        write_file(running);
    drop(running);
}

static void CL_CALLBACK launch_has_ended(cl_event event, cl_int status, void *user)
{
    struct running *running = user;
    (void)event;
    (void)status;
    remove_file(running);
    drop(running);
}

static bool tell(struct running *running, cl_event event,
                 void(CL_CALLBACK *function)(cl_event, cl_int, void *))
{
    atomic_fetch_add(&running->holders, 1);
    if (LAYER_TARGET(clSetEventCallback)(event, CL_COMPLETE, function, running) == CL_SUCCESS)
        return true;
    drop(running);
    return false;
}

/* ---- the launch ---- */

struct running *running_begin(const struct captured *captured, const cl_event *reads, size_t count,
                              const char *path)
{
    struct running *running =
        LAYER_TARGET(clSetEventCallback) ? alloc_zero(1, sizeof *running) : NULL;
    if (!running)
        return NULL;
    pthread_mutex_init(&running->mutex, NULL);
    running->captured = captured;
    running->path = alloc_string(path);
    atomic_init(&running->reads, count);
    atomic_init(&running->holders, 1);
    bool is_told = running->path != NULL;
    for (size_t i = 0; i < count && is_told; i++)
        is_told = tell(running, reads[i], read_has_ended);
    if (is_told && count == 0)
        write_file(running);
    if (is_told)
        return running;
    pthread_mutex_lock(&running->mutex);
    running->captured = NULL;
    pthread_mutex_unlock(&running->mutex);
    drop(running);
    return NULL;
}

void running_launched(struct running *running, cl_event event)
{
    if (!tell(running, event, launch_has_ended))
        remove_file(running);
}

void running_end(struct running *running, bool has_ended)
{
    if (!running)
        return;
    if (has_ended)
        remove_file(running);
    pthread_mutex_lock(&running->mutex);
    running->captured = NULL;
    pthread_mutex_unlock(&running->mutex);
    drop(running);
}
