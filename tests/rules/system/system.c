/* Programs whose kernels use memory that no function of OpenCL gave them, right and wrong, one a
 * name: `system CASE`. What each is to be told of is in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <CL/cl_ext.h>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 64, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "struct holder { global int *data; };\n"
    "kernel void put(global int *a) { a[get_global_id(0)] = 7; }\n"
    "kernel void wide(global int *a) {\n"
    "    vstore16((int16)(1), get_global_id(0), a + 1);\n"
    "}\n"
    "kernel void all_to_one(global int *a) { a[0] = get_global_id(0); }\n"
    "kernel void take(global const int *a, global int *out) {\n"
    "    out[get_global_id(0)] = a[get_global_id(0)];\n"
    "}\n"
    "kernel void follow(global const struct holder *h) { h->data[get_global_id(0)] = 7; }\n"
    "kernel void answer(global atomic_int *flags) {\n"
    "    if (get_global_id(0) != 0)\n"
    "        return;\n"
    "    atomic_store_explicit(flags, 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "    while (atomic_load_explicit(flags + 1, memory_order_acquire,\n"
    "                                memory_scope_all_svm_devices) == 0)\n"
    "        ;\n"
    "}\n";

static struct program program;
static cl_program built;
static cl_int fixed[COUNT];

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void build(void)
{
    const char *text = source;
    cl_int error;
    built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static int end(void)
{
    check(clFinish(program.queue));
    if (built)
        check(clReleaseProgram(built));
    return program_end(&program);
}

static cl_int *make_block(size_t size)
{
    cl_int *memory = malloc(size);
    PROGRAM_CHECK(memory);
    return memset(memory, 0, size);
}

static cl_int *make_heap(void)
{
    return make_block(SIZE);
}

/* The first of two pages; nothing is where the second was. */
static cl_int *make_page(int protection, size_t *page)
{
    *page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * *page, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    PROGRAM_CHECK(memory != MAP_FAILED);
    PROGRAM_CHECK(mprotect(memory + *page, *page, PROT_NONE) == 0);
    return (cl_int *)(void *)memory;
}

static void say(cl_kernel kernel, cl_bool uses)
{
    check(
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof uses, &uses));
}

static cl_kernel make_kernel(const char *name, const void *argument)
{
    cl_int error;
    if (!built)
        build();
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    check(clSetKernelArgSVMPointer(kernel, 0, argument));
    return kernel;
}

/* One whose use of the system's memory is said. */
static cl_kernel make_open_kernel(const char *name, const void *argument)
{
    cl_kernel kernel = make_kernel(name, argument);
    say(kernel, CL_TRUE);
    return kernel;
}

static void launch(cl_command_queue queue, cl_kernel kernel, const cl_event *after, cl_event *event)
{
    const size_t size = COUNT;
    const size_t group = COUNT / 2;
    check(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, after != NULL, after, event));
    check(clReleaseKernel(kernel));
}

static void run(cl_kernel kernel)
{
    launch(program.queue, kernel, NULL, NULL);
    check(clFinish(program.queue));
}

static void expect_sevens(const cl_int *memory)
{
    for (int i = 0; i < COUNT; i++)
        PROGRAM_CHECK(memory[i] == 7);
}

/* ---- all kinds of memory ---- */

static void put_to(cl_int *memory)
{
    run(make_open_kernel("put", memory));
    expect_sevens(memory);
}

static void heap(void)
{
    cl_int *memory = make_heap();
    put_to(memory);
    free(memory);
}

static void stack(void)
{
    cl_int memory[COUNT] = {0};
    put_to(memory);
}

static void variable(void)
{
    put_to(fixed);
}

static void mapping(void)
{
    size_t page;
    cl_int *memory = make_page(PROT_READ | PROT_WRITE, &page);
    put_to(memory);
    munmap(memory, 2 * page);
}

/* After a launch: the next one comes to it all the same. */
static void mapping_later(void)
{
    heap();
    mapping();
    mapping();
}

/* More than the device takes for one object: 128 MiB, of which work-items write the middle. */
static void large(void)
{
    const size_t size = (size_t)128 << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    PROGRAM_CHECK(memory != MAP_FAILED);
    /* No vector is at a multiple of its size, and some are on both sides of any boundary. */
    const uintptr_t middle = ((uintptr_t)memory + size / 2) >> 26 << 26;
    cl_int *within = (cl_int *)(middle - SIZE);
    run(make_open_kernel("wide", within));
    PROGRAM_CHECK(within[0] == 0 && within[1] == 1 && within[16 * COUNT] == 1);
    munmap(memory, size);
}

static void constant(void)
{
    cl_int *memory = make_heap();
    cl_kernel kernel = make_open_kernel("take", source); /* pages for reading alone */
    check(clSetKernelArgSVMPointer(kernel, 1, memory));
    run(kernel);
    PROGRAM_CHECK(memcmp(memory, source, SIZE) == 0);
    free(memory);
}

static void follow(cl_bool uses)
{
    struct {
        cl_int *data;
    } *holder = clSVMAlloc(program.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                           sizeof *holder, 0);
    PROGRAM_CHECK(holder);
    holder->data = make_heap();
    cl_kernel kernel = make_kernel("follow", holder);
    say(kernel, uses);
    run(kernel);
    PROGRAM_CHECK(holder->data[COUNT - 1] == (uses ? 7 : 0));
    free(holder->data);
    clSVMFree(program.context, holder);
}

static void found_in_memory(void)
{
    follow(CL_TRUE);
}

static void spared(void)
{
    follow(CL_FALSE);
}

static void unsaid(void)
{
    cl_int *memory = make_heap();
    run(make_kernel("put", memory));
    expect_sevens(memory);
    free(memory);
}

/* ---- what is not there ---- */

static void beyond_a_mapping(void)
{
    size_t page;
    cl_int *memory = make_page(PROT_READ | PROT_WRITE, &page);
    cl_int *last = memory + page / sizeof *memory - COUNT / 2;
    run(make_open_kernel("put", last));
    PROGRAM_CHECK(last[0] == 7 && last[COUNT / 2 - 1] == 7);
    munmap(memory, 2 * page);
}

static void unmapped(void)
{
    size_t page;
    cl_int *memory = make_page(PROT_READ | PROT_WRITE, &page);
    put_to(memory);
    munmap(memory, 2 * page);
    run(make_open_kernel("put", memory));
}

static void beyond_a_block(void)
{
    cl_int *memory = make_block(SIZE - sizeof *memory);
    run(make_open_kernel("put", memory));
    PROGRAM_CHECK(memory[COUNT - 2] == 7);
    free(memory);
}

static void over_the_end_of_a_block(void)
{
    cl_int *memory = make_block(SIZE - sizeof *memory / 2);
    run(make_open_kernel("put", memory));
    free(memory);
}

/* More than what is asked for may be used by those who ask how much it is. */
static void all_of_a_block(void)
{
    cl_int *memory = make_block(SIZE - sizeof *memory);
    PROGRAM_CHECK(malloc_usable_size(memory) >= SIZE);
    put_to(memory);
    free(memory);
}

/* RARE: of a size that few ask for, and malloc adds to. */
enum { RARE_SIZE = 990, ARRAY_SIZE = 120 << 10, MAPPED_SIZE = 1 << 20 };

/* Blocks that are freed after one of their size, so that malloc gives them first again, and the one
 * last: kernels would write to what has got it. */
enum { LATER_COUNT = 6 };
struct later {
    void *blocks[LATER_COUNT];
};

static struct later make_later(void)
{
    struct later later;
    for (int i = 0; i < LATER_COUNT; i++)
        later.blocks[i] = make_block(RARE_SIZE);
    return later;
}

static void free_later(const struct later *later)
{
    for (int i = 0; i < LATER_COUNT; i++)
        free(later->blocks[i]);
}

/* A kernel that is given a block, which is freed, and the page that it began in. */
static cl_kernel make_freed(size_t size, void **page)
{
    cl_int *memory = make_block(size);
    const struct later later = make_later();
    cl_kernel kernel = make_open_kernel("put", memory);
    *page = (void *)((uintptr_t)memory & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1));
    free(memory);
    free_later(&later);
    return kernel;
}

static void freed_block(void)
{
    void *page;
    run(make_freed(RARE_SIZE, &page));
}

/* The layer looks at what is freed, too, while other memory is lent. */
static void freed_beside_a_loan(void)
{
    cl_int error;
    void *page;
    cl_int *lent = make_heap();
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, lent, &error);
    check(error);
    run(make_freed(RARE_SIZE, &page));
    check(clReleaseMemObject(buffer));
    free(lent);
}

/* Of which others have got some since, but not the end. */
static void freed_array(void)
{
    cl_int *memory = make_block(ARRAY_SIZE);
    cl_kernel kernel = make_open_kernel("put", memory + ARRAY_SIZE / sizeof *memory - COUNT);
    free(memory);
    void *others = make_block(RARE_SIZE);
    run(kernel);
    free(others);
}

/* So large that its pages are gone. */
static void freed_pages(void)
{
    void *page;
    run(make_freed(MAPPED_SIZE, &page));
}

/* The pages are somebody else's by now. */
static void freed_pages_mapped_anew(void)
{
    void *page;
    cl_kernel kernel = make_freed(MAPPED_SIZE, &page);
    PROGRAM_CHECK(mmap(page, MAPPED_SIZE, PROT_READ | PROT_WRITE,
                       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == page);
    check(clReleaseKernel(kernel));
    put_to(page);
    munmap(page, MAPPED_SIZE);
}

/* So are these bytes, which the program has from the C library alone. */
static void freed_and_given_unseen(void)
{
    cl_int *memory = make_block(RARE_SIZE);
    void *library = dlopen("libc.so.6", RTLD_NOW);
    PROGRAM_CHECK(library);
    void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(library, "malloc");
    void (*release)(void *) = (void (*)(void *))dlsym(library, "free");
    PROGRAM_CHECK(allocate && release);
    check(clReleaseKernel(make_open_kernel("put", memory)));
    free(memory);
    memory = allocate(RARE_SIZE);
    PROGRAM_CHECK(memory);
    put_to(memory);
    release(memory);
    dlclose(library);
}

static void moved_block(void)
{
    cl_int *memory = make_block(RARE_SIZE);
    const struct later later = make_later();
    cl_kernel kernel = make_open_kernel("put", memory);
    cl_int *behind = make_heap(); /* it cannot grow where it is */
    cl_int *moved = realloc(memory, 2 * RARE_SIZE);
    PROGRAM_CHECK(moved);
    free_later(&later);
    put_to(moved);
    run(kernel);
    free(moved);
    free(behind);
}

/* ---- by all the ways to get some ---- */

static void blocks(void)
{
    void *aligned;
    cl_int *memory = make_heap();
    put_to(memory);
    memory = realloc(memory, 2 * SIZE);
    PROGRAM_CHECK(memory);
    put_to(memory + COUNT);
    memory = realloc(memory, SIZE);
    PROGRAM_CHECK(memory);
    put_to(memory);
    free(memory);
    memory = calloc(2 * COUNT, sizeof *memory);
    PROGRAM_CHECK(memory);
    put_to(memory + COUNT / 2);
    free(memory);
    memory = aligned_alloc(256, SIZE);
    PROGRAM_CHECK(memory);
    put_to(memory);
    free(memory);
    PROGRAM_CHECK(posix_memalign(&aligned, 4096, SIZE) == 0);
    put_to(aligned);
    free(aligned);
    memory = make_block(MAPPED_SIZE);
    put_to(memory + MAPPED_SIZE / sizeof *memory - COUNT);
    free(memory);
}

static void write_protected(void)
{
    size_t page;
    cl_int *memory = make_page(PROT_READ, &page);
    run(make_open_kernel("put", memory));
    PROGRAM_CHECK(memory[0] == 0);
    munmap(memory, 2 * page);
}

/* ---- races ---- */

static void race(void)
{
    cl_int *memory = make_heap();
    run(make_open_kernel("all_to_one", memory));
    free(memory);
}

static void two_queues(bool ordered)
{
    cl_int error;
    cl_int *memory = make_heap();
    cl_event first;
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    launch(program.queue, make_open_kernel("put", memory), NULL, &first);
    check(clFlush(program.queue));
    launch(other, make_open_kernel("put", memory), ordered ? &first : NULL, NULL);
    check(clFinish(other));
    check(clFinish(program.queue));
    check(clReleaseEvent(first));
    check(clReleaseCommandQueue(other));
    free(memory);
}

static void two_queues_alone(void)
{
    two_queues(false);
}

static void two_queues_ordered(void)
{
    two_queues(true);
}

static void *give_answer(void *memory)
{
    _Atomic cl_int *flags = memory;
    while (atomic_load(flags) == 0)
        continue;
    atomic_store(flags + 1, 1);
    return NULL;
}

static void answered(void)
{
    cl_int *memory = make_heap();
    pthread_t thread;
    PROGRAM_CHECK(pthread_create(&thread, NULL, give_answer, memory) == 0);
    run(make_open_kernel("answer", memory));
    PROGRAM_CHECK(pthread_join(thread, NULL) == 0);
    free(memory);
}

/* ---- commands ---- */

static void commands(void)
{
    const cl_int seven = 7;
    cl_int *memory = make_heap();
    cl_int *copy = make_heap();
    const void *moved[] = {memory};
    check(clEnqueueSVMMemFill(program.queue, memory, &seven, sizeof seven, SIZE, 0, NULL, NULL));
    check(clEnqueueSVMMigrateMem(program.queue, 1, moved, NULL, 0, 0, NULL, NULL));
    check(clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory, SIZE, 0, NULL,
                          NULL));
    check(clEnqueueSVMUnmap(program.queue, memory, 0, NULL, NULL));
    check(clEnqueueSVMMemcpy(program.queue, CL_TRUE, copy, memory, SIZE, 0, NULL, NULL));
    expect_sevens(copy);
    free(memory);
    free(copy);
}

/* A program that asks may be told of any device that it has not. */
static void asked(void)
{
    cl_device_svm_capabilities has;
    check(clGetDeviceInfo(program.device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    cl_device_unified_shared_memory_capabilities_intel unified;
    check(clGetDeviceInfo(program.device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
                          sizeof unified, &unified, NULL));
    PROGRAM_CHECK(((has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0) == (unified != 0));
    if (has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
        heap();
    else
        puts("no memory of the system");
}

/* So does one that asks as unified shared memory has it, and says nothing of its kernels. */
static void asked_unified(void)
{
    cl_device_unified_shared_memory_capabilities_intel has;
    check(clGetDeviceInfo(program.device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
                          sizeof has, &has, NULL));
    if (has)
        unsaid();
    else
        puts("no memory of the system");
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(heap),
    CASE(stack),
    CASE(variable),
    CASE(mapping),
    CASE(mapping_later),
    CASE(large),
    CASE(constant),
    CASE(found_in_memory),
    CASE(spared),
    CASE(unsaid),
    CASE(beyond_a_mapping),
    CASE(unmapped),
    CASE(beyond_a_block),
    CASE(over_the_end_of_a_block),
    CASE(all_of_a_block),
    CASE(freed_block),
    CASE(freed_beside_a_loan),
    CASE(freed_array),
    CASE(freed_pages),
    CASE(freed_pages_mapped_anew),
    CASE(freed_and_given_unseen),
    CASE(moved_block),
    CASE(blocks),
    CASE(write_protected),
    CASE(race),
    CASE(two_queues_alone),
    CASE(two_queues_ordered),
    CASE(answered),
    CASE(commands),
    CASE(asked),
    CASE(asked_unified),
#undef CASE
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        program = program_begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "usage: system CASE\n");
    return 2;
}
