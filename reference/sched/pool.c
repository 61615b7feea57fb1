#include "reference/sched/pool.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { STACK_SIZE = 1 << 20 };

/* The work of one launch. Who comes takes the next index. */
struct job {
    void (*work)(void *user, uint32_t index);
    void *user;
    uint32_t count, taken, ended; /* indices; 0 is the launching thread's */
};

static struct pool {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    uint32_t thread_count; /* that were made */
    bool busy;
    struct job job;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begun = PTHREAD_COND_INITIALIZER,
          .ended = PTHREAD_COND_INITIALIZER};

/* Takes indices of the job as long as there are any. Locked, but for the work. */
static void help(void)
{
    struct job *job = &pool.job;
    while (job->taken < job->count) {
        const uint32_t index = job->taken++;
        pthread_mutex_unlock(&pool.lock);
        job->work(job->user, index);
        pthread_mutex_lock(&pool.lock);
        if (++job->ended == job->count)
            pthread_cond_signal(&pool.ended);
    }
}

static void *thread_main(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        help();
        pthread_cond_wait(&pool.begun, &pool.lock);
    }
    return NULL;
}

/* A child has the thread that forked, and no other. */
static void forget(void)
{
    pool = (struct pool){.lock = PTHREAD_MUTEX_INITIALIZER,
                         .begun = PTHREAD_COND_INITIALIZER,
                         .ended = PTHREAD_COND_INITIALIZER};
}

static void note_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

/* Signals are the program's threads' business, but for those that an instruction brings about. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

/* Makes threads until there are so many, or no more can be made. Locked. */
static void make_threads(uint32_t count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_attr_t attributes;
    sigset_t before;
    if (pool.thread_count >= count || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    block_signals(&before);
    while (pool.thread_count < count) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, thread_main, NULL) != 0)
            break;
        pthread_setname_np(thread, "clerk-worker");
        pool.thread_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    pthread_once(&once, note_forks);
}

bool pool_run(uint32_t count, void (*work)(void *user, uint32_t index), void *user)
{
    bool runs = false;
    pthread_mutex_lock(&pool.lock);
    if (!pool.busy)
        make_threads(count - 1);
    if (!pool.busy && pool.thread_count > 0) {
        runs = pool.busy = true;
        pool.job = (struct job){.work = work, .user = user, .count = count};
        pthread_cond_broadcast(&pool.begun);
        help();
        while (pool.job.ended < count)
            pthread_cond_wait(&pool.ended, &pool.lock);
        pool.busy = false;
    }
    pthread_mutex_unlock(&pool.lock);
    return runs;
}

/* ---- what there is ---- */

/* The first two numbers of the control group's file; 0 = none, as of a limit "max". */
static void read_limit(const char *path, uint64_t *first, uint64_t *second)
{
    char *text = NULL;
    size_t size = 0;
    struct error error;
    *first = *second = 0;
    if (file_read_text(path, 256, &text, &size, &error) == STATUS_OK) {
        char *end = NULL;
        *first = strtoull(text, &end, 10);
        *second = strtoull(end, NULL, 10);
    }
    alloc_free(text);
}

/* "QUOTA PERIOD": what it is worth in processors. */
static uint32_t quota(void)
{
    uint64_t allowed;
    uint64_t period;
    read_limit("/sys/fs/cgroup/cpu.max", &allowed, &period);
    if (allowed == 0 || period == 0 || allowed / period >= POOL_THREADS_MAX)
        return POOL_THREADS_MAX;
    return allowed < period ? 1 : (uint32_t)(allowed / period);
}

uint32_t pool_processors(void)
{
    cpu_set_t bound;
    const int found = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : 1;
    const uint32_t most = quota();
    return found < 1 ? 1 : (uint32_t)found < most ? (uint32_t)found : most;
}

static uint64_t memory;

static void find_memory(void)
{
    uint64_t limit;
    uint64_t unused;
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
    read_limit("/sys/fs/cgroup/memory.max", &limit, &unused);
    if (limit > 0 && limit < memory)
        memory = limit;
}

uint64_t pool_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_memory);
    return memory / 8;
}
