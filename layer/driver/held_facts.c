#include "layer/driver/held_facts.h"

#include "checkers/probe/macros.h"
#include "checkers/probe/reply.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/base/thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum {
    WAIT_MS = 2000,          /* of a call, from the start of the build */
    CHECKED_WAIT_MS = 10000, /* where kernels are to be checked */
    PROBE_TIME_MS = 300000,  /* of the process */
    ANSWER_MAX = 256 << 20,  /* bytes of facts and of the checked copy */
    THREAD_STACK = 256 << 10
};

/* What was found, or is being. Held by programs and by the thread that waits for the process. */
struct held_facts {
    atomic_uint holds;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done; /* under the mutex; from then on nothing changes but keys */
    bool found;
    struct facts facts;
    struct checked checked;     /* of no part if it was not asked for */
    struct text packed;         /* the facts, when they are found, as an answer without a copy */
    struct text answer;         /* what the process wrote; empty if it came from the cache */
    struct cache_key *keys;     /* that the cache is to have them under, when they are found; */
    size_t key_count, key_room; /* under the mutex */
    struct cache_key key;       /* of what was asked */
    bool is_kept;               /* the answer is to be in the cache under it */
    uint64_t begun_ns;
    _Atomic int64_t process; /* that is looking for it; 0 = none */
    /* What the thread is given, since it does not look at the environment itself. */
    struct text request;
    struct arena arena;
    const char *const *environment;
    char *probe; /* the program's path; NULL: it came from the cache */
    char *cache; /* the directory; NULL = none */
};

/* ---- what was found ---- */

void held_facts_drop(struct held_facts *held)
{
    if (!held || atomic_fetch_sub(&held->holds, 1) != 1)
        return;
    facts_release(&held->facts);
    checked_release(&held->checked);
    text_release(&held->packed);
    text_release(&held->answer);
    text_release(&held->request);
    arena_release(&held->arena);
    pthread_cond_destroy(&held->changed);
    pthread_mutex_destroy(&held->mutex);
    alloc_free(held->keys);
    alloc_free(held->cache);
    alloc_free(held->probe);
    alloc_free(held);
}

struct held_facts *held_facts_hold(struct held_facts *held)
{
    if (held)
        atomic_fetch_add(&held->holds, 1);
    return held;
}

static struct held_facts *make_held(struct cache_key key)
{
    pthread_condattr_t attributes;
    struct held_facts *held = alloc_zero(1, sizeof *held);
    if (!held)
        return NULL;
    held->holds = 1;
    held->key = key;
    held->begun_ns = clock_monotonic_ns();
    held->packed = (struct text)TEXT_INIT;
    held->answer = (struct text)TEXT_INIT;
    held->request = (struct text)TEXT_INIT;
    held->cache = cache_directory();
    pthread_mutex_init(&held->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&held->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return held;
}

/* Under the key of a binary. Facts of the same bytes that differ cannot both be right: then the
 * entry has none. */
static void store(const struct held_facts *held, struct cache_key key)
{
    static const struct facts none;
    size_t size;
    uint8_t *before = cache_load_from(held->cache, key, &size);
    struct text nothing = TEXT_INIT;
    reply_pack(&none, NULL, &nothing);
    if (!before)
        cache_store_in(held->cache, key, held->packed.bytes, held->packed.size);
    else if (!nothing.failed &&
             (size != held->packed.size || memcmp(before, held->packed.bytes, size) != 0))
        cache_store_in(held->cache, key, nothing.bytes, nothing.size);
    text_release(&nothing);
    alloc_free(before);
}

/* Locked. */
static void store_all(struct held_facts *held)
{
    if (held->found && held->cache && held->is_kept)
        cache_store_in(held->cache, held->key, held->answer.bytes, held->answer.size);
    for (size_t i = 0; held->found && held->cache && i < held->key_count; i++)
        store(held, held->keys[i]);
    held->is_kept = false;
    held->key_count = 0;
    text_release(&held->answer);
}

static void finish(struct held_facts *held, bool found)
{
    if (found)
        reply_pack(&held->facts, NULL, &held->packed);
    pthread_mutex_lock(&held->mutex);
    held->found = found && !held->packed.failed;
    held->done = true;
    store_all(held);
    pthread_cond_broadcast(&held->changed);
    pthread_mutex_unlock(&held->mutex);
}

void held_facts_keep(struct held_facts *held, struct cache_key key)
{
    pthread_mutex_lock(&held->mutex);
    struct cache_key *grown =
        alloc_grow(held->keys, held->key_count, &held->key_room, sizeof *grown);
    if (grown) {
        held->keys = grown;
        held->keys[held->key_count++] = key;
    }
    if (held->done)
        store_all(held);
    pthread_mutex_unlock(&held->mutex);
}

static bool is_found(struct held_facts *held)
{
    pthread_mutex_lock(&held->mutex);
    const bool found = held->done && held->found;
    pthread_mutex_unlock(&held->mutex);
    return found;
}

bool held_facts_agree(struct held_facts *a, struct held_facts *b)
{
    if (a->key.lo == b->key.lo && a->key.hi == b->key.hi)
        return true;
    return is_found(a) && is_found(b) && a->packed.size == b->packed.size &&
           memcmp(a->packed.bytes, b->packed.bytes, a->packed.size) == 0;
}

static bool wait_for(struct held_facts *held, unsigned ms)
{
    const uint64_t until_ns = held->begun_ns + (uint64_t)ms * 1000000;
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    int late = 0;
    pthread_mutex_lock(&held->mutex);
    while (!held->done && late == 0)
        late = pthread_cond_timedwait(&held->changed, &held->mutex, &until);
    const bool found = held->done && held->found;
    pthread_mutex_unlock(&held->mutex);
    return found;
}

const struct facts *held_facts_wait(struct held_facts *held)
{
    return held && wait_for(held, WAIT_MS) ? &held->facts : NULL;
}

const struct checked *held_facts_wait_checked(struct held_facts *held, const struct facts **facts)
{
    if (!held || !wait_for(held, CHECKED_WAIT_MS))
        return NULL;
    *facts = &held->facts;
    return &held->checked;
}

bool held_facts_have_ended(struct held_facts *held)
{
    pthread_mutex_lock(&held->mutex);
    const bool ended = held->done;
    pthread_mutex_unlock(&held->mutex);
    return ended;
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
    held->answer = result.standard_output;
    result.standard_output = (struct text)TEXT_INIT;
    process_result_release(&result);
    return reply_unpack(held->answer.bytes, held->answer.size, &held->facts, &held->checked);
}

static void *ask_in_background(void *user)
{
    struct held_facts *held = user;
    finish(held, ask_process(held));
    held_facts_drop(held);
    return NULL;
}

static bool start_thread(struct held_facts *held)
{
    const bool started =
        thread_start_detached(ask_in_background, held_facts_hold(held), THREAD_STACK);
    if (!started)
        held_facts_drop(held);
    return started;
}

/* ---- where it comes from ---- */

/* The digest of what was asked of which clerk_probe. */
static struct cache_key key_of(const struct prober *prober, const char *kind, const void *bytes,
                               size_t size)
{
    const struct cache_key digest = cache_digest(bytes, size);
    const uint64_t identity[] = {cache_digest(kind, strlen(kind)).lo,
                                 (uint64_t)prober->file.st_size,
                                 (uint64_t)prober->file.st_mtim.tv_sec,
                                 (uint64_t)prober->file.st_mtim.tv_nsec,
                                 size,
                                 digest.lo,
                                 digest.hi};
    return cache_digest(identity, sizeof identity);
}

struct cache_key held_facts_binary_key(const struct prober *prober, const void *bytes, size_t size)
{
    return key_of(prober, "facts of a binary", bytes, size);
}

static bool load(struct held_facts *held)
{
    size_t size = 0;
    uint8_t *bytes = held->cache ? cache_load_from(held->cache, held->key, &size) : NULL;
    const bool found = bytes && reply_unpack(bytes, size, &held->facts, &held->checked);
    alloc_free(bytes);
    if (found)
        finish(held, true);
    return found;
}

struct held_facts *held_facts_load(struct cache_key key)
{
    struct held_facts *held = make_held(key);
    if (!held || load(held))
        return held;
    held_facts_drop(held);
    return NULL;
}

static bool ask(struct held_facts *held, const struct prober *prober, bool is_kept)
{
    held->probe = alloc_string(prober->path);
    held->environment = process_environment(&held->arena, NULL);
    held->is_kept = is_kept;
    return held->probe && held->environment && start_thread(held);
}

struct held_facts *held_facts_find_out(const struct prober *prober, const struct request *request)
{
    const bool is_kept = !macros_may_be_elsewhere(request); /* the files may change */
    struct text packed = TEXT_INIT;
    request_pack(request, &packed);
    struct held_facts *held =
        packed.failed ? NULL : make_held(key_of(prober, "facts", packed.bytes, packed.size));
    if (!held) {
        text_release(&packed);
        return NULL;
    }
    held->request = packed;
    if ((is_kept && load(held)) || ask(held, prober, is_kept))
        return held;
    held_facts_drop(held);
    return NULL;
}

void held_facts_stop(struct held_facts *held)
{
    const pid_t process = held ? (pid_t)held->process : 0;
    if (process > 0)
        kill(-process, SIGKILL);
}

const void *held_facts_request(const struct held_facts *held, size_t *size)
{
    *size = held->request.size;
    return held->request.bytes;
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
