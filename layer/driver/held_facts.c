#include "layer/driver/held_facts.h"

#include "checkers/probe/macros.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/pack.h"
#include "trace/base/process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum {
    WAIT_MS = 2000,         /* of a call, from the start of the build */
    PROBE_TIME_MS = 300000, /* of the process */
    ANSWER_MAX = 64 << 20,  /* bytes of facts */
    THREAD_STACK = 256 << 10
};

/* What was found, or is being. Held by the program and by the thread that waits for the process. */
struct held_facts {
    atomic_uint holds;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done; /* under the mutex; from then on nothing changes */
    bool found;
    struct facts facts;
    uint64_t begun_ns;
    _Atomic int64_t process; /* that is looking for it; 0 = none */
    /* What the thread is given, since it does not look at the environment itself. */
    struct text request;
    struct arena arena;
    const char *const *environment;
    char *probe;  /* the program's path */
    bool is_kept; /* is to be in the cache, under the key, once it is found; under the mutex */
    struct cache_key key;
};

/* ---- what was found ---- */

void held_facts_drop(struct held_facts *held)
{
    if (!held || atomic_fetch_sub(&held->holds, 1) != 1)
        return;
    facts_release(&held->facts);
    text_release(&held->request);
    arena_release(&held->arena);
    pthread_cond_destroy(&held->changed);
    pthread_mutex_destroy(&held->mutex);
    alloc_free(held->probe);
    alloc_free(held);
}

struct held_facts *held_facts_hold(struct held_facts *held)
{
    if (held)
        atomic_fetch_add(&held->holds, 1);
    return held;
}

static struct held_facts *make_held(const char *probe)
{
    pthread_condattr_t attributes;
    struct held_facts *held = alloc_zero(1, sizeof *held);
    char *path = held ? alloc_string(probe) : NULL;
    if (!path) {
        alloc_free(held);
        return NULL;
    }
    held->holds = 1;
    held->begun_ns = clock_monotonic_ns();
    held->request = (struct text)TEXT_INIT;
    held->probe = path;
    pthread_mutex_init(&held->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&held->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return held;
}

static void finish(struct held_facts *held, bool found)
{
    pthread_mutex_lock(&held->mutex);
    held->found = found;
    held->done = true;
    pthread_cond_broadcast(&held->changed);
    pthread_mutex_unlock(&held->mutex);
}

/* Locked; by a thread of the program's, since the cache looks at the environment. */
static void store(struct held_facts *held)
{
    struct text text = TEXT_INIT;
    facts_pack(&held->facts, &text);
    if (!text.failed)
        cache_store(held->key, text.bytes, text.size);
    text_release(&text);
    held->is_kept = false;
}

const struct facts *held_facts_wait(struct held_facts *held)
{
    if (!held)
        return NULL;
    const uint64_t until_ns = held->begun_ns + (uint64_t)WAIT_MS * 1000000;
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    int late = 0;
    pthread_mutex_lock(&held->mutex);
    while (!held->done && late == 0)
        late = pthread_cond_timedwait(&held->changed, &held->mutex, &until);
    const bool found = held->done && held->found;
    if (found && held->is_kept)
        store(held);
    pthread_mutex_unlock(&held->mutex);
    return found ? &held->facts : NULL;
}

/* ---- asking the process ---- */

static bool ask_process(struct held_facts *held)
{
    const char *const arguments[] = {held->probe, NULL};
    const struct process_request request = {.arguments = arguments,
                                            .environment = held->environment,
                                            .input = held->request.bytes,
                                            .input_size = held->request.size,
                                            .output_max = ANSWER_MAX,
                                            .output_limited = true,
                                            .timeout_ms = PROBE_TIME_MS,
                                            .hidden = true,
                                            .running = &held->process};
    struct process_result result;
    if (process_own_descriptors(NULL) != STATUS_OK ||
        process_run(&request, &result, NULL) != STATUS_OK)
        return false;
    const struct text *answer = &result.standard_output;
    const bool found = facts_unpack(answer->bytes, answer->size, &held->facts);
    process_result_release(&result);
    return found;
}

static void *ask_in_background(void *user)
{
    struct held_facts *held = user;
    finish(held, ask_process(held));
    held_facts_drop(held);
    return NULL;
}

/* The application's signals are for its own threads. */
static bool start_thread(struct held_facts *held)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started =
        pthread_create(&thread, &attributes, ask_in_background, held_facts_hold(held)) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!started)
        held_facts_drop(held);
    return started;
}

/* ---- the cache ---- */

static struct cache_key key_of(const struct prober *prober, const struct text *request)
{
    struct text identity = TEXT_INIT;
    pack_string(&identity, "facts");
    pack_number(&identity, (uint64_t)prober->file.st_size);
    pack_number(&identity, (uint64_t)prober->file.st_mtim.tv_sec);
    pack_number(&identity, (uint64_t)prober->file.st_mtim.tv_nsec);
    text_append_n(&identity, request->bytes, request->size);
    const struct cache_key key = cache_digest(identity.bytes, identity.size);
    text_release(&identity);
    return key;
}

static bool load(struct held_facts *held)
{
    size_t size;
    uint8_t *bytes = cache_load(held->key, &size);
    const bool found = bytes && facts_unpack(bytes, size, &held->facts);
    alloc_free(bytes);
    if (!found)
        facts_release(&held->facts);
    return found;
}

struct held_facts *held_facts_find_out(const struct prober *prober, const struct request *request)
{
    struct held_facts *held = make_held(prober->path);
    if (!held)
        return NULL;
    request_pack(request, &held->request);
    held->is_kept = !macros_may_be_elsewhere(request); /* the files may change */
    held->key = key_of(prober, &held->request);
    held->environment = process_environment(&held->arena, NULL);
    if (held->is_kept && load(held)) {
        held->is_kept = false;
        finish(held, true);
    } else if (held->request.failed || !held->environment || !start_thread(held)) {
        held_facts_drop(held);
        held = NULL;
    }
    return held;
}

void held_facts_stop(struct held_facts *held)
{
    const pid_t process = held ? (pid_t)held->process : 0;
    if (process > 0)
        kill(-process, SIGKILL);
}

/* ---- the program ---- */

/* It lies beside the layer's library. */
bool prober_init(struct prober *prober)
{
    Dl_info library;
    *prober = (struct prober){0};
    if (!dladdr((const void *)(uintptr_t)prober_init, &library))
        return false;
    char *directory = path_directory(library.dli_fname);
    prober->path = directory ? path_join(directory, "clerk_probe") : NULL;
    alloc_free(directory);
    return prober->path && stat(prober->path, &prober->file) == 0;
}

void prober_release(struct prober *prober)
{
    alloc_free(prober->path);
}
