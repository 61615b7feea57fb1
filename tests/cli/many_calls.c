/* Makes many calls, and counts them where the count outlives the process.
 *
 *     many_calls THREADS PAIRS [COUNTS]
 *
 * Each of THREADS threads retains and releases the context PAIRS times. With COUNTS, a file, the
 * first of them keeps two 64-bit numbers there, of calls begun and of calls that returned, and the
 * main thread waits in clWaitForEvents for an event that never completes: the program must be
 * killed. */
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREAD_MAX = 16 };

struct counts {
    _Atomic uint64_t begun, ended;
};

static cl_context context;
static uint64_t pair_count;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "many_calls: %s gave %d\n", what, (int)status);
    exit(2);
}

static void *make_calls(void *user)
{
    struct counts unused = {0};
    struct counts *counts = user ? user : &unused;
    for (uint64_t i = 0; i < pair_count; ++i) {
        atomic_store(&counts->begun, 2 * i + 1);
        check(clRetainContext(context), "clRetainContext");
        atomic_store(&counts->ended, 2 * i + 1);
        atomic_store(&counts->begun, 2 * i + 2);
        check(clReleaseContext(context), "clReleaseContext");
        atomic_store(&counts->ended, 2 * i + 2);
    }
    return NULL;
}

static struct counts *map_counts(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct counts)) == 0)
        memory = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    close(file);
    return memory;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREAD_MAX];
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const int thread_count = argc > 2 ? atoi(argv[1]) : 0;
    if (thread_count < 1 || thread_count > THREAD_MAX)
        return 2;
    pair_count = strtoull(argv[2], NULL, 10);
    struct counts *counts = argc > 3 ? map_counts(argv[3]) : NULL;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_event never = NULL;
    if (counts) {
        never = clCreateUserEvent(context, &status);
        check(status, "clCreateUserEvent");
    }
    for (int i = 0; i < thread_count; ++i)
        check(pthread_create(&threads[i], NULL, make_calls, i == 0 ? counts : NULL),
              "pthread_create");
    if (never)
        check(clWaitForEvents(1, &never), "clWaitForEvents");
    for (int i = 0; i < thread_count; ++i)
        pthread_join(threads[i], NULL);
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
