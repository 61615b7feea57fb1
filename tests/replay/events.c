/* An out-of-order queue, user events, non-blocking read-backs that complete late, and a thread that
 * waits for what another thread sets free: replayed on one thread, it must not stop for ever. */
#include "tests/replay/program.h"

#include <pthread.h>
#include <time.h>

enum { COUNT = 16 };

static void *set_free(void *event)
{
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    check(clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
    return NULL;
}

static void CL_CALLBACK ignore(cl_event event, cl_int status, void *user_data)
{
    (void)event;
    (void)status;
    (void)user_data;
}

/* write <- user event; copy <- write; read <- copy: enqueued in the reverse of nothing, ordered by
 * events alone. */
static void chain(const struct setup *setup, cl_command_queue queue, cl_mem a, cl_mem b)
{
    cl_uint data[COUNT];
    cl_uint read[COUNT] = {0};
    cl_event events[4];
    pthread_t thread;
    cl_int status;
    for (cl_uint i = 0; i < COUNT; ++i)
        data[i] = i * i;
    events[0] = clCreateUserEvent(setup->context, &status);
    check(status, "clCreateUserEvent");
    check(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, sizeof data, data, 1, &events[0], &events[1]),
          "clEnqueueWriteBuffer");
    check(clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof data, 1, &events[1], &events[2]),
          "clEnqueueCopyBuffer");
    check(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, sizeof read, read, 1, &events[2], &events[3]),
          "clEnqueueReadBuffer");
    check(clSetEventCallback(events[3], CL_COMPLETE, ignore, NULL), "clSetEventCallback");
    check(clFlush(queue), "clFlush");
    expect(pthread_create(&thread, NULL, set_free, events[0]) == 0, "a thread");
    check(clWaitForEvents(1, &events[3]), "clWaitForEvents");
    expect(pthread_join(thread, NULL) == 0, "the end of a thread");
    expect(read[0] == 0 && read[15] == 225, "numbers that went through the chain");
    for (int i = 0; i < 4; ++i)
        check(clReleaseEvent(events[i]), "clReleaseEvent");
}

/* The application never waits for this read: it asks until it is complete. */
static void poll(cl_command_queue queue, cl_mem b)
{
    cl_uint value = 0;
    cl_event event;
    cl_int status = CL_QUEUED;
    check(clEnqueueReadBuffer(queue, b, CL_FALSE, 8, sizeof value, &value, 0, NULL, &event),
          "clEnqueueReadBuffer");
    check(clFlush(queue), "clFlush");
    while (status != CL_COMPLETE) {
        check(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            "clGetEventInfo");
        expect(status >= 0, "a read that does not fail");
    }
    expect(value == 4, "a number that was asked for");
    check(clReleaseEvent(event), "clReleaseEvent");
}

int main(void)
{
    struct setup setup;
    cl_int status;
    setup_open(&setup);
    cl_command_queue queue = clCreateCommandQueue(setup.context, setup.device,
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    cl_mem buffers[2];
    for (int i = 0; i < 2; ++i) {
        buffers[i] = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, COUNT * sizeof(cl_uint), NULL,
                                    &status);
        check(status, "clCreateBuffer");
    }
    chain(&setup, queue, buffers[0], buffers[1]);
    poll(queue, buffers[1]);
    check(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), "clEnqueueBarrierWithWaitList");
    check(clFinish(queue), "clFinish");
    for (int i = 0; i < 2; ++i)
        check(clReleaseMemObject(buffers[i]), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    setup_close(&setup);
    return 0;
}
