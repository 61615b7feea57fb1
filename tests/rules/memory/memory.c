/* Programs that use memory of their own beside OpenCL, right and wrong, one a name: `memory CASE`.
 * What each is to be found wrong with is said in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 256 };

static struct program program;
static char bytes[SIZE];
static cl_mem buffer, other, lent; /* of SIZE bytes; lent: of the memory behind `storage` */
static char storage[SIZE];
static char *shared;  /* coarse-grained */
static cl_event told; /* a user event: a callback has come */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_mem make(cl_mem_flags flags, void *memory)
{
    cl_int error;
    cl_mem made = clCreateBuffer(program.context, flags, SIZE, memory, &error);
    check(error);
    return made;
}

static void finish(void)
{
    check(clFinish(program.queue));
}

static void write_from(const void *from, cl_event *event)
{
    check(clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, SIZE, from, 0, NULL, event));
}

static void read_to(void *to, cl_bool blocking)
{
    check(clEnqueueReadBuffer(program.queue, other, blocking, 0, SIZE, to, 0, NULL, NULL));
}

static void fill(cl_mem filled)
{
    const char one = 1;
    check(clEnqueueFillBuffer(program.queue, filled, &one, 1, 0, SIZE, 0, NULL, NULL));
}

static void copy(cl_mem from, cl_mem to)
{
    check(clEnqueueCopyBuffer(program.queue, from, to, 0, 0, SIZE, 0, NULL, NULL));
}

static char *map(cl_mem mapped, cl_bool blocking, cl_map_flags flags)
{
    cl_int error;
    char *memory =
        clEnqueueMapBuffer(program.queue, mapped, blocking, flags, 0, SIZE, 0, NULL, NULL, &error);
    check(error);
    return memory;
}

static void unmap(cl_mem mapped, char *memory)
{
    check(clEnqueueUnmapMemObject(program.queue, mapped, memory, 0, NULL, NULL));
}

static void ask_until_complete(cl_event event)
{
    cl_int status = CL_QUEUED;
    check(clFlush(program.queue));
    while (status != CL_COMPLETE)
        check(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
}

/* ---- sources of transfers ---- */

static void changed_after_flush(void)
{
    write_from(bytes, NULL);
    check(clFlush(program.queue));
    bytes[7] = 1;
    finish();
}

/* Of a large source some bytes are looked at, the first and the last ones among them. */
enum { MIB = 1 << 20 };

static void change_large(size_t first, size_t size, bool wait)
{
    cl_int error;
    char *source = calloc(MIB, 1);
    cl_mem large = clCreateBuffer(program.context, CL_MEM_READ_WRITE, MIB, NULL, &error);
    check(error);
    PROGRAM_CHECK(source);
    check(clEnqueueWriteBuffer(program.queue, large, CL_FALSE, 0, MIB, source, 0, NULL, NULL));
    if (wait)
        finish();
    memset(source + first, 1, size);
    finish();
    check(clReleaseMemObject(large));
    free(source);
}

static void large_changed(void)
{
    change_large(0, MIB, false);
}

static void large_changed_at_its_end(void)
{
    change_large(MIB - 4, 4, false);
}

static void large_changed_in_its_middle(void)
{
    change_large(MIB / 3, MIB / 3, false);
}

static void large_changed_in_time(void)
{
    change_large(0, MIB, true);
}

static void changed_after_event(void)
{
    cl_event event;
    write_from(bytes, &event);
    check(clWaitForEvents(1, &event));
    bytes[7] = 1;
    finish();
    check(clReleaseEvent(event));
}

static void changed_after_poll(void)
{
    cl_event event;
    write_from(bytes, &event);
    ask_until_complete(event);
    bytes[7] = 1;
    finish();
    check(clReleaseEvent(event));
}

static void changed_after_later_event(void)
{
    cl_event event;
    write_from(bytes, NULL);
    check(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event));
    check(clWaitForEvents(1, &event));
    bytes[7] = 1;
    finish();
    check(clReleaseEvent(event));
}

static void CL_CALLBACK change(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    bytes[7] = 1;
    check(clSetUserEventStatus(told, CL_COMPLETE));
}

static void changed_in_callback(void)
{
    cl_event event;
    cl_int error;
    told = clCreateUserEvent(program.context, &error);
    check(error);
    write_from(bytes, &event);
    check(clSetEventCallback(event, CL_COMPLETE, change, NULL));
    check(clFlush(program.queue));
    check(clWaitForEvents(1, &told));
    finish();
    check(clReleaseEvent(event));
    check(clReleaseEvent(told));
}

static void changed_by_later_read(void)
{
    fill(other);
    write_from(bytes, NULL);
    read_to(bytes, CL_TRUE);
    finish();
}

static void changed_by_earlier_read(void)
{
    fill(other);
    read_to(bytes, CL_FALSE);
    write_from(bytes, NULL);
    finish();
}

static void changed_beside(void)
{
    check(clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    bytes[64] = 1;
    finish();
}

/* Three rows of eight bytes, 32 bytes apart, from byte 4 of the first of them. */
static void write_rectangle(void)
{
    const size_t origin[3] = {0, 0, 0};
    const size_t host_origin[3] = {4, 1, 0};
    const size_t region[3] = {8, 3, 1};
    check(clEnqueueWriteBufferRect(program.queue, buffer, CL_FALSE, origin, host_origin, region, 8,
                                   0, 32, 0, bytes, 0, NULL, NULL));
}

static void rectangle_changed(void)
{
    write_rectangle();
    bytes[3 * 32 + 11] = 1;
    finish();
}

static void rectangle_changed_between(void)
{
    write_rectangle();
    bytes[32 + 3] = bytes[32 + 12] = bytes[4 * 32 + 4] = 1;
    finish();
}

static cl_mem make_image(cl_mem_flags flags, void *memory)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int error;
    cl_mem image = clCreateImage(program.context, flags, &format, &desc, memory, &error);
    check(error);
    return image;
}

static void image_source_changed(void)
{
    const size_t origin[3] = {0, 0, 0};
    const size_t region[3] = {4, 4, 1};
    cl_mem image = make_image(CL_MEM_READ_WRITE, NULL);
    check(clEnqueueWriteImage(program.queue, image, CL_FALSE, origin, region, 32, 0, bytes, 0, NULL,
                              NULL));
    bytes[3 * 32 + 15] = 1;
    finish();
    check(clReleaseMemObject(image));
}

static void changed_through_map(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_WRITE);
    write_from(memory, NULL);
    memory[7] = (char)(memory[7] + 1);
    unmap(other, memory);
    finish();
}

static void changed_after_unmap(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_WRITE);
    memset(memory, 2, SIZE);
    write_from(memory, NULL);
    unmap(other, memory);
    fill(other);
    finish();
}

/* ---- memory behind CL_MEM_USE_HOST_PTR ---- */

static void lent_first_used(void)
{
    storage[7] = 1;
    copy(lent, buffer);
    finish();
}

static void lent_between_uses(void)
{
    copy(lent, buffer);
    finish();
    storage[7] = 1;
    copy(lent, buffer);
    finish();
}

static void lent_after_unmap(void)
{
    char *memory = map(lent, CL_TRUE, CL_MAP_WRITE);
    memory[7] = 1;
    unmap(lent, memory);
    finish();
    storage[8] = 1;
    copy(lent, buffer);
    finish();
}

static void lent_written_by_command(void)
{
    fill(lent);
    finish();
    copy(lent, buffer);
    char *memory = map(lent, CL_TRUE, CL_MAP_READ);
    unmap(lent, memory);
    copy(lent, buffer);
    finish();
}

static void lent_destination_of_read(void)
{
    fill(other);
    read_to(storage, CL_TRUE);
    copy(lent, buffer);
    finish();
}

static void lent_and_unmapped_at_once(void)
{
    fill(lent);
    char *memory = map(lent, CL_FALSE, CL_MAP_READ);
    unmap(lent, memory);
    copy(lent, buffer);
    finish();
    copy(lent, buffer);
    finish();
}

static void lent_through_part(void)
{
    const cl_buffer_region region = {0, 64};
    cl_int error;
    cl_mem part = clCreateSubBuffer(lent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    storage[7] = 1;
    check(clEnqueueCopyBuffer(program.queue, part, buffer, 0, 0, 64, 0, NULL, NULL));
    finish();
    check(clReleaseMemObject(part));
}

static void lent_and_overwritten(void)
{
    storage[7] = 1;
    fill(lent);
    copy(lent, buffer);
    finish();
    unmap(lent, map(lent, CL_TRUE, CL_MAP_READ));
    finish();
    storage[8] = (char)(storage[8] + 1);
    read_to(storage, CL_TRUE);
    copy(lent, buffer);
    finish();
}

static void lent_after_a_command(void)
{
    fill(lent);
    finish();
    storage[7] = (char)(storage[7] + 1);
    copy(lent, buffer);
    finish();
}

static void lent_after_a_poll(void)
{
    cl_event filled;
    const char one = 1;
    check(clEnqueueFillBuffer(program.queue, lent, &one, 1, 0, SIZE, 0, NULL, &filled));
    ask_until_complete(filled);
    storage[7] = 9;
    copy(lent, buffer);
    finish();
    check(clReleaseEvent(filled));
}

static void lent_and_mapped_after_a_command(void)
{
    fill(lent);
    finish();
    char *memory = map(lent, CL_TRUE, CL_MAP_WRITE);
    memory[7] = 9;
    unmap(lent, memory);
    copy(lent, buffer);
    finish();
    fill(lent);
    copy(lent, buffer);
    finish();
}

/* OpenCL API 3.0, 5.2.2, allows this without a map. */
static void lent_and_written_from_itself(void)
{
    fill(lent);
    finish();
    storage[7] = 9;
    check(clEnqueueWriteBuffer(program.queue, lent, CL_TRUE, 0, SIZE, storage, 0, NULL, NULL));
    copy(lent, buffer);
    finish();
}

/* The command that the program waits for is not the one that writes. */
static void lent_to_two_queues(void)
{
    cl_int error;
    const char two = 2;
    cl_command_queue beside = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    cl_event gate = clCreateUserEvent(program.context, &error);
    check(error);
    check(clEnqueueFillBuffer(program.queue, lent, &two, 1, 0, 64, 1, &gate, NULL));
    check(clEnqueueCopyBuffer(beside, lent, buffer, 64, 64, 64, 0, NULL, NULL));
    check(clFinish(beside));
    check(clSetUserEventStatus(gate, CL_COMPLETE));
    finish();
    copy(lent, buffer);
    finish();
    check(clReleaseEvent(gate));
    check(clReleaseCommandQueue(beside));
}

static void lent_before_its_end(void)
{
    copy(lent, buffer);
    finish();
    storage[7] = 1;
}

static void lent_to_image(void)
{
    const size_t origin[3] = {0, 0, 0};
    const size_t region[3] = {4, 4, 1};
    cl_mem image = make_image(CL_MEM_USE_HOST_PTR, bytes);
    bytes[63] = 1;
    check(
        clEnqueueCopyImageToBuffer(program.queue, image, buffer, origin, region, 0, 0, NULL, NULL));
    finish();
    check(clReleaseMemObject(image));
}

/* ---- coarse-grained shared virtual memory ---- */

static void copy_shared(void)
{
    check(clEnqueueSVMMemcpy(program.queue, CL_TRUE, bytes, shared, SIZE, 0, NULL, NULL));
}

static void shared_before_command(void)
{
    shared[7] = (char)(shared[7] + 1);
    copy_shared();
}

static void shared_after_unmap(void)
{
    check(clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_WRITE, shared, SIZE, 0, NULL, NULL));
    memset(shared, 1, SIZE);
    check(clEnqueueSVMUnmap(program.queue, shared, 0, NULL, NULL));
    finish();
    shared[7] = 2;
    copy_shared();
}

static void shared_filled_by_command(void)
{
    const char two = 2;
    check(clEnqueueSVMMemFill(program.queue, shared, &two, 1, SIZE, 0, NULL, NULL));
    copy_shared();
    check(clEnqueueSVMMemcpy(program.queue, CL_TRUE, shared, storage, SIZE, 0, NULL, NULL));
    copy_shared();
}

static void shared_after_a_command(void)
{
    const char two = 2;
    check(clEnqueueSVMMemFill(program.queue, shared, &two, 1, SIZE, 0, NULL, NULL));
    finish();
    shared[7] = 3;
    copy_shared();
}

static void shared_through_buffer(void)
{
    cl_mem over = make(CL_MEM_USE_HOST_PTR, shared);
    char *memory = map(over, CL_TRUE, CL_MAP_WRITE);
    memset(memory, 3, SIZE);
    unmap(over, memory);
    finish();
    copy(over, buffer);
    fill(over);
    finish();
    copy_shared();
    check(clReleaseMemObject(over));
}

/* ---- mapped regions ---- */

static void map_read_far_behind(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_READ);
    (void)*(volatile char *)(memory + SIZE + 1000);
    unmap(other, memory);
}

static void map_written_before(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_WRITE);
    memory[-1] = 1;
    unmap(other, memory);
}

static void map_written_early(void)
{
    char *memory = map(other, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION);
    memory[8] = 1;
    finish();
    memory[8] = 2;
    unmap(other, memory);
}

static void map_known_by_event(void)
{
    cl_event event;
    cl_int error;
    char *memory = clEnqueueMapBuffer(program.queue, other, CL_FALSE, CL_MAP_READ, 0, SIZE, 0, NULL,
                                      &event, &error);
    check(error);
    check(clWaitForEvents(1, &event));
    check(clReleaseEvent(event));
    PROGRAM_CHECK(memory[SIZE - 1] == 1);
    unmap(other, memory);
}

static void map_known_by_later_read(void)
{
    char *memory = map(other, CL_FALSE, CL_MAP_READ);
    read_to(bytes, CL_TRUE);
    PROGRAM_CHECK(memory[SIZE - 1] == 1);
    unmap(other, memory);
}

static void CL_CALLBACK look(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    PROGRAM_CHECK(((const char *)user)[SIZE - 1] == 1);
    check(clSetUserEventStatus(told, CL_COMPLETE));
}

static void map_known_in_callback(void)
{
    cl_event event;
    cl_int error;
    told = clCreateUserEvent(program.context, &error);
    check(error);
    char *memory = clEnqueueMapBuffer(program.queue, other, CL_FALSE, CL_MAP_READ, 0, SIZE, 0, NULL,
                                      &event, &error);
    check(error);
    check(clSetEventCallback(event, CL_COMPLETE, look, memory));
    check(clFlush(program.queue));
    check(clWaitForEvents(1, &told));
    unmap(other, memory);
    finish();
    check(clReleaseEvent(event));
    check(clReleaseEvent(told));
}

static void map_never_used(void)
{
    unmap(other, map(other, CL_FALSE, CL_MAP_WRITE));
    read_to(bytes, CL_TRUE);
    PROGRAM_CHECK(bytes[0] == 1 && bytes[SIZE - 1] == 1);
}

static void map_written_late(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_WRITE);
    memory[8] = 2;
    unmap(other, memory);
    finish();
    memory[8] = 3;
    memory[9] = 3;
    read_to(bytes, CL_TRUE);
    PROGRAM_CHECK(bytes[8] == 2);
}

static double resident_mib(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    PROGRAM_CHECK(file && fscanf(file, "%*u %lu", &pages) == 1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

/* The pages of maps that ended go back. */
static void map_large_often(void)
{
    enum { LARGE = 32 << 20, TIMES = 40, LIMIT_MIB = 700 };
    cl_int error;
    cl_mem large = clCreateBuffer(program.context, CL_MEM_READ_WRITE, LARGE, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    const double before = resident_mib();
    for (int i = 0; i < TIMES; ++i) {
        char *memory =
            clEnqueueMapBuffer(program.queue, large, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                               LARGE, 0, NULL, NULL, &error);
        PROGRAM_CHECK(error == CL_SUCCESS);
        memset(memory, i, LARGE);
        unmap(large, memory);
        finish();
    }
    PROGRAM_CHECK(resident_mib() - before < LIMIT_MIB);
    clReleaseMemObject(large);
}

static void map_shows_what_is_there(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE);
    PROGRAM_CHECK(memory[0] == 1 && memory[SIZE - 1] == 1);
    memset(memory, 4, SIZE);
    unmap(other, memory);
    read_to(bytes, CL_TRUE);
    PROGRAM_CHECK(bytes[0] == 4 && bytes[SIZE - 1] == 4);
}

static void map_of_a_part(void)
{
    cl_int error;
    char *memory = clEnqueueMapBuffer(program.queue, other, CL_TRUE, CL_MAP_WRITE, 100, 50, 0, NULL,
                                      NULL, &error);
    check(error);
    memset(memory, 5, 50);
    unmap(other, memory);
    read_to(bytes, CL_TRUE);
    PROGRAM_CHECK(bytes[99] == 1 && bytes[100] == 5 && bytes[149] == 5 && bytes[150] == 1);
}

static void map_filled_by_command(void)
{
    char *memory = map(buffer, CL_TRUE, CL_MAP_WRITE);
    read_to(memory, CL_FALSE);
    finish();
    PROGRAM_CHECK(memory[SIZE - 1] == 1);
    unmap(buffer, memory);
}

static void map_source_of_command(void)
{
    char *memory = map(other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE);
    memset(memory, 6, SIZE);
    write_from(memory, NULL);
    unmap(other, memory);
    check(clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
    PROGRAM_CHECK(bytes[0] == 6 && bytes[SIZE - 1] == 6);
}

/* The command that writes the mapped memory comes before the unmapping. */
static void map_in_flight_when_unmapped(void)
{
    char *memory = map(buffer, CL_TRUE, CL_MAP_WRITE);
    read_to(memory, CL_FALSE);
    unmap(buffer, memory);
    check(clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
    PROGRAM_CHECK(bytes[0] == 1 && bytes[SIZE - 1] == 1);
}

/* The driver may call back before it ends the command that the unmapping has to wait for. */
static void map_in_flight_with_callback(void)
{
    cl_event event;
    cl_int error;
    char *memory = map(buffer, CL_TRUE, CL_MAP_WRITE);
    told = clCreateUserEvent(program.context, &error);
    check(error);
    check(clEnqueueReadBuffer(program.queue, other, CL_FALSE, 0, SIZE, memory, 0, NULL, &event));
    check(clSetEventCallback(event, CL_COMPLETE, change, NULL));
    unmap(buffer, memory);
    check(clWaitForEvents(1, &told));
    finish();
    check(clReleaseEvent(event));
    check(clReleaseEvent(told));
}

static void map_read_twice(void)
{
    char *one = map(other, CL_TRUE, CL_MAP_READ);
    char *two = map(other, CL_TRUE, CL_MAP_READ);
    PROGRAM_CHECK(one[7] == two[7]);
    unmap(other, one);
    PROGRAM_CHECK(two[7] == 1);
    unmap(other, two);
}

static sigjmp_buf back;

static void fault(int number)
{
    siglongjmp(back, number);
}

/* A handler of its own, before the first map and after it. */
static void faults_of_its_own(void)
{
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile int faults = 0;
    PROGRAM_CHECK(page != MAP_FAILED);
    PROGRAM_CHECK(signal(SIGSEGV, fault) != SIG_ERR);
    for (volatile int round = 0; round < 3; round++) {
        unmap(other, map(other, CL_TRUE, CL_MAP_READ));
        finish();
        if (sigsetjmp(back, 1) == 0)
            *(volatile char *)page = 1;
        else
            faults++;
    }
    PROGRAM_CHECK(faults == 3);
    munmap(page, 4096);
}

/* ---- what is freed: run under the preloaded library ---- */

static char *obtain(size_t size)
{
    char *memory = calloc(1, size);
    PROGRAM_CHECK(memory);
    return memory;
}

/* A command that waits: it never uses memory that is gone, since the event gets an error. */
static cl_event begin_write(const void *from)
{
    cl_int error;
    cl_event start = clCreateUserEvent(program.context, &error);
    check(error);
    check(clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, SIZE, from, 1, &start, NULL));
    return start;
}

static void end_write(cl_event start)
{
    check(clSetUserEventStatus(start, -1));
    finish();
    check(clReleaseEvent(start));
}

static void source_freed(void)
{
    char *source = obtain(SIZE);
    cl_event start = begin_write(source);
    free(source);
    end_write(start);
}

static void source_freed_after_poll(void)
{
    cl_event event;
    char *source = obtain(SIZE);
    write_from(source, &event);
    ask_until_complete(event);
    free(source);
    finish();
    check(clReleaseEvent(event));
}

static void source_moved(void)
{
    char *source = obtain(SIZE);
    char *behind = obtain(SIZE); /* so that it cannot grow where it is */
    cl_event start = begin_write(source);
    char *moved = realloc(source, 1 << 22);
    PROGRAM_CHECK(moved);
    end_write(start);
    free(moved);
    free(behind);
}

static void source_unmapped(void)
{
    char *source = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    PROGRAM_CHECK(source != MAP_FAILED);
    cl_event start = begin_write(source + 5000);
    munmap(source, 1 << 16);
    end_write(start);
}

static void CL_CALLBACK free_it(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    free(user);
    check(clSetUserEventStatus(told, CL_COMPLETE));
}

static void freed_in_callback(void)
{
    cl_event event;
    cl_int error;
    char *source = obtain(SIZE);
    told = clCreateUserEvent(program.context, &error);
    check(error);
    write_from(source, &event);
    check(clSetEventCallback(event, CL_COMPLETE, free_it, source));
    check(clFlush(program.queue));
    check(clWaitForEvents(1, &told));
    finish();
    check(clReleaseEvent(event));
    check(clReleaseEvent(told));
}

static void lent_and_freed(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    free(memory);
    unmap(own, map(own, CL_TRUE, CL_MAP_READ));
    finish();
    check(clReleaseMemObject(own));
}

static void lent_and_freed_before_release(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    copy(own, buffer);
    finish();
    free(memory);
    check(clReleaseMemObject(own));
}

static void lent_and_freed_after_release(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    copy(own, buffer);
    finish();
    check(clReleaseMemObject(own));
    free(memory);
}

static void lent_and_freed_after_poll(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    cl_event event;
    copy(own, buffer);
    check(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event));
    ask_until_complete(event);
    check(clReleaseMemObject(own));
    free(memory);
    check(clReleaseEvent(event));
}

static void CL_CALLBACK destroyed(cl_mem memory, void *user)
{
    (void)memory;
    free(user);
}

static void lent_and_freed_in_destructor(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    check(clSetMemObjectDestructorCallback(own, destroyed, memory));
    copy(own, buffer);
    check(clReleaseMemObject(own));
    finish();
}

static void lent_to_a_part_and_freed(void)
{
    const cl_buffer_region region = {0, 64};
    char *memory = obtain(SIZE);
    cl_int error;
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    cl_mem part = clCreateSubBuffer(own, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    check(error);
    check(clReleaseMemObject(own));
    free(memory);
    unmap(part, clEnqueueMapBuffer(program.queue, part, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL,
                                   &error));
    finish();
    check(clReleaseMemObject(part));
}

/* The command reads it at worst. */
static void lent_to_a_command_and_freed(void)
{
    char *memory = obtain(SIZE);
    cl_mem own = make(CL_MEM_USE_HOST_PTR, memory);
    copy(own, buffer);
    check(clReleaseMemObject(own));
    free(memory);
    finish();
}

static void CL_CALLBACK tell(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    check(clSetUserEventStatus(told, CL_COMPLETE));
}

static void user_data_moved(void)
{
    cl_int error;
    char *data = obtain(64);
    char *behind = obtain(64);
    cl_event event = clCreateUserEvent(program.context, &error);
    check(error);
    told = clCreateUserEvent(program.context, &error);
    check(error);
    check(clSetEventCallback(event, CL_COMPLETE, tell, data + 16));
    char *moved = reallocarray(data, 1 << 10, 1 << 12); /* calls realloc */
    PROGRAM_CHECK(moved);
    check(clSetUserEventStatus(event, CL_COMPLETE));
    check(clWaitForEvents(1, &told));
    check(clReleaseEvent(told));
    check(clReleaseEvent(event));
    free(moved);
    free(behind);
}

/* ---- which ---- */

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    CASE(changed_after_flush),
    CASE(large_changed),
    CASE(large_changed_at_its_end),
    CASE(large_changed_in_its_middle),
    CASE(large_changed_in_time),
    CASE(changed_after_event),
    CASE(changed_after_poll),
    CASE(changed_after_later_event),
    CASE(changed_in_callback),
    CASE(changed_by_later_read),
    CASE(changed_by_earlier_read),
    CASE(changed_beside),
    CASE(rectangle_changed),
    CASE(rectangle_changed_between),
    CASE(image_source_changed),
    CASE(changed_through_map),
    CASE(changed_after_unmap),
    CASE(lent_first_used),
    CASE(lent_between_uses),
    CASE(lent_after_unmap),
    CASE(lent_written_by_command),
    CASE(lent_destination_of_read),
    CASE(lent_and_unmapped_at_once),
    CASE(lent_through_part),
    CASE(lent_and_overwritten),
    CASE(lent_after_a_command),
    CASE(lent_after_a_poll),
    CASE(lent_and_mapped_after_a_command),
    CASE(lent_and_written_from_itself),
    CASE(lent_to_two_queues),
    CASE(lent_before_its_end),
    CASE(lent_to_image),
    CASE(shared_before_command),
    CASE(shared_after_unmap),
    CASE(shared_filled_by_command),
    CASE(shared_after_a_command),
    CASE(shared_through_buffer),
    CASE(map_read_far_behind),
    CASE(map_written_before),
    CASE(map_written_early),
    CASE(map_known_by_event),
    CASE(map_known_by_later_read),
    CASE(map_known_in_callback),
    CASE(map_never_used),
    CASE(map_written_late),
    CASE(map_shows_what_is_there),
    CASE(map_large_often),
    CASE(map_of_a_part),
    CASE(map_filled_by_command),
    CASE(map_source_of_command),
    CASE(map_in_flight_when_unmapped),
    CASE(map_in_flight_with_callback),
    CASE(map_read_twice),
    CASE(faults_of_its_own),
    CASE(source_freed),
    CASE(source_freed_after_poll),
    CASE(source_moved),
    CASE(source_unmapped),
    CASE(freed_in_callback),
    CASE(lent_and_freed),
    CASE(lent_and_freed_before_release),
    CASE(lent_and_freed_after_release),
    CASE(lent_and_freed_after_poll),
    CASE(lent_and_freed_in_destructor),
    CASE(lent_to_a_part_and_freed),
    CASE(lent_to_a_command_and_freed),
    CASE(user_data_moved),
};

int main(int argc, char **argv)
{
    PROGRAM_CHECK(argc == 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        buffer = make(CL_MEM_READ_WRITE, NULL);
        other = make(CL_MEM_READ_WRITE, NULL);
        lent = make(CL_MEM_USE_HOST_PTR, storage);
        shared = clSVMAlloc(program.context, CL_MEM_READ_WRITE, SIZE, 0);
        PROGRAM_CHECK(shared);
        fill(other);
        finish();
        cases[i].run();
        finish();
        clSVMFree(program.context, shared);
        check(clReleaseMemObject(lent));
        check(clReleaseMemObject(other));
        check(clReleaseMemObject(buffer));
        return program_end(&program);
    }
    fprintf(stderr, "there is no case '%s'\n", argv[1]);
    return 3;
}
