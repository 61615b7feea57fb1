#include "reference/sched/pool.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/file.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_SIZE = 1 << 20 };
/* Looks for the end of a job that the launching thread takes before it sleeps: tens of
 * microseconds, which is what waking it would take. */
enum { LOOKS = 1000 };

/* The job of one launch, whose indices those take who come. Threads sleep and wake by futex and
 * not by a condition: all of them would have to pass its lock, one after the other, which took 16
 * threads a millisecond. */
static struct pool {
    pthread_mutex_t launching; /* held by the thread that has a job done */
    uint32_t thread_count;     /* that were made */
    void (*work)(void *user, uint32_t index);
    void *user;
    /* The number of the job, the index that is next and how many there are, in one: who comes late
     * takes no index of a job that is another one by then. */
    uint64_t tickets;
    uint32_t begun; /* jobs. Threads sleep until it changes. */
    uint32_t left;  /* indices that have not ended. The launching thread sleeps until it is 0. */
} pool = {.launching = PTHREAD_MUTEX_INITIALIZER};

static void sleep_while(const uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(const uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static uint64_t make_tickets(uint32_t job, uint32_t count)
{
    return (uint64_t)job << 32 | count;
}

static bool take_index(uint32_t *index)
{
    uint64_t tickets = __atomic_load_n(&pool.tickets, __ATOMIC_ACQUIRE);
    do {
        *index = (uint16_t)(tickets >> 16);
        if (*index == (uint16_t)tickets)
            return false;
    } while (!__atomic_compare_exchange_n(&pool.tickets, &tickets, tickets + (1U << 16), true,
                                          __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return true;
}

/* Takes indices of the job as long as there are any. */
static void help(void)
{
    uint32_t index;
    while (take_index(&index)) {
        pool.work(pool.user, index);
        if (__atomic_sub_fetch(&pool.left, 1, __ATOMIC_ACQ_REL) == 0)
            wake(&pool.left);
    }
}

static void *thread_main(void *unused)
{
    (void)unused;
    for (;;) {
        const uint32_t begun = __atomic_load_n(&pool.begun, __ATOMIC_ACQUIRE);
        help();
        sleep_while(&pool.begun, begun);
    }
    return NULL;
}

/* A child has the thread that forked, and no other. */
static void forget(void)
{
    pool = (struct pool){.launching = PTHREAD_MUTEX_INITIALIZER};
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

/* Makes threads until there are so many, or no more can be made. */
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

static void begin_job(uint32_t count)
{
    const uint32_t job = pool.begun + 1;
    pool.left = count;
    __atomic_store_n(&pool.tickets, make_tickets(job, count), __ATOMIC_RELEASE);
    __atomic_store_n(&pool.begun, job, __ATOMIC_RELEASE);
    wake(&pool.begun);
}

static void await_end(void)
{
    uint32_t left = __atomic_load_n(&pool.left, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; left > 0; i++) {
        if (i >= LOOKS)
            sleep_while(&pool.left, left);
        left = __atomic_load_n(&pool.left, __ATOMIC_ACQUIRE);
    }
}

bool pool_run(uint32_t count, void (*work)(void *user, uint32_t index), void *user)
{
    ASSERT(count <= POOL_THREADS_MAX);
    if (pthread_mutex_trylock(&pool.launching) != 0)
        return false;
    make_threads(count - 1);
    const bool runs = pool.thread_count > 0;
    if (runs) {
        pool.work = work;
        pool.user = user;
        begin_job(count);
        help();
        await_end();
    }
    pthread_mutex_unlock(&pool.launching);
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
