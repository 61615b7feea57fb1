/* Programs whose command-buffers, each of one queue, are ordered with other commands or not, one a
 * name: `command_buffers CASE`. What each is to be found wrong with is said in CMakeLists.txt. */
#include "tests/rules/command_buffers.h"

/* ---- one queue ---- */

static void in_order(void)
{
    cl_command_buffer_khr buffer = make_copy(first);
    fill(first, a, 0, NULL);
    enqueue(buffer, NULL, NULL);
    fill(first, b, 0, NULL);
    release(buffer);
}

static void out_of_order(void)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    fill(free_queue, a, 0, NULL);
    enqueue(buffer, NULL, NULL);
    release(buffer);
}

static void out_of_order_before(void)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    enqueue(buffer, NULL, NULL);
    fill(free_queue, a, 0, NULL);
    release(buffer);
}

static void out_of_order_apart(void)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    fill(free_queue, a, 1, NULL);
    enqueue(buffer, NULL, NULL);
    fill(free_queue, b, 1, NULL);
    release(buffer);
}

static void out_of_order_event(void)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    cl_event filled, copied;
    fill(free_queue, a, 0, &filled);
    enqueue(buffer, &filled, &copied);
    check(clEnqueueBarrierWithWaitList(free_queue, 1, &copied, NULL));
    fill(free_queue, a, 0, NULL);
    check(clReleaseEvent(filled));
    check(clReleaseEvent(copied));
    release(buffer);
}

static void out_of_order_finished(void)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    enqueue(buffer, NULL, NULL);
    check(clFinish(free_queue));
    fill(free_queue, a, 0, NULL);
    release(buffer);
}

/* The event is set once both are enqueued. */
static void run_with_user_event(bool waits)
{
    cl_command_buffer_khr buffer = make_copy(free_queue);
    cl_int error;
    cl_event filled, start = clCreateUserEvent(context, &error);
    check(error);
    enqueue(buffer, waits ? NULL : &start, NULL);
    if (waits)
        check(clFinish(free_queue));
    fill(free_queue, a, 0, &filled);
    check(clSetUserEventStatus(start, CL_COMPLETE));
    check(clReleaseEvent(start));
    check(clReleaseEvent(filled));
    release(buffer);
}

static void user_event(void)
{
    run_with_user_event(false);
}

static void user_event_later(void)
{
    run_with_user_event(true);
}

/* ---- two queues, one command-buffer in one of them ---- */

static void run_beside_other_queue(bool ordered)
{
    cl_command_buffer_khr buffer = make_copy(first);
    cl_event filled;
    fill(second, a, 0, &filled);
    check(clFlush(second));
    enqueue(buffer, ordered ? &filled : NULL, NULL);
    check(clReleaseEvent(filled));
    release(buffer);
}

static void other_queue(void)
{
    run_beside_other_queue(false);
}

static void other_queue_event(void)
{
    run_beside_other_queue(true);
}

/* Where it is executed says the call that enqueues it. */
static void run_in_place_of(cl_command_queue queue)
{
    cl_command_buffer_khr buffer = make_copy(second);
    fill(first, a, 0, NULL);
    check(f.clEnqueueCommandBufferKHR(1, &queue, buffer, 0, NULL, NULL));
    release(buffer);
}

static void substitute(void)
{
    run_in_place_of(first);
}

static void substitute_elsewhere(void)
{
    run_in_place_of(second);
}

/* ---- two executions at once ---- */

static void run_twice(bool ordered)
{
    cl_command_buffer_khr buffer =
        make_recording(1, &free_queue, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_event copied;
    record_copy(buffer);
    check(f.clFinalizeCommandBufferKHR(buffer));
    enqueue(buffer, NULL, &copied);
    enqueue(buffer, ordered ? &copied : NULL, NULL);
    check(clReleaseEvent(copied));
    release(buffer);
}

static void twice_at_once(void)
{
    run_twice(false);
}

static void twice(void)
{
    run_twice(true);
}

/* ---- maps ---- */

static void run_with_map(bool unmaps, bool only_reads)
{
    cl_command_buffer_khr buffer = make_recording(1, &first, 0);
    cl_int error;
    if (only_reads)
        record_copy(buffer);
    else
        record_fill_for(buffer, NULL);
    check(f.clFinalizeCommandBufferKHR(buffer));
    void *mapped =
        clEnqueueMapBuffer(first, a, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error);
    check(error);
    if (unmaps)
        check(clEnqueueUnmapMemObject(first, a, mapped, 0, NULL, NULL));
    enqueue(buffer, NULL, NULL);
    if (!unmaps)
        check(clEnqueueUnmapMemObject(first, a, mapped, 0, NULL, NULL));
    release(buffer);
}

static void written_while_mapped(void)
{
    run_with_map(false, false);
}

static void written_after_unmap(void)
{
    run_with_map(true, false);
}

static void read_while_mapped(void)
{
    run_with_map(false, true);
}

/* ---- the host's memory ---- */

static cl_int host[COUNT], other_host[COUNT];

/* Shared virtual memory is copied to `host`, recorded or by a call, in the queue that is out of
 * order. */
static void copy_to_host(bool recorded, void *shared, cl_event *event)
{
    if (!recorded) {
        check(clEnqueueSVMMemcpy(free_queue, CL_FALSE, host, shared, SIZE, 0, NULL, event));
        return;
    }
    cl_command_buffer_khr buffer = make_recording(1, &free_queue, 0);
    check(f.clCommandSVMMemcpyKHR(buffer, NULL, NULL, host, shared, SIZE, 0, NULL, NULL, NULL));
    check(f.clFinalizeCommandBufferKHR(buffer));
    enqueue(buffer, NULL, event);
    release(buffer);
}

/* Then another transfer reads it from there. */
static void run_through_host(bool recorded, bool ordered)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    const cl_int one = 1;
    cl_event copied;
    PROGRAM_CHECK(shared != NULL);
    check(clEnqueueSVMMemFill(free_queue, shared, &one, sizeof one, SIZE, 0, NULL, NULL));
    check(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, NULL));
    copy_to_host(recorded, shared, &copied);
    check(clEnqueueWriteBuffer(free_queue, a, CL_FALSE, 0, SIZE, host, ordered,
                               ordered ? &copied : NULL, NULL));
    check(clFinish(free_queue));
    check(clReleaseEvent(copied));
    clSVMFree(context, shared);
}

static void host_called(void)
{
    run_through_host(false, false);
}

static void host_called_event(void)
{
    run_through_host(false, true);
}

static void host_recorded(void)
{
    run_through_host(true, false);
}

static void host_recorded_event(void)
{
    run_through_host(true, true);
}

/* The program uses the memory in a call, which reads it. */
static void run_and_use_host(bool waits)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    const cl_int one = 1;
    cl_int error;
    PROGRAM_CHECK(shared != NULL);
    check(clEnqueueSVMMemFill(free_queue, shared, &one, sizeof one, SIZE, 0, NULL, NULL));
    check(clEnqueueBarrierWithWaitList(free_queue, 0, NULL, NULL));
    copy_to_host(true, shared, NULL);
    if (waits)
        check(clFinish(free_queue));
    cl_mem made =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE, host, &error);
    check(error);
    check(clReleaseMemObject(made));
    check(clFinish(free_queue));
    clSVMFree(context, shared);
}

static void host_used(void)
{
    run_and_use_host(false);
}

static void host_used_later(void)
{
    run_and_use_host(true);
}

/* One recorded copy reads the memory, and then, after it, another one writes it: which is not the
 * program changing it. Or else the program does. */
static void run_from_host(bool changes)
{
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    cl_command_buffer_khr buffer = make_recording(1, &first, 0);
    PROGRAM_CHECK(shared != NULL);
    other_host[0] = 1;
    check(f.clCommandSVMMemcpyKHR(buffer, NULL, NULL, shared, host, SIZE, 0, NULL, NULL, NULL));
    if (!changes)
        check(f.clCommandSVMMemcpyKHR(buffer, NULL, NULL, host, other_host, SIZE, 0, NULL, NULL,
                                      NULL));
    check(f.clFinalizeCommandBufferKHR(buffer));
    enqueue(buffer, NULL, NULL);
    if (changes)
        host[0] = 2;
    check(clFinish(first));
    release(buffer);
    clSVMFree(context, shared);
}

static void host_changed(void)
{
    run_from_host(true);
}

static void host_changed_by_command(void)
{
    run_from_host(false);
}

/* ---- contents ---- */

static void run_with_contents(bool written)
{
    cl_command_buffer_khr buffer = make_recording(1, &first, 0);
    record_fill_for(buffer, NULL);
    check(f.clFinalizeCommandBufferKHR(buffer));
    check(clEnqueueMigrateMemObjects(first, 1, &a, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
                                     NULL));
    if (written)
        enqueue(buffer, NULL, NULL);
    check(clEnqueueCopyBuffer(first, a, b, 0, 0, SIZE / 2, 0, NULL, NULL));
    release(buffer);
}

static void contents_written(void)
{
    run_with_contents(true);
}

static void contents_left_undefined(void)
{
    run_with_contents(false);
}

/* ---- kernels ---- */

/* The kernel writes `a` as it is recorded, and has another argument when it is executed; `read` is
 * then copied in another queue. */
static void run_launch(bool updates, cl_mem read)
{
    const size_t count = COUNT;
    cl_command_buffer_khr buffer =
        make_recording(1, &first, updates ? CL_COMMAND_BUFFER_MUTABLE_KHR : 0);
    cl_mem other = make_buffer();
    cl_mutable_command_khr command;
    check(f.clCommandNDRangeKernelKHR(buffer, NULL, NULL, put, 1, NULL, &count, NULL, 0, NULL, NULL,
                                      updates ? &command : NULL));
    check(clSetKernelArg(put, 0, sizeof b, &b));
    check(f.clFinalizeCommandBufferKHR(buffer));
    if (updates) {
        const cl_mutable_dispatch_arg_khr argument = {0, sizeof b, &b};
        const struct api_mutable_config config = {
            .command = command, .num_args = 1, .arg_list = &argument};
        const cl_command_buffer_update_type_khr type = API_MUTABLE_DISPATCH_CONFIG;
        const void *configs = &config;
        check(f.clUpdateMutableCommandsKHR(buffer, 1, &type, &configs));
    }
    enqueue(buffer, NULL, NULL);
    check(clEnqueueCopyBuffer(second, read, other, 0, 0, SIZE, 0, NULL, NULL));
    check(clFinish(first));
    check(clFinish(second));
    check(clReleaseMemObject(other));
    release(buffer);
}

static void launch(void)
{
    run_launch(false, a);
}

static void launch_with_later_argument(void)
{
    run_launch(false, b);
}

static void updated_launch(void)
{
    run_launch(true, b);
}

static void updated_launch_of_earlier_argument(void)
{
    run_launch(true, a);
}

/* ---- within one command-buffer ---- */

static void inside(void)
{
    run_inside(1, &free_queue, false);
}

static void inside_with_point(void)
{
    run_inside(1, &free_queue, true);
}

/* The specification does not say that a queue which is in order does not order them. */
static void inside_in_another_queue(void)
{
    cl_command_buffer_khr buffer = make_recording(1, &free_queue, 0);
    record_fill_for(buffer, NULL);
    record_copy(buffer);
    check(f.clFinalizeCommandBufferKHR(buffer));
    check(f.clEnqueueCommandBufferKHR(1, &first, buffer, 0, NULL, NULL));
    release(buffer);
}

static void inside_in_order(void)
{
    run_inside(1, &first, false);
}

/* The sample program of cl_khr_command_buffer. */
static void sample(void)
{
    run_sample(1, &free_queue, false);
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct command_buffers_case cases[] = {
        CASE(in_order),
        CASE(out_of_order),
        CASE(out_of_order_before),
        CASE(out_of_order_apart),
        CASE(out_of_order_event),
        CASE(out_of_order_finished),
        CASE(user_event),
        CASE(user_event_later),
        CASE(other_queue),
        CASE(other_queue_event),
        CASE(substitute),
        CASE(substitute_elsewhere),
        CASE(twice_at_once),
        CASE(twice),
        CASE(written_while_mapped),
        CASE(written_after_unmap),
        CASE(read_while_mapped),
        CASE(host_called),
        CASE(host_called_event),
        CASE(host_recorded),
        CASE(host_recorded_event),
        CASE(host_used),
        CASE(host_used_later),
        CASE(host_changed),
        CASE(host_changed_by_command),
        CASE(contents_written),
        CASE(contents_left_undefined),
        CASE(launch),
        CASE(launch_with_later_argument),
        CASE(updated_launch),
        CASE(updated_launch_of_earlier_argument),
        CASE(inside),
        CASE(inside_with_point),
        CASE(inside_in_order),
        CASE(inside_in_another_queue),
        CASE(sample),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
