/* Calls every entry point with NULL in the place of each handle and pointer in turn, and of all of
 * them, under the layer, which refuses what is wrong. The program and the driver must survive it.
 *
 *     test_rules_nulls VENDORS LAYER FINDINGS */
#include "trace/api/entry.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t handles[API_OBJECT_KIND_COUNT];
static uint64_t room[64]; /* what is written to, or read: zeros */

static uint64_t handle_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static void make_objects(void)
{
    const char *source = "kernel void one_buffer(global int *to) { *to = 1; }";
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int status;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    handles[API_OBJECT_PLATFORM] = handle_of(platform);
    handles[API_OBJECT_DEVICE] = handle_of(device);
    handles[API_OBJECT_CONTEXT] = handle_of(context);
    handles[API_OBJECT_PROGRAM] = handle_of(program);
    handles[API_OBJECT_KERNEL] = handle_of(clCreateKernel(program, "one_buffer", &status));
    handles[API_OBJECT_QUEUE] = handle_of(clCreateCommandQueue(context, device, 0, &status));
    handles[API_OBJECT_MEM] =
        handle_of(clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &status));
    handles[API_OBJECT_SAMPLER] =
        handle_of(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &status));
    cl_event event = clCreateUserEvent(context, &status);
    clSetUserEventStatus(event, CL_COMPLETE);
    handles[API_OBJECT_EVENT] = handle_of(event);
}

/* NULL where the driver has none: a loader would call it all the same. */
static api_function *function_of(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const cl_platform_id platform = (cl_platform_id)(uintptr_t)handles[API_OBJECT_PLATFORM];
    const cl_icd_dispatch *dispatch;
    if (info->flags & API_ENTRY_EXTENSION)
        return (api_function *)clGetExtensionFunctionAddressForPlatform(platform, info->name);
    memcpy(&dispatch, platform, sizeof dispatch); /* a driver's objects begin with it */
    return api_dispatch_function(dispatch, sizeof *dispatch / sizeof(void *), entry)
               ? (api_function *)dlsym(RTLD_DEFAULT, info->name)
               : NULL;
}

static bool can_be_null(const struct api_parameter *parameter)
{
    return parameter->role == API_ROLE_HANDLE || strchr(parameter->type, '*') != NULL;
}

/* Right as far as one value suits all: lists are empty, and what is written has room. */
static uint64_t usual_word(const struct api_parameter *parameter)
{
    if (parameter->role == API_ROLE_HANDLE)
        return handles[parameter->kind];
    return parameter->flags & API_PARAMETER_OUT ? handle_of(room) : 0;
}

/* With NULL for this parameter; for all that can be, where there is none of that number. */
static void call_with_null(uint32_t entry, api_function *function, uint32_t null)
{
    const struct api_entry_info *info = api_entry_get(entry);
    uint64_t words[API_ARGUMENT_MAX] = {0};
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (i != null && null < info->parameter_count)
            words[i] = usual_word(&info->parameters[i]);
    if (null < info->parameter_count && info->parameters[null].count_index != API_PARAMETER_NONE)
        words[info->parameters[null].count_index] = 1;
    memset(room, 0, sizeof room);
    api_perform(entry, function, words);
}

static size_t call_all(void)
{
    size_t calls = 0;
    make_objects();
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; entry++) {
        const struct api_entry_info *info = api_entry_get(entry);
        api_function *function = function_of(entry);
        if (!function)
            continue;
        fprintf(stderr, "%s\n", info->name); /* the last one is it, if the program crashes */
        for (uint32_t i = 0; i <= info->parameter_count; i++) {
            if (i < info->parameter_count && !can_be_null(&info->parameters[i]))
                continue;
            call_with_null(entry, function, i);
            calls++;
        }
    }
    return calls;
}

static size_t count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t count = 0;
    for (int c; file && (c = getc(file)) != EOF;)
        count += c == '\n';
    if (file)
        fclose(file);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    remove(argv[3]);
    setenv("OCL_ICD_VENDORS", argv[1], 1);
    setenv("OPENCL_LAYERS", argv[2], 1);
    setenv("CLERK_FINDINGS", argv[3], 1);
    setenv("CLERK_CHECKS", "all", 1);
    setenv("CLERK_FAIL_CALLS", "1", 1);
    const size_t calls = call_all();
    const size_t findings = count_lines(argv[3]);
    printf("nulls: %zu calls, %zu findings\n", calls, findings);
    return findings > 200 ? 0 : 1;
}
