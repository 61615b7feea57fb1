/* replay_run over traces made by hand and an OpenCL that only writes down how it is called. */
#include "replay/replay.h"
#include "tests/unit/replay/recording.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- an OpenCL that writes down how it is called ---- */

static struct text calls_made;   /* "create write read " */
static cl_int next_status;       /* what the next call gives */
static unsigned char memory[16]; /* of the one buffer that there is */
static bool events_wait;         /* commands stay submitted until something waits for them */
static int live_events, live_queues;

static cl_int status_of(const char *name)
{
    text_append(&calls_made, name);
    text_append(&calls_made, " ");
    const cl_int status = next_status;
    next_status = CL_SUCCESS;
    return status;
}

static void *object_of(const char *name, cl_int *errcode_ret)
{
    static char objects[64];
    static unsigned count;
    *errcode_ret = status_of(name);
    return *errcode_ret == CL_SUCCESS ? &objects[++count % 64] : NULL;
}

static void make_event(cl_event *event)
{
    static char object;
    if (event) {
        *event = (cl_event)(void *)&object;
        ++live_events;
    }
}

static cl_context fake_create_context(const cl_context_properties *properties, cl_uint num_devices,
                                      const cl_device_id *devices,
                                      void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                void *),
                                      void *user_data, cl_int *errcode_ret)
{
    (void)properties;
    (void)user_data;
    assert_int_equal(num_devices, 1);
    assert_int_equal((uintptr_t)devices[0], 0x7e57);
    assert_null(notify);
    return object_of("context", errcode_ret);
}

static cl_command_queue fake_create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties,
                                          cl_int *errcode_ret)
{
    (void)properties;
    assert_non_null(context);
    assert_int_equal((uintptr_t)device, 0x7e57);
    ++live_queues;
    return object_of("queue", errcode_ret);
}

static cl_mem fake_create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                 void *host_ptr, cl_int *errcode_ret)
{
    (void)flags;
    assert_non_null(context);
    assert_int_equal(size, sizeof memory);
    if (host_ptr)
        memcpy(memory, host_ptr, size);
    return object_of("buffer", errcode_ret);
}

/* What is for one device is for the target's. */
static cl_mem fake_create_buffer_with_properties(cl_context context,
                                                 const cl_mem_properties *properties,
                                                 cl_mem_flags flags, size_t size, void *host_ptr,
                                                 cl_int *errcode_ret)
{
    assert_int_equal(properties[0], CL_MEM_DEVICE_HANDLE_LIST_KHR);
    assert_int_equal(properties[1], 0x7e57);
    assert_int_equal(properties[2], 0);
    assert_int_equal(properties[3], 0);
    return fake_create_buffer(context, flags, size, host_ptr, errcode_ret);
}

static cl_event fake_create_user_event(cl_context context, cl_int *errcode_ret)
{
    assert_non_null(context);
    ++live_events;
    return object_of("user-event", errcode_ret);
}

static cl_int fake_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                         size_t size, const void *ptr, cl_uint count, const cl_event *list,
                         cl_event *event)
{
    assert_non_null(queue);
    assert_non_null(buffer);
    assert_int_equal(count != 0, list != NULL);
    memcpy(memory + offset, ptr, size);
    const cl_int status = status_of(blocking ? "write!" : "write");
    if (status == CL_SUCCESS)
        make_event(event);
    return status;
}

static cl_int fake_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                        size_t size, void *ptr, cl_uint count, const cl_event *list,
                        cl_event *event)
{
    assert_non_null(queue);
    assert_non_null(buffer);
    assert_int_equal(count != 0, list != NULL);
    memcpy(ptr, memory + offset, size);
    const cl_int status = status_of(blocking ? "read!" : "read");
    if (status == CL_SUCCESS)
        make_event(event);
    return status;
}

static cl_int fake_queue_info(cl_command_queue queue, cl_command_queue_info name, size_t size,
                              void *value, size_t *actual)
{
    const cl_command_queue_properties in_order = 0;
    (void)queue, (void)name, (void)actual;
    if (size < sizeof in_order)
        return CL_INVALID_VALUE;
    memcpy(value, &in_order, sizeof in_order);
    return CL_SUCCESS;
}

static cl_int fake_finish(cl_command_queue queue)
{
    assert_non_null(queue);
    events_wait = false;
    return status_of("finish");
}

static cl_int fake_flush(cl_command_queue queue)
{
    assert_non_null(queue);
    return status_of("flush");
}

static cl_int fake_wait(cl_uint num_events, const cl_event *event_list)
{
    assert_int_equal(num_events, 1);
    assert_non_null(event_list[0]);
    events_wait = false;
    return status_of("wait");
}

static cl_int fake_set_user_event(cl_event event, cl_int execution_status)
{
    assert_non_null(event);
    return status_of(execution_status == CL_COMPLETE ? "set" : "abort");
}

static cl_int fake_event_info(cl_event event, cl_event_info param_name, size_t size, void *value,
                              size_t *size_ret)
{
    (void)size_ret;
    assert_non_null(event);
    assert_int_equal(param_name, CL_EVENT_COMMAND_EXECUTION_STATUS);
    assert_int_equal(size, sizeof(cl_int));
    *(cl_int *)value = events_wait ? CL_SUBMITTED : CL_COMPLETE;
    return CL_SUCCESS;
}

static cl_int fake_retain_event(cl_event event)
{
    assert_non_null(event);
    ++live_events;
    return CL_SUCCESS;
}

static cl_int fake_release_event(cl_event event)
{
    assert_non_null(event);
    --live_events;
    return CL_SUCCESS;
}

static cl_int fake_retain_queue(cl_command_queue queue)
{
    assert_non_null(queue);
    ++live_queues;
    return CL_SUCCESS;
}

static cl_int fake_release_queue(cl_command_queue queue)
{
    assert_non_null(queue);
    --live_queues;
    return CL_SUCCESS;
}

static cl_int fake_release_context(cl_context context)
{
    assert_non_null(context);
    return CL_SUCCESS;
}

static cl_int fake_release_buffer(cl_mem buffer)
{
    assert_non_null(buffer);
    return status_of("release-buffer");
}

/* It does not say how large a buffer may be. */
static cl_int fake_device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                               size_t *size_ret)
{
    (void)device;
    (void)name;
    (void)size;
    (void)value;
    (void)size_ret;
    return CL_INVALID_VALUE;
}

static struct replay_target make_target(void)
{
    struct replay_target target = {
        .platform = (cl_platform_id)(uintptr_t)0x91a7,
        .device = (cl_device_id)(uintptr_t)0x7e57,
    };
    const struct {
        uint32_t entry;
        api_function *function;
    } functions[] = {
        {API_ENTRY_clGetDeviceInfo, (api_function *)fake_device_info},
        {API_ENTRY_clCreateContext, (api_function *)fake_create_context},
        {API_ENTRY_clReleaseContext, (api_function *)fake_release_context},
        {API_ENTRY_clCreateCommandQueue, (api_function *)fake_create_queue},
        {API_ENTRY_clCreateBuffer, (api_function *)fake_create_buffer},
        {API_ENTRY_clCreateBufferWithProperties,
         (api_function *)fake_create_buffer_with_properties},
        {API_ENTRY_clCreateUserEvent, (api_function *)fake_create_user_event},
        {API_ENTRY_clEnqueueWriteBuffer, (api_function *)fake_write},
        {API_ENTRY_clEnqueueReadBuffer, (api_function *)fake_read},
        {API_ENTRY_clFinish, (api_function *)fake_finish},
        {API_ENTRY_clGetCommandQueueInfo, (api_function *)fake_queue_info},
        {API_ENTRY_clFlush, (api_function *)fake_flush},
        {API_ENTRY_clWaitForEvents, (api_function *)fake_wait},
        {API_ENTRY_clSetUserEventStatus, (api_function *)fake_set_user_event},
        {API_ENTRY_clGetEventInfo, (api_function *)fake_event_info},
        {API_ENTRY_clRetainEvent, (api_function *)fake_retain_event},
        {API_ENTRY_clReleaseEvent, (api_function *)fake_release_event},
        {API_ENTRY_clReleaseMemObject, (api_function *)fake_release_buffer},
        {API_ENTRY_clRetainCommandQueue, (api_function *)fake_retain_queue},
        {API_ENTRY_clReleaseCommandQueue, (api_function *)fake_release_queue},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
        target.functions[functions[i].entry] = functions[i].function;
    return target;
}

/* ---- recordings ---- */

enum { DEVICE = 0x1d, CONTEXT = 0xc0, QUEUE = 0xc1, BUFFER = 0xb0, EVENT = 0xe0 };

static void record_create(struct recording *recording, uint32_t entry, uint64_t parent,
                          uint64_t handle)
{
    const uint64_t time = recording->next_id * 100;
    recording_call(recording, entry, 1, time, time + 50);
    recording_scalar(recording, 0, parent);
    if (entry == API_ENTRY_clCreateCommandQueue)
        recording_scalar(recording, API_clCreateCommandQueue_device, DEVICE);
    if (entry == API_ENTRY_clCreateBuffer)
        recording_scalar(recording, API_clCreateBuffer_size, sizeof memory);
    recording_result(recording, handle);
    recording_end(recording);
}

/* A context, a queue and a buffer. */
static void record_setup(struct recording *recording)
{
    recording_open(recording);
    recording_call(recording, API_ENTRY_clCreateContext, 1, 100, 150);
    recording_scalar(recording, API_clCreateContext_num_devices, 2);
    recording_handles(recording, API_clCreateContext_devices,
                      (const uint64_t[]){DEVICE, DEVICE + 1}, 2);
    recording_pointer(recording, API_clCreateContext_pfn_notify, 0x123456);
    recording_result(recording, CONTEXT);
    recording_end(recording);
    record_create(recording, API_ENTRY_clCreateCommandQueue, CONTEXT, QUEUE);
    record_create(recording, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    assert_int_equal(recording->next_id, 4);
}

struct transfer {
    uint32_t entry, thread;
    bool blocking;
    uint64_t begin, end, event; /* event: 0 = none asked for */
    uint64_t wait_for;          /* an event; 0 = none */
};

/* Bytes 4 to 11 of the buffer; `bytes` NULL: without recorded bytes. */
static void record_transfer(struct recording *recording, const struct transfer *transfer,
                            const void *bytes)
{
    recording_call(recording, transfer->entry, transfer->thread, transfer->begin, transfer->end);
    recording_scalar(recording, API_clEnqueueReadBuffer_command_queue, QUEUE);
    recording_scalar(recording, API_clEnqueueReadBuffer_buffer, BUFFER);
    recording_scalar(recording, API_clEnqueueReadBuffer_blocking_read, transfer->blocking);
    recording_scalar(recording, API_clEnqueueReadBuffer_offset, 4);
    recording_scalar(recording, API_clEnqueueReadBuffer_size, 8);
    recording_pointer(recording, API_clEnqueueReadBuffer_ptr, 0x5000);
    if (transfer->wait_for) {
        recording_scalar(recording, API_clEnqueueReadBuffer_num_events_in_wait_list, 1);
        recording_handles(recording, API_clEnqueueReadBuffer_event_wait_list, &transfer->wait_for,
                          1);
    }
    if (transfer->event)
        recording_handles(recording, API_clEnqueueReadBuffer_event, &transfer->event, 1);
    if (bytes)
        recording_content(recording, API_clEnqueueReadBuffer_ptr, bytes, 8);
    recording_end(recording);
}

static void record_queue_call(struct recording *recording, uint32_t entry, uint32_t thread,
                              uint64_t begin, uint64_t end)
{
    recording_call(recording, entry, thread, begin, end);
    recording_scalar(recording, 0, QUEUE);
    recording_end(recording);
}

/* ---- running them ---- */

static struct replay_difference seen; /* the last difference, its pointers not to be used */
static char seen_object[32];
static struct replay_status_difference seen_status;
static int seen_count;

static void take_difference(void *user, const struct replay_difference *difference)
{
    assert_ptr_equal(user, &seen);
    seen = *difference;
    strncpy(seen_object, difference->object, sizeof seen_object - 1);
    ++seen_count;
}

static void take_status_difference(void *user, const struct replay_status_difference *difference)
{
    assert_ptr_equal(user, &seen);
    seen_status = *difference;
    ++seen_count;
}

static enum status run(struct recording *recording, struct replay_result *result,
                       struct error *error)
{
    const struct replay_target target = make_target();
    const struct replay_options options = {
        .user = &seen, .difference = take_difference, .status_difference = take_status_difference};
    struct trace *trace = NULL;
    recording_close(recording);
    text_clear(&calls_made);
    memset(memory, 0, sizeof memory);
    seen_count = 0;
    live_events = 0;
    live_queues = 0;
    assert_int_equal(trace_open(recording->path, &trace, NULL), STATUS_OK);
    const enum status status = replay_run(trace, &target, &options, result, error);
    assert_int_equal(live_events, 0);
    assert_int_equal(live_queues, 0);
    trace_close(trace);
    recording_remove(recording);
    return status;
}

static int reset(void **state)
{
    (void)state;
    calls_made = (struct text)TEXT_INIT;
    next_status = CL_SUCCESS;
    events_wait = false;
    return 0;
}

static int release(void **state)
{
    (void)state;
    text_release(&calls_made);
    return 0;
}

static const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void equal_read_backs_are_counted(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 1, true, 1000, 1010, 0, 0},
                    bytes);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, true, 1100, 1110, 0, 0},
                    bytes);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(calls_made.bytes,
                        "context queue buffer write! read! finish release-buffer ");
    assert_int_equal(result.performed, 5);
    assert_int_equal(result.compared_reads, 1);
    assert_int_equal(result.compared_bytes, 8);
    assert_int_equal(result.differing_reads, 0);
    assert_int_equal(seen_count, 0);
}

static void the_first_difference_is_named(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    const unsigned char others[8] = {1, 2, 3, 9, 5, 6, 9, 8};
    record_setup(&recording);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 1, true, 1000, 1010, 0, 0},
                    bytes);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, true, 1100, 1110, 0, 0},
                    others);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_int_equal(result.differing_reads, 1);
    assert_int_equal(result.differing_bytes, 2);
    assert_int_equal(seen_count, 1);
    assert_string_equal(seen_object, "buffer#1");
    assert_true(seen.offset_is_in_object);
    assert_int_equal(seen.offset, 4 + 3);
    assert_int_equal(seen.bytes.recorded[0], 9);
    assert_int_equal(seen.bytes.replayed[0], 4);
}

/* clFinish makes a non-blocking read-back comparable; before it the bytes may not be there. */
static void late_read_backs_are_compared_when_they_are_over(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_transfer(
        &recording,
        &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, false, 1000, 1010, EVENT, 0},
        (const unsigned char[8]){0});
    record_queue_call(&recording, API_ENTRY_clFinish, 1, 1100, 1110);
    events_wait = true;
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(calls_made.bytes,
                        "context queue buffer read finish finish release-buffer ");
    assert_int_equal(result.compared_reads, 1);
}

/* Thread 1 waits from 1000 to 2000 for what thread 2 sets free at 1500. */
static void overlapping_waits_do_not_stop_replay(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_create(&recording, API_ENTRY_clCreateUserEvent, CONTEXT, EVENT);
    record_transfer(
        &recording,
        &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 1, false, 900, 910, 0, EVENT}, bytes);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, true, 1000, 2000, 0, 0},
                    bytes);
    recording_call(&recording, API_ENTRY_clSetUserEventStatus, 2, 1500, 1510);
    recording_scalar(&recording, API_clSetUserEventStatus_event, EVENT);
    recording_scalar(&recording, API_clSetUserEventStatus_execution_status, CL_COMPLETE);
    recording_end(&recording);
    record_queue_call(&recording, API_ENTRY_clFlush, 1, 2100, 2110);
    events_wait = true;
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(
        calls_made.bytes,
        "context queue buffer user-event write read set wait flush finish release-buffer ");
    assert_int_equal(result.compared_reads, 1);
}

static void an_overlapped_finish_comes_where_it_returned(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_queue_call(&recording, API_ENTRY_clFinish, 1, 1000, 2000);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 2, false, 1500, 1510, 0, 0},
                    bytes);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, true, 2500, 2510, 0, 0},
                    bytes);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(calls_made.bytes,
                        "context queue buffer flush write finish read! finish release-buffer ");
}

static void a_killed_run_is_replayed_to_its_end(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_create(&recording, API_ENTRY_clCreateUserEvent, CONTEXT, EVENT);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, true, 1000, 0, 0, EVENT},
                    NULL);
    record_queue_call(&recording, API_ENTRY_clFinish, 2, 1001, 0);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    /* The read is not waited for, the user event that nobody set is failed. */
    assert_string_equal(calls_made.bytes,
                        "context queue buffer user-event read abort finish wait release-buffer ");
    assert_int_equal(result.unfinished, 1);
    assert_int_equal(result.compared_reads, 0);
    assert_int_equal(result.uncompared_reads, 1);
}

static void what_succeeded_must_succeed(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    struct error error;
    record_setup(&recording);
    next_status = CL_DEVICE_NOT_AVAILABLE;
    assert_int_equal(run(&recording, &result, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text,
                        "call 1, clCreateContext: it succeeded in the recording and fails on the "
                        "target with CL_DEVICE_NOT_AVAILABLE");
}

static void other_statuses_are_told(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    recording_call(&recording, API_ENTRY_clFlush, 1, 1000, 1010);
    recording_scalar(&recording, 0, QUEUE);
    recording_result(&recording, (uint64_t)(int64_t)CL_INVALID_COMMAND_QUEUE);
    recording_end(&recording);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_int_equal(result.status_differences, 1);
    assert_int_equal(seen_status.recorded, CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(seen_status.replayed, CL_SUCCESS);
}

static void released_objects_never_reach_the_target(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    for (int i = 0; i < 2; ++i) {
        recording_call(&recording, API_ENTRY_clReleaseMemObject, 1, 1000, 1010);
        recording_scalar(&recording, 0, BUFFER);
        recording_end(&recording);
    }
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(calls_made.bytes, "context queue buffer release-buffer finish ");
    assert_int_equal(result.not_repeated, 1);
}

static void unknown_objects_are_refused(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    struct error error;
    recording_open(&recording);
    record_queue_call(&recording, API_ENTRY_clFlush, 1, 1000, 1010);
    assert_int_equal(run(&recording, &result, &error), STATUS_NOT_FOUND);
    assert_string_equal(error.text, "call 1, clFlush: 'command_queue' names a command-queue that "
                                    "the recording did not create");
}

static void calls_of_other_extensions_are_counted(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    record_setup(&recording);
    record_queue_call(&recording, API_ENTRY_clEnqueueAcquireExternalMemObjectsKHR, 1, 1000, 1010);
    record_queue_call(&recording, API_ENTRY_clEnqueueReleaseExternalMemObjectsKHR, 1, 1020, 1030);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_string_equal(calls_made.bytes, "context queue buffer finish release-buffer ");
    assert_int_equal(result.extension_calls, 2);
    assert_int_equal(result.performed, 3);
}

static void record_create_with(struct recording *recording, const uint64_t *properties,
                               uint32_t count)
{
    const uint32_t index = API_clCreateBufferWithProperties_properties;
    recording_call(recording, API_ENTRY_clCreateBufferWithProperties, 1, 1000, 1010);
    recording_scalar(recording, API_clCreateBufferWithProperties_context, CONTEXT);
    recording_scalar(recording, API_clCreateBufferWithProperties_size, sizeof memory);
    recording_handles(recording, index, properties, count);
    recording->call.arguments[index].kind = API_VALUE_PROPERTIES;
    recording_result(recording, BUFFER + 1);
    recording_end(recording);
}

static void imported_memory_is_refused(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    struct error error;
    const uint64_t properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 7, 0};
    record_setup(&recording);
    record_create_with(&recording, properties, 3);
    assert_int_equal(run(&recording, &result, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "call 4, clCreateBufferWithProperties, has properties: memory "
                                    "that was imported, or has an address on the device, is not "
                                    "there to replay");
}

static void memory_for_some_devices_is_made(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    const uint64_t properties[] = {CL_MEM_DEVICE_HANDLE_LIST_KHR, DEVICE, DEVICE + 1, 0, 0};
    record_setup(&recording);
    record_create_with(&recording, properties, 5);
    assert_int_equal(run(&recording, &result, NULL), STATUS_OK);
    assert_int_equal(result.performed, 4);
}

/* Such as those of a driver whose functions have other parameters. */
static void unseen_commands_are_missed(void **state)
{
    (void)state;
    struct recording recording;
    struct text list = TEXT_INIT;
    struct trace *trace = NULL;
    const struct replay_target target = make_target();
    static const char name[] = "clCommandBarrierWithWaitListKHR";
    const uint32_t index = API_clGetExtensionFunctionAddressForPlatform_func_name;
    record_setup(&recording);
    recording_call(&recording, API_ENTRY_clGetExtensionFunctionAddressForPlatform, 1, 1000, 1010);
    recording.call.flags |= API_CALL_PASSES;
    recording.call.arguments[index] = (struct api_value){
        .kind = API_VALUE_STRING, .present = true, .size = strlen(name), .data = name};
    recording_end(&recording);
    record_create(&recording, API_ENTRY_clCreateCommandBufferKHR, 1, 0x90);
    recording_close(&recording);
    assert_int_equal(trace_open(recording.path, &trace, NULL), STATUS_OK);
    assert_int_equal(replay_missing(trace, &target, &list, NULL), STATUS_OK);
    assert_string_equal(list.bytes, "command-buffers of a driver with an older "
                                    "cl_khr_command_buffer than 0.9.5, whose commands were not "
                                    "recorded: 1 call, the first is call 5, "
                                    "clCreateCommandBufferKHR\n");
    text_release(&list);
    trace_close(trace);
    recording_remove(&recording);
}

static void missing_bytes_are_refused(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    struct error error;
    record_setup(&recording);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 1, true, 1000, 1010, 0, 0},
                    NULL);
    assert_int_equal(run(&recording, &result, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no bytes for 'ptr'"));
}

/* A trace from outside may say anything: counts beyond their lists, bytes beyond the memory. */
static void nonsense_is_refused(void **state)
{
    (void)state;
    struct recording recording;
    struct replay_result result;
    struct error error;
    recording_open(&recording);
    recording_call(&recording, API_ENTRY_clCreateContext, 1, 100, 150);
    recording_scalar(&recording, API_clCreateContext_num_devices, 1000000);
    recording_handles(&recording, API_clCreateContext_devices, (const uint64_t[]){DEVICE}, 1);
    recording_result(&recording, CONTEXT);
    recording_end(&recording);
    assert_int_equal(run(&recording, &result, &error), STATUS_MALFORMED);
    assert_non_null(strstr(error.text, "'devices' has 1 elements in the trace"));

    record_setup(&recording);
    recording_call(&recording, API_ENTRY_clEnqueueWriteBuffer, 1, 1000, 1010);
    recording_scalar(&recording, API_clEnqueueWriteBuffer_command_queue, QUEUE);
    recording_scalar(&recording, API_clEnqueueWriteBuffer_buffer, BUFFER);
    recording_scalar(&recording, API_clEnqueueWriteBuffer_size, 4);
    recording_pointer(&recording, API_clEnqueueWriteBuffer_ptr, 0x5000);
    recording_content(&recording, API_clEnqueueWriteBuffer_ptr, bytes, 8);
    recording_end(&recording);
    assert_int_equal(run(&recording, &result, &error), STATUS_MALFORMED);
    assert_non_null(strstr(error.text, "outside the call's memory"));
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    const struct replay_target target = make_target();
    const struct replay_options options = {.user = &seen, .difference = take_difference};
    struct recording recording;
    struct trace *trace = NULL;
    record_setup(&recording);
    record_transfer(&recording,
                    &(struct transfer){API_ENTRY_clEnqueueWriteBuffer, 1, true, 1000, 1010, 0, 0},
                    bytes);
    record_transfer(
        &recording,
        &(struct transfer){API_ENTRY_clEnqueueReadBuffer, 1, false, 1100, 1110, EVENT, 0}, bytes);
    record_queue_call(&recording, API_ENTRY_clFinish, 1, 1200, 1210);
    recording_close(&recording);
    assert_int_equal(trace_open(recording.path, &trace, NULL), STATUS_OK);
    text_format(&calls_made, "%1000d",
                0); /* room enough: the fake driver's own text must not fail */
    enum status status = STATUS_NO_MEMORY;
    uint64_t n = 0;
    while (status != STATUS_OK) {
        struct replay_result result;
        text_clear(&calls_made);
        const uint64_t live = alloc_live_count();
        alloc_fail_at(++n);
        status = replay_run(trace, &target, &options, &result, NULL);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        assert_int_equal(alloc_live_count(), live);
        assert_true(n < 10000);
    }
    assert_true(n > 10);
    trace_close(trace);
    recording_remove(&recording);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, release)
    const struct CMUnitTest tests[] = {
        TEST(equal_read_backs_are_counted),
        TEST(the_first_difference_is_named),
        TEST(late_read_backs_are_compared_when_they_are_over),
        TEST(overlapping_waits_do_not_stop_replay),
        TEST(an_overlapped_finish_comes_where_it_returned),
        TEST(a_killed_run_is_replayed_to_its_end),
        TEST(what_succeeded_must_succeed),
        TEST(other_statuses_are_told),
        TEST(released_objects_never_reach_the_target),
        TEST(unknown_objects_are_refused),
        TEST(calls_of_other_extensions_are_counted),
        TEST(imported_memory_is_refused),
        TEST(memory_for_some_devices_is_made),
        TEST(unseen_commands_are_missed),
        TEST(missing_bytes_are_refused),
        TEST(nonsense_is_refused),
        TEST(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
