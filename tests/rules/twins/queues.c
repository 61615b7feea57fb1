/* Twins about contexts, command-queues and events. */
#include "tests/rules/twins/twins.h"

static void drop_queue(bool bad, cl_command_queue queue)
{
    PROGRAM_CHECK(bad || queue);
    if (queue)
        clReleaseCommandQueue(queue);
}

static void CL_CALLBACK on_context(const char *what, const void *data, size_t size, void *user)
{
    (void)what;
    (void)data;
    (void)size;
    (void)user;
}

static void user_data_alone(const struct program *program, bool bad)
{
    static int user_data;
    cl_context context =
        clCreateContext(NULL, 1, &program->device, bad ? NULL : on_context, &user_data, NULL);
    PROGRAM_CHECK(bad || context);
    if (context)
        clReleaseContext(context);
}

/* A property twice. */
static void property_invalid(const struct program *program, bool bad)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, 0, bad ? CL_QUEUE_PROPERTIES : 0,
                                              0, 0};
    drop_queue(bad, clCreateCommandQueueWithProperties(program->context, program->device,
                                                       properties, NULL));
}

static void queue_on_device(const struct program *program, bool bad)
{
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(program->context, program->device, properties, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    twins_check(bad, clFinish(bad ? queue : program->queue));
    drop_queue(bad, queue);
}

static void event_state(const struct program *program, bool bad)
{
    cl_int error;
    cl_event event = clCreateUserEvent(program->context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);
    if (bad)
        clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
}

static void event_failed(const struct program *program, bool bad)
{
    cl_int error;
    cl_event event = clCreateUserEvent(program->context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clSetUserEventStatus(event, bad ? CL_OUT_OF_RESOURCES : CL_COMPLETE) ==
                  CL_SUCCESS);
    twins_check(bad, clWaitForEvents(1, &event));
    clReleaseEvent(event);
}

static void event_profiling(const struct program *program, bool bad)
{
    cl_ulong end;
    cl_event event;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(program->context, program->device,
                                                  bad ? 0 : CL_QUEUE_PROFILING_ENABLE, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(queue) == CL_SUCCESS);
    twins_check(bad,
                clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    clReleaseEvent(event);
    drop_queue(bad, queue);
}

static void event_never_set(const struct program *program, bool bad)
{
    cl_int error;
    cl_event gate = clCreateUserEvent(program->context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program->queue, 1, &gate, NULL) == CL_SUCCESS);
    if (!bad)
        PROGRAM_CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program->queue) == CL_SUCCESS);
    if (bad)
        PROGRAM_CHECK(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    clReleaseEvent(gate);
}

static const struct twins twins[] = {
    {"event-never-set", event_never_set},   {"user-data-alone", user_data_alone},
    {"property-invalid", property_invalid}, {"queue-on-device", queue_on_device},
    {"event-state", event_state},           {"event-failed", event_failed},
    {"event-profiling", event_profiling},
};

int main(int argc, char **argv)
{
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
