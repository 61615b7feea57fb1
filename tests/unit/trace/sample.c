#include "tests/unit/trace/sample.h"
#include "tests/directory.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct api_call sample_call(uint64_t id, uint32_t thread, uint32_t entry)
{
    return (struct api_call){.id = id,
                             .thread = thread,
                             .entry = entry,
                             .begin_ns = id * 1000,
                             .argument_count = api_entry_get(entry)->parameter_count};
}

void sample_scalar(struct api_call *call, uint32_t index, uint64_t value)
{
    call->arguments[index] = (struct api_value){.kind = API_VALUE_SCALAR, .bits = value};
}

void sample_handle(struct api_call *call, uint32_t index, uint64_t handle)
{
    call->arguments[index] = (struct api_value){.kind = API_VALUE_HANDLE, .bits = handle};
}

void sample_list(struct arena *arena, struct api_call *call, uint32_t index,
                 enum api_value_kind kind, const uint64_t *elements, uint32_t count)
{
    call->arguments[index] =
        (struct api_value){.kind = kind,
                           .present = true,
                           .bits = 0x7000,
                           .count = count,
                           .size = count * sizeof *elements,
                           .data = arena_copy(arena, elements, count * sizeof *elements)};
}

void sample_string(struct api_call *call, uint32_t index, const char *string)
{
    call->arguments[index] = (struct api_value){.kind = API_VALUE_STRING,
                                                .present = true,
                                                .bits = 0x7100,
                                                .size = strlen(string),
                                                .data = string};
}

void sample_strings(struct arena *arena, struct api_call *call, uint32_t index, const char *string)
{
    const uint64_t length = strlen(string);
    unsigned char *data = arena_alloc(arena, 1, 8 + length);
    memcpy(data, &length, 8);
    memcpy(data + 8, string, length);
    call->arguments[index] = (struct api_value){.kind = API_VALUE_STRINGS,
                                                .present = true,
                                                .bits = 0x7200,
                                                .count = 1,
                                                .size = 8 + length,
                                                .data = data};
}

void sample_bytes(struct api_call *call, uint32_t index, const void *bytes, uint64_t size)
{
    call->arguments[index] = (struct api_value){
        .kind = API_VALUE_BYTES, .present = true, .bits = 0x7300, .size = size, .data = bytes};
}

static void complete(struct api_call *call)
{
    call->flags |= API_CALL_COMPLETED;
    call->end_ns = call->begin_ns + 500;
}

void sample_returns(struct api_call *call, int32_t status)
{
    complete(call);
    call->result = (struct api_value){.kind = API_VALUE_SCALAR, .bits = (uint64_t)(int64_t)status};
}

void sample_creates(struct api_call *call, uint64_t handle)
{
    complete(call);
    call->result = (struct api_value){.kind = API_VALUE_HANDLE, .bits = handle};
}

void sample_finish(struct spool *spool, uint64_t id, uint32_t thread)
{
    struct api_call call = sample_call(id, thread, API_ENTRY_clFinish);
    sample_handle(&call, API_clFinish_command_queue, 0x40);
    spool_call_begin(spool, &call);
    sample_returns(&call, 0);
    spool_call_end(spool, &call);
}

/* ---- the run ---- */

enum {
    PLATFORM = 0x10,
    DEVICE = 0x20,
    CONTEXT = 0x30,
    QUEUE = 0x40,
    PROGRAM = 0x50,
    KERNEL = 0x60,
    BUFFER = 0x70,
    EVENT = 0x80,
};

static const char source[] = "kernel void sum(global int *a) { a[0] = 1; }\n";

static void put(struct spool *spool, struct api_call *call, int32_t status, uint64_t handle)
{
    spool_call_begin(spool, call);
    if (handle)
        sample_creates(call, handle);
    else
        sample_returns(call, status);
    spool_call_end(spool, call);
}

static void run_setup(struct spool *spool, struct arena *arena, uint64_t *id)
{
    const uint64_t platform = PLATFORM;
    const uint64_t device = DEVICE;
    struct api_call call = sample_call(++*id, 1, API_ENTRY_clGetPlatformIDs);
    sample_list(arena, &call, API_clGetPlatformIDs_platforms, API_VALUE_HANDLES, &platform, 1);
    put(spool, &call, 0, 0);
    call = sample_call(++*id, 1, API_ENTRY_clGetDeviceIDs);
    sample_handle(&call, API_clGetDeviceIDs_platform, PLATFORM);
    sample_list(arena, &call, API_clGetDeviceIDs_devices, API_VALUE_HANDLES, &device, 1);
    put(spool, &call, 0, 0);
    call = sample_call(++*id, 1, API_ENTRY_clGetDeviceInfo);
    sample_handle(&call, API_clGetDeviceInfo_device, DEVICE);
    sample_scalar(&call, API_clGetDeviceInfo_param_name, CL_DEVICE_NAME);
    sample_bytes(&call, API_clGetDeviceInfo_param_value, "tester", 7);
    put(spool, &call, 0, 0);
    call = sample_call(++*id, 1, API_ENTRY_clCreateContext);
    sample_list(arena, &call, API_clCreateContext_devices, API_VALUE_HANDLES, &device, 1);
    put(spool, &call, 0, CONTEXT);
    call = sample_call(++*id, 1, API_ENTRY_clCreateCommandQueue);
    sample_handle(&call, API_clCreateCommandQueue_context, CONTEXT);
    sample_handle(&call, API_clCreateCommandQueue_device, DEVICE);
    put(spool, &call, 0, QUEUE);
}

static void run_program(struct spool *spool, struct arena *arena, uint64_t *id)
{
    struct api_call call = sample_call(++*id, 1, API_ENTRY_clCreateProgramWithSource);
    sample_handle(&call, API_clCreateProgramWithSource_context, CONTEXT);
    sample_scalar(&call, API_clCreateProgramWithSource_count, 1);
    sample_strings(arena, &call, API_clCreateProgramWithSource_strings, source);
    put(spool, &call, 0, PROGRAM);
    call = sample_call(++*id, 1, API_ENTRY_clBuildProgram);
    sample_handle(&call, API_clBuildProgram_program, PROGRAM);
    sample_string(&call, API_clBuildProgram_options, "-DN=4");
    put(spool, &call, 0, 0);
    call = sample_call(++*id, 1, API_ENTRY_clGetProgramBuildInfo);
    sample_handle(&call, API_clGetProgramBuildInfo_program, PROGRAM);
    sample_handle(&call, API_clGetProgramBuildInfo_device, DEVICE);
    sample_scalar(&call, API_clGetProgramBuildInfo_param_name, CL_PROGRAM_BUILD_LOG);
    sample_bytes(&call, API_clGetProgramBuildInfo_param_value, "no warnings", 12);
    put(spool, &call, 0, 0);
    call = sample_call(++*id, 1, API_ENTRY_clCreateKernel);
    sample_handle(&call, API_clCreateKernel_program, PROGRAM);
    sample_string(&call, API_clCreateKernel_kernel_name, "sum");
    put(spool, &call, 0, KERNEL);
}

static void run_buffer(struct spool *spool, uint64_t *id, bool release)
{
    struct api_call call = sample_call(++*id, 1, API_ENTRY_clCreateBuffer);
    sample_handle(&call, API_clCreateBuffer_context, CONTEXT);
    sample_scalar(&call, API_clCreateBuffer_size, 4096);
    put(spool, &call, 0, BUFFER);
    const char *const frames[] = {"make_buffer+0x10 (app)", "main+0x20 (app)"};
    spool_stack(spool, *id, frames, 2);
    if (!release)
        return;
    call = sample_call(++*id, 1, API_ENTRY_clReleaseMemObject);
    sample_handle(&call, API_clReleaseMemObject_memobj, BUFFER);
    put(spool, &call, 0, 0);
}

static void run_launch(struct spool *spool, struct arena *arena, uint64_t *id)
{
    static const uint64_t sizes[] = {1024, 16};
    static const uint64_t event = EVENT;
    static const uint64_t times[] = {5000, 12345};
    struct api_call call = sample_call(++*id, 2, API_ENTRY_clEnqueueNDRangeKernel);
    sample_handle(&call, API_clEnqueueNDRangeKernel_command_queue, QUEUE);
    sample_handle(&call, API_clEnqueueNDRangeKernel_kernel, KERNEL);
    sample_scalar(&call, API_clEnqueueNDRangeKernel_work_dim, 2);
    sample_list(arena, &call, API_clEnqueueNDRangeKernel_global_work_size, API_VALUE_SIZES, sizes,
                2);
    spool_call_begin(spool, &call);
    sample_list(arena, &call, API_clEnqueueNDRangeKernel_event, API_VALUE_HANDLES, &event, 1);
    sample_returns(&call, 0);
    spool_call_end(spool, &call);
    for (int i = 0; i < 2; ++i) {
        call = sample_call(++*id, 2, API_ENTRY_clGetEventProfilingInfo);
        sample_handle(&call, API_clGetEventProfilingInfo_event, EVENT);
        sample_scalar(&call, API_clGetEventProfilingInfo_param_name,
                      i ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START);
        sample_bytes(&call, API_clGetEventProfilingInfo_param_value, &times[i], 8);
        put(spool, &call, 0, 0);
    }
    call = sample_call(++*id, 2, API_ENTRY_clReleaseEvent);
    sample_handle(&call, API_clReleaseEvent_event, EVENT);
    put(spool, &call, 0, 0);
}

void sample_run(struct spool *spool)
{
    struct arena arena = {0};
    uint64_t id = 0;
    run_setup(spool, &arena, &id);
    run_program(spool, &arena, &id);
    run_buffer(spool, &id, true);
    run_buffer(spool, &id, false);
    run_launch(spool, &arena, &id);
    struct api_call call = sample_call(++id, 2, API_ENTRY_clRetainKernel);
    sample_handle(&call, API_clRetainKernel_kernel, 0xdead);
    put(spool, &call, CL_INVALID_KERNEL, 0);
    spool_finding(spool,
                  &(struct spool_finding){
                      .call_id = id,
                      .rule = "handle-foreign",
                      .severity = "error",
                      .message = "0xdead is not a kernel",
                      .json = "{\"finding\":1,\"rule\":\"handle-foreign\","
                              "\"message\":\"0xdead is not a kernel\",\"call\":17,\"count\":1,"
                              "\"places\":[{\"kind\":\"call\",\"function\":"
                              "\"clRetainKernel\",\"argument\":\"kernel\","
                              "\"call\":17}]}"});
    static const char bytes[] = "content of a buffer";
    call = sample_call(++id, 1, API_ENTRY_clEnqueueWriteBuffer);
    sample_handle(&call, API_clEnqueueWriteBuffer_command_queue, QUEUE);
    sample_handle(&call, API_clEnqueueWriteBuffer_buffer, BUFFER);
    put(spool, &call, 0, 0);
    spool_content(spool, id,
                  &(struct api_content){.argument = API_clEnqueueWriteBuffer_ptr,
                                        .size = sizeof bytes,
                                        .bytes = bytes});
    sample_finish(spool, ++id, 1);
    spool_fact(spool, "device.0.name", "tester");
    arena_release(&arena);
}

/* ---- files ---- */

static char directory[256];

const char *sample_directory(void)
{
    if (!directory[0]) {
        const char *temporary = getenv("TMPDIR");
        snprintf(directory, sizeof directory, "%.200s/clerk-test-XXXXXX",
                 temporary ? temporary : "/tmp");
        if (!mkdtemp(directory))
            abort();
    }
    return directory;
}

const char *sample_path(const char *file)
{
    enum { PATH_COUNT = 64 };
    static char paths[PATH_COUNT][512];
    static unsigned next;
    char *path = paths[next++ % PATH_COUNT];
    snprintf(path, 512, "%s/%s", sample_directory(), file);
    return path;
}

void sample_clean(void)
{
    if (!directory[0])
        return;
    DIR *listing = opendir(directory);
    const struct dirent *entry;
    while (listing && (entry = readdir(listing)))
        if (entry->d_name[0] != '.') {
            const char *path = sample_path(entry->d_name);
            if (file_is_directory(path))
                directory_remove(path);
            else
                unlink(path);
        }
    if (listing)
        closedir(listing);
    rmdir(directory);
    directory[0] = 0;
}
