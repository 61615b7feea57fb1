/* Programs whose command-buffers are of several queues, one a name: `spans CASE`; over the stub
 * driver, since none else has any. What each is to be found wrong with is said in CMakeLists.txt.
 */
#include "tests/rules/command_buffers.h"

/* ---- copies for other queues ---- */

/* A copy is for other queues. */
static void run_remapped(cl_command_queue queue)
{
    cl_command_buffer_khr buffer = make_copy(second);
    cl_int error;
    fill(first, a, 0, NULL);
    cl_command_buffer_khr copy =
        f.clRemapCommandBufferKHR(buffer, CL_FALSE, 1, &queue, 0, NULL, NULL, &error);
    check(error);
    enqueue(copy, NULL, NULL);
    release(copy);
    release(buffer);
}

static void remapped(void)
{
    run_remapped(first);
}

static void remapped_elsewhere(void)
{
    run_remapped(free_queue);
}

/* ---- within one command-buffer ---- */

static void inside(void)
{
    const cl_command_queue queues[] = {first, second};
    run_inside(2, queues, false);
}

static void inside_with_point(void)
{
    const cl_command_queue queues[] = {first, second};
    run_inside(2, queues, true);
}

static void inside_one_of_them(void)
{
    const cl_command_queue queues[] = {first, second};
    cl_command_buffer_khr buffer = make_recording(2, queues, 0);
    record_fill_for(buffer, second);
    record_copy_for(buffer, second, 0);
    check(f.clFinalizeCommandBufferKHR(buffer));
    enqueue(buffer, NULL, NULL);
    release(buffer);
}

/* ---- across two queues that are in order ---- */

static cl_command_buffer_khr make_span(cl_command_buffer_flags_khr flags)
{
    const cl_command_queue queues[] = {first, second};
    cl_command_buffer_khr buffer = make_recording(2, queues, flags);
    record_copy_for(buffer, first, 0);
    check(f.clFinalizeCommandBufferKHR(buffer));
    return buffer;
}

/* "Ordering of other commands submitted to the same command-queues as used to enqueue a
 * command-buffer is the responsibility of the programmer." */
static void relies_on_queue(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    fill(first, a, 0, NULL);
    enqueue(buffer, NULL, NULL);
    release(buffer);
}

static void relied_on_by_queue(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    enqueue(buffer, NULL, NULL);
    fill(first, a, 0, NULL);
    release(buffer);
}

static void with_events(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    const cl_int zero = 0;
    cl_event filled, copied;
    fill(first, a, 0, &filled);
    enqueue(buffer, &filled, &copied);
    check(clEnqueueFillBuffer(second, a, &zero, sizeof zero, 0, SIZE, 1, &copied, NULL));
    check(clReleaseEvent(filled));
    check(clReleaseEvent(copied));
    release(buffer);
}

static void with_barriers(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    fill(first, a, 0, NULL);
    check(clEnqueueBarrierWithWaitList(first, 0, NULL, NULL));
    enqueue(buffer, NULL, NULL);
    check(clEnqueueBarrierWithWaitList(second, 0, NULL, NULL));
    fill(second, a, 0, NULL);
    release(buffer);
}

static void finished(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    fill(first, a, 0, NULL);
    check(clFinish(first));
    enqueue(buffer, NULL, NULL);
    check(clFinish(second));
    fill(first, a, 0, NULL);
    release(buffer);
}

static void apart(void)
{
    cl_command_buffer_khr buffer = make_span(0);
    fill(first, a, 1, NULL);
    enqueue(buffer, NULL, NULL);
    fill(second, b, 1, NULL);
    release(buffer);
}

static void run_across_twice(bool ordered)
{
    cl_command_buffer_khr buffer = make_span(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_event copied;
    enqueue(buffer, NULL, &copied);
    enqueue(buffer, ordered ? &copied : NULL, NULL);
    check(clReleaseEvent(copied));
    release(buffer);
}

static void twice_at_once(void)
{
    run_across_twice(false);
}

static void twice(void)
{
    run_across_twice(true);
}

/* One queue, named twice, is one queue. */
static void one_queue(void)
{
    cl_command_queue queues[] = {first, first};
    cl_command_buffer_khr buffer = make_span(0);
    fill(first, a, 0, NULL);
    check(f.clEnqueueCommandBufferKHR(2, queues, buffer, 0, NULL, NULL));
    release(buffer);
}

/* The sample program of cl_khr_command_buffer_multi_device. */
static void sample(void)
{
    const cl_command_queue queues[] = {first, second};
    run_sample(2, queues, true);
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct command_buffers_case cases[] = {
        CASE(remapped),
        CASE(remapped_elsewhere),
        CASE(inside),
        CASE(inside_with_point),
        CASE(inside_one_of_them),
        CASE(relies_on_queue),
        CASE(relied_on_by_queue),
        CASE(with_events),
        CASE(with_barriers),
        CASE(finished),
        CASE(apart),
        CASE(twice_at_once),
        CASE(twice),
        CASE(one_queue),
        CASE(sample),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
