/* Prints what calls cost on the thread that makes them:
 *
 *     bench_calls calls CALLS   lines "NAME NANOSECONDS", what a call of each entry point takes
 *     bench_calls one CALLS     calls a microsecond, of all these kinds, by one thread
 *     bench_calls eight CALLS   the same by eight at once
 *     bench_calls apart CALLS   the same by one thread in each of eight processes, which can have
 *                               nothing to do with each other but the machine
 *     bench_calls many CALLS    so many calls of clSetKernelArg; the most KiB the process held
 *     bench_calls write CALLS   nanoseconds of a blocking clEnqueueWriteBuffer of 16 MiB, after a
 *                               pause, and of memcpy of the same bytes
 *     bench_calls stream CALLS  the same without pauses
 *
 * The first is the median over batches of a hundred calls, so that neither the clock nor what else
 * the machine does is counted. */
#include "tests/bench/host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100, BATCHES_MAX = 1 << 16, THREADS = 8 };

/* What one thread calls with; nothing of it is another's, but the context and the program. */
struct subject {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffers[2];
    cl_event events[BATCH];
    char bytes[8 * BATCH + 64];
};

static void subject_open(struct subject *subject, const struct host *host)
{
    cl_int status;
    subject->queue = clCreateCommandQueue(host->context, host->device, 0, &status);
    host_check(status, "clCreateCommandQueue");
    subject->kernel = clCreateKernel(host->program, "two_buffers", &status);
    host_check(status, "clCreateKernel");
    for (cl_uint i = 0; i < 2; i++) {
        subject->buffers[i] = host_buffer(host, 4096, NULL);
        host_check(clSetKernelArg(subject->kernel, i, sizeof(cl_mem), &subject->buffers[i]),
                   "clSetKernelArg");
    }
}

static void subject_close(const struct subject *subject)
{
    clReleaseMemObject(subject->buffers[0]);
    clReleaseMemObject(subject->buffers[1]);
    clReleaseKernel(subject->kernel);
    clReleaseCommandQueue(subject->queue);
}

/* ---- single calls ---- */

static cl_int set_argument(struct subject *subject, size_t i)
{
    return clSetKernelArg(subject->kernel, i & 1, sizeof(cl_mem), &subject->buffers[i & 1]);
}

static cl_int retain(struct subject *subject, size_t i)
{
    (void)i;
    return clRetainKernel(subject->kernel);
}

static cl_int release(struct subject *subject, size_t i)
{
    (void)i;
    return clReleaseKernel(subject->kernel);
}

static cl_int launch(struct subject *subject, size_t i)
{
    const size_t global = 1024;
    const size_t local = 64;
    return clEnqueueNDRangeKernel(subject->queue, subject->kernel, 1, NULL, &global, &local, 0,
                                  NULL, &subject->events[i]);
}

static cl_int get_event_info(struct subject *subject, size_t i)
{
    cl_int status;
    return clGetEventInfo(subject->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                          &status, NULL);
}

static cl_int release_event(struct subject *subject, size_t i)
{
    return clReleaseEvent(subject->events[i]);
}

/* What changes from call to call is judged anew: an argument, a launch after one (both are
 * counted), a transfer. */

static cl_int change_argument(struct subject *subject, size_t i)
{
    return clSetKernelArg(subject->kernel, 0, sizeof(cl_mem), &subject->buffers[i & 1]);
}

static cl_int launch_changed(struct subject *subject, size_t i)
{
    const size_t global = 1024;
    const cl_int status = change_argument(subject, i);
    return status != CL_SUCCESS ? status
                                : clEnqueueNDRangeKernel(subject->queue, subject->kernel, 1, NULL,
                                                         &global, NULL, 0, NULL, NULL);
}

static cl_int write_buffer(struct subject *subject, size_t i)
{
    return clEnqueueWriteBuffer(subject->queue, subject->buffers[0], CL_FALSE, i * 8, 64,
                                &subject->bytes[i * 8], 0, NULL, NULL);
}

/* In this order: releases undo what is retained and made before. */
static const struct call {
    const char *name;
    cl_int (*call)(struct subject *, size_t);
} calls[] = {
    {"clSetKernelArg", set_argument},
    {"clRetainKernel", retain},
    {"clReleaseKernel", release},
    {"clEnqueueNDRangeKernel", launch},
    {"clGetEventInfo", get_event_info},
    {"clReleaseEvent", release_event},
    {"clSetKernelArg:changed", change_argument},
    {"clEnqueueNDRangeKernel:changed", launch_changed},
    {"clEnqueueWriteBuffer:64", write_buffer},
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static uint64_t time_batch(struct subject *subject, const struct call *call)
{
    const uint64_t start = wall_time_ns();
    for (size_t i = 0; i < BATCH; i++)
        host_check(call->call(subject, i), call->name);
    return wall_time_ns() - start;
}

static void measure_calls(const struct host *host, size_t batches)
{
    static uint64_t times[CALL_COUNT][BATCHES_MAX];
    struct subject subject;
    subject_open(&subject, host);
    for (size_t batch = 0; batch < batches; batch++) {
        for (size_t i = 0; i < CALL_COUNT; i++)
            times[i][batch] = time_batch(&subject, &calls[i]);
        host_check(clFinish(subject.queue), "clFinish");
    }
    for (size_t i = 0; i < CALL_COUNT; i++)
        printf("%s %.1f\n", calls[i].name, (double)median(times[i], batches) / BATCH);
    subject_close(&subject);
}

/* ---- threads ---- */

struct worker {
    pthread_t thread;
    struct subject subject;
    size_t batches;
};

static void *work(void *user)
{
    struct worker *worker = user;
    for (size_t batch = 0; batch < worker->batches; batch++) {
        for (size_t i = 0; i < CALL_COUNT; i++)
            time_batch(&worker->subject, &calls[i]);
        host_check(clFinish(worker->subject.queue), "clFinish");
    }
    return NULL;
}

/* From when to when they called. */
struct span {
    uint64_t begin, end;
};

/* Each thread makes so many batches of calls of each kind. There are eight queues with what belongs
 * to them, however many threads there are. */
static struct span call_by(size_t threads, const struct host *host, size_t batches)
{
    struct worker workers[THREADS];
    struct span span;
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].batches = batches;
        subject_open(&workers[i].subject, host);
    }
    span.begin = wall_time_ns();
    for (size_t i = 0; i < threads; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (size_t i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    span.end = wall_time_ns();
    for (size_t i = 0; i < THREADS; i++)
        subject_close(&workers[i].subject);
    return span;
}

static double calls_per_microsecond(size_t threads, size_t batches, const struct span *span)
{
    return (double)(threads * batches * CALL_COUNT * BATCH) * 1000 /
           (double)(span->end - span->begin);
}

static double measure_threads(size_t threads, size_t batches)
{
    struct host host;
    host_open(&host, NULL);
    const struct span span = call_by(threads, &host, batches / threads);
    host_close(&host);
    return calls_per_microsecond(threads, batches / threads, &span);
}

/* ---- processes ---- */

struct meeting {
    pthread_barrier_t ready;
    struct span spans[THREADS];
};

static void call_apart(struct meeting *meeting, size_t process, size_t batches)
{
    struct host host;
    host_open(&host, NULL);
    pthread_barrier_wait(&meeting->ready);
    meeting->spans[process] = call_by(1, &host, batches);
    host_close(&host);
    exit(0);
}

static double measure_processes(size_t batches)
{
    struct meeting *meeting =
        mmap(NULL, sizeof *meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    struct span all = {UINT64_MAX, 0};
    if (meeting == MAP_FAILED)
        exit(2);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&meeting->ready, &shared, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        if (fork() == 0)
            call_apart(meeting, i, batches / THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        int status = 1;
        if (wait(&status) < 0 || status != 0)
            exit(2);
    }
    for (size_t i = 0; i < THREADS; i++) {
        all.begin = meeting->spans[i].begin < all.begin ? meeting->spans[i].begin : all.begin;
        all.end = meeting->spans[i].end > all.end ? meeting->spans[i].end : all.end;
    }
    return calls_per_microsecond(THREADS, batches / THREADS, &all);
}

/* ---- many calls ---- */

static void measure_many(const struct host *host, size_t count)
{
    struct subject subject;
    struct rusage usage;
    subject_open(&subject, host);
    for (size_t i = 0; i < count; i++)
        host_check(set_argument(&subject, i), "clSetKernelArg");
    subject_close(&subject);
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
}

/* ---- contents ---- */

enum { WRITE_SIZE = 16 << 20, PIECE_SIZE = 4096, WRITES_MAX = 1024 };

/* No two pieces of any write are alike: nothing is known from before. */
static void fill_pieces(uint32_t *words, uint32_t write)
{
    for (uint32_t i = 0; i < WRITE_SIZE / sizeof *words; i++)
        words[i] = i % (PIECE_SIZE / sizeof *words) ? i * 2654435761U >> 20
                                                    : write * (WRITE_SIZE / PIECE_SIZE) + i;
}

static void measure_writes(const struct host *host, size_t count, long pause_ns)
{
    static uint64_t writes[WRITES_MAX], copies[WRITES_MAX];
    struct subject subject;
    uint32_t *bytes = malloc(WRITE_SIZE);
    uint32_t *copy = malloc(WRITE_SIZE);
    if (!bytes || !copy || count > WRITES_MAX)
        exit(2);
    subject_open(&subject, host);
    cl_mem buffer = host_buffer(host, WRITE_SIZE, NULL);
    memset(copy, 1, WRITE_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        fill_pieces(bytes, i);
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        const uint64_t start = wall_time_ns();
        memcpy(copy, bytes, WRITE_SIZE);
        const uint64_t copied = wall_time_ns();
        host_check(clEnqueueWriteBuffer(subject.queue, buffer, CL_TRUE, 0, WRITE_SIZE,
                                        copy[i] ? bytes : copy, 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
        writes[i] = wall_time_ns() - copied;
        copies[i] = copied - start;
    }
    printf("%llu %llu\n", (unsigned long long)median(writes, count),
           (unsigned long long)median(copies, count));
    clReleaseMemObject(buffer);
    subject_close(&subject);
    free(bytes);
    free(copy);
}

int main(int argc, char **argv)
{
    const size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t batches = count / BATCH;
    struct host host;
    const char *mode = argc == 3 ? argv[1] : "";
    const bool pauses = strcmp(mode, "write") == 0;
    const bool writes = pauses || strcmp(mode, "stream") == 0;
    if ((batches == 0 && !writes) || (batches > BATCHES_MAX && strcmp(mode, "calls") == 0)) {
        fprintf(stderr, "usage: bench_calls calls|one|eight|apart|many|write|stream CALLS\n");
        return 2;
    }
    if (strcmp(mode, "one") == 0 || strcmp(mode, "eight") == 0) {
        printf("%.2f\n", measure_threads(*mode == 'o' ? 1 : THREADS, batches));
        return 0;
    }
    if (strcmp(mode, "apart") == 0) {
        printf("%.2f\n", measure_processes(batches));
        return 0;
    }
    host_open(&host, NULL);
    if (strcmp(mode, "calls") == 0)
        measure_calls(&host, batches);
    else if (writes)
        measure_writes(&host, count, pauses ? 100000000 : 0);
    else
        measure_many(&host, count);
    host_close(&host);
    return 0;
}
