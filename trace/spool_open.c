/* A spool from its opening to its end. */
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/process.h"
#include "trace/claim.h"
#include "trace/spool_directory.h"
#include "trace/spool_private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

static _Atomic(struct spool *) all_spools;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static enum status store_machine(struct store *store, struct error *error)
{
    struct utsname names;
    if (uname(&names) != 0)
        return STATUS_OK;
    char processors[32];
    snprintf(processors, sizeof processors, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    const char *const facts[][2] = {
        {"system", names.sysname},       {"release", names.release}, {"host", names.nodename},
        {"architecture", names.machine}, {"processors", processors},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; ++i)
        status = store_fact(store, store_string(facts[i][0]), store_string(facts[i][1]), error);
    return status;
}

static enum status store_origin(struct spool *spool, struct error *error)
{
    struct text command = TEXT_INIT;
    char program[4096];
    char directory[4096];
    char id[32];
    char time_text[40];
    const time_t now = time(NULL);
    struct tm parts;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = 0;
    if (!getcwd(directory, sizeof directory))
        directory[0] = 0;
    snprintf(id, sizeof id, "%ld", (long)getpid());
    gmtime_r(&now, &parts);
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    process_command_line(&command);
    const char *const facts[][2] = {
        {"clerk_version", CLERK_VERSION},
        {"program", program},
        {"command", command.bytes},
        {"directory", directory},
        {"process", id},
        {"start_time", time_text},
        {"state", "recording"},
        {"asked_for", path_base(spool->asked_for)},
    };
    enum status status = store_begin(spool->store, error);
    for (size_t i = 0; i < sizeof facts / sizeof *facts && !status; ++i)
        status = store_meta(spool->store, facts[i][0], facts[i][1], error);
    if (!status)
        status = store_machine(spool->store, error);
    if (!status)
        status = store_commit(spool->store, error);
    text_release(&command);
    return status;
}

enum status spool_begin(struct spool *spool, struct error *error)
{
    enum status status = process_own_descriptors(error);
    /* Segments first: they show whether there is room, before SQLite needs it. */
    if (!status)
        status = spool_make_spares(spool, error);
    if (!status)
        status = store_create(spool->path, &spool->store, error);
    if (!status)
        status = store_limit_log(spool->store, spool->sizes.log, error);
    if (!status)
        status = ingest_create(spool->store, &spool->ingest, error);
    return status ? status : store_origin(spool, error);
}

static enum status create_thread(struct spool *spool, struct error *error)
{
    /* The application's signals are for its own threads. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int refused = pthread_create(&spool->thread, NULL, spool_drain, spool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (refused) {
        errno = refused;
        return error_set_errno(error, "cannot start a thread for the trace '%s'", spool->path);
    }
    pthread_setname_np(spool->thread, "clerk-trace");
    return STATUS_OK;
}

/* Returns when the trace is there. */
static enum status start_thread(struct spool *spool, struct error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&spool->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&spool->mutex, NULL);
    const enum status status = create_thread(spool, error);
    if (status)
        return status;
    pthread_mutex_lock(&spool->mutex);
    while (!spool->is_begun)
        pthread_cond_wait(&spool->wake, &spool->mutex);
    pthread_mutex_unlock(&spool->mutex);
    if (!atomic_load(&spool->is_failure_told))
        return STATUS_OK;
    pthread_join(spool->thread, NULL);
    return error_set(error, spool->failure.status, "%s", spool->failure.text);
}

static enum status make_own_page(struct spool *spool, struct error *error)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return error_set_errno(error, "cannot map a page");
    spool->is_ours = page;
    if (madvise(page, size, MADV_WIPEONFORK) != 0)
        return error_set_errno(error, "recording needs Linux 4.14 or later");
    *spool->is_ours = 1;
    return STATUS_OK;
}

/* Only for a spool whose thread does not run. */
static void spool_free(struct spool *spool)
{
    if (!spool)
        return;
    for (size_t i = 0; i < SPARE_COUNT; ++i) {
        struct mapping *spare = atomic_load(&spool->spares[i]);
        if (spare)
            mapping_destroy(spool->directory, spare);
    }
    if (spool->directory) {
        spool_directory_discard(spool->directory);
        unlink(spool->path);
    }
    if (spool->is_ours)
        munmap((void *)(uintptr_t)spool->is_ours, (size_t)sysconf(_SC_PAGESIZE));
    alloc_free(spool->directory);
    alloc_free(spool->asked_for);
    alloc_free(spool->path);
    alloc_free(spool);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of what may be kept, segments that wait and spare ones have two sixteenths, and the log, which is
 * moved when a transaction is over, has six. The rest is the database's: two epochs, what came in
 * until the older one is dropped, and what memory held at their beginnings. */
static struct spool_sizes choose_sizes(const struct spool_options *options)
{
    enum { BATCH_SIZE = 32 << 20, LOG_SIZE = 64 << 20 };
    const uint64_t limit = options->keep_last ? options->keep_last : options->max_size;
    /* What waits comes on top, and the tables that are made at the end. */
    struct spool_sizes sizes = {.stored_max = options->max_size / 2,
                                .backlog_max = SPOOL_BACKLOG_SIZE,
                                .batch = BATCH_SIZE,
                                .log = LOG_SIZE,
                                .spare_max = SPARE_COUNT};
    if (limit) {
        sizes.batch = smaller(BATCH_SIZE, limit / 32);
        sizes.log = smaller(LOG_SIZE, limit / 8);
        sizes.backlog_max = smaller(SPOOL_BACKLOG_SIZE, limit / 8);
    }
    if (options->keep_last) {
        sizes.backlog_max = smaller(SPOOL_BACKLOG_SIZE, limit / 16);
        sizes.stored_max = limit / 2;
        sizes.epoch = limit / 8;
        while (sizes.spare_max > 2 * SPARE_MADE && sizes.spare_max * SEGMENT_SIZE > limit / 16)
            sizes.spare_max /= 2;
    }
    return sizes;
}

enum status spool_open(const struct spool_options *options, struct spool **spool,
                       struct error *error)
{
    const int saved = errno;
    struct spool *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->on_failure = options->on_failure;
    made->on_full = options->on_full;
    made->user = options->user;
    made->sizes = choose_sizes(options);
    atomic_init(&made->spare_count, 2 * SPARE_MADE);
    made->start_ns = clock_monotonic_ns();
    enum status status = make_own_page(made, error);
    if (status)
        goto out;
    status = claim_trace(options->path, &made->path, error);
    if (status)
        goto out;
    made->directory = spool_directory_path(made->path);
    made->asked_for = alloc_string(options->path);
    if (!made->directory || !made->asked_for) {
        status = error_no_memory(error, strlen(made->path) + 8);
        goto out;
    }
    atomic_store(&made->is_storing, true);
    pthread_once(&fork_once, spool_watch_forks);
    status = start_thread(made, error);
    if (status)
        goto out;
    made->next = atomic_load(&all_spools);
    while (!atomic_compare_exchange_weak(&all_spools, &made->next, made))
        continue;
    *spool = made;
    made = NULL;
out:
    spool_free(made);
    errno = saved;
    return status;
}

bool spool_close(struct spool *spool)
{
    if (!spool || spool_is_inherited(spool))
        return false;
    if (atomic_exchange(&spool->is_joined, true))
        return atomic_load(&spool->is_left);
    const int saved = errno;
    pthread_mutex_lock(&spool->mutex);
    spool->closers = spool_own_stream(spool);
    spool->stop = true;
    pthread_cond_signal(&spool->wake);
    pthread_mutex_unlock(&spool->mutex);
    pthread_join(spool->thread, NULL);
    spool_report(spool);
    errno = saved;
    return atomic_load(&spool->is_left);
}

/* With the lowest priority there is: after the destructors of whoever writes to a spool. */
__attribute__((destructor(101))) static void close_all(void)
{
    for (struct spool *spool = atomic_load(&all_spools); spool; spool = spool->next)
        spool_close(spool);
    spool_forget_threads();
}
