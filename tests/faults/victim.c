/* A program that something happens to: it makes calls over the null driver of tests/bench and
 * counts them where the counts outlive it.
 *
 *     victim THREADS CALLS [COUNTS]
 *
 * Each thread has a kernel of its own and gives it, as the argument of its own number, the numbers
 * from 0 up to CALLS, one a call. Now and then it makes a buffer of known bytes. COUNTS is a file
 * of two 64-bit numbers a thread: calls of clSetKernelArg begun, and returned. At the end it calls
 * clFinish, which is where the driver can be told to crash. At SIGUSR1 a thread that made no call
 * exits, while the others call on. */
#include "tests/faults/victim.h"

#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct worker {
    cl_kernel kernel;
    unsigned number;
    struct victim_counts *counts;
};

static cl_context context;
static uint64_t call_count;
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER; /* exit is for one thread */

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "victim: %s gave %d\n", what, (int)status);
    exit(2);
}

static void make_buffer(uint64_t number)
{
    unsigned char bytes[VICTIM_BUFFER_SIZE];
    cl_int status;
    memset(bytes, victim_buffer_byte(number), sizeof bytes);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &status);
    check(status, "clCreateBuffer");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static void *make_calls(void *user)
{
    struct worker *worker = user;
    for (uint64_t i = 0; i < call_count; ++i) {
        atomic_store(&worker->counts->begun, i + 1);
        check(clSetKernelArg(worker->kernel, worker->number, sizeof i, &i), "clSetKernelArg");
        atomic_store(&worker->counts->returned, i + 1);
        if (i % VICTIM_BUFFER_EVERY == 0)
            make_buffer(i);
    }
    return NULL;
}

static void *exit_when_told(void *user)
{
    (void)user;
    sigset_t told;
    int number;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    sigwait(&told, &number);
    pthread_mutex_lock(&ending);
    exit(0);
}

static void wait_for_word(void)
{
    pthread_t thread;
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    check(pthread_sigmask(SIG_BLOCK, &told, NULL), "pthread_sigmask");
    check(pthread_create(&thread, NULL, exit_when_told, NULL), "pthread_create");
}

static struct victim_counts *map_counts(const char *path)
{
    static struct victim_counts unseen[VICTIM_THREADS];
    if (!path)
        return unseen;
    const int file = open(path, O_RDWR);
    void *memory = MAP_FAILED;
    if (file >= 0)
        memory = mmap(NULL, sizeof unseen, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    close(file);
    return memory;
}

/* Gives each thread a kernel, and takes it back. */
static void run_threads(unsigned count, cl_program program, struct victim_counts *counts)
{
    pthread_t threads[VICTIM_THREADS];
    struct worker workers[VICTIM_THREADS];
    cl_int status;
    for (unsigned i = 0; i < count; ++i) {
        workers[i] =
            (struct worker){clCreateKernel(program, "two_buffers", &status), i, &counts[i]};
        check(status, "clCreateKernel");
    }
    for (unsigned i = 0; i < count; ++i)
        check(pthread_create(&threads[i], NULL, make_calls, &workers[i]), "pthread_create");
    for (unsigned i = 0; i < count; ++i) {
        pthread_join(threads[i], NULL);
        check(clReleaseKernel(workers[i].kernel), "clReleaseKernel");
    }
}

int main(int argc, char **argv)
{
    static const char *source = "kernel void two_buffers(global float *a, global float *b) {}";
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const unsigned thread_count = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
    if (thread_count < 1 || thread_count > VICTIM_THREADS)
        return 2;
    call_count = strtoull(argv[2], NULL, 10);
    wait_for_word();
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    run_threads(thread_count, program, map_counts(argc > 3 ? argv[3] : NULL));
    check(clFinish(queue), "clFinish");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    pthread_mutex_lock(&ending);
    puts("the program is done");
    return 0;
}
