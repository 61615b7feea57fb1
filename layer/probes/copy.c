#include "layer/probes/copy.h"

#include "checkers/probe/report.h"
#include "layer/driver/driver_ask.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <string.h>

enum { DEVICES_MAX = 64, LOG_LINE_MAX = 200 };

size_t copy_report_records(const struct copy *copy)
{
    const size_t sites = REPORT_SITES + copy->checked->site_count;
    return (sites + REPORT_RECORD_WORDS - 1) / REPORT_RECORD_WORDS * REPORT_RECORD_WORDS;
}

size_t copy_report_words(const struct copy *copy)
{
    return copy_report_records(copy) + (size_t)REPORT_RECORD_MAX * REPORT_RECORD_WORDS;
}

/* ---- building ---- */

static bool has_targets(void)
{
    static const uint32_t entries[] = {API_ENTRY_clCreateProgramWithSource,
                                       API_ENTRY_clBuildProgram,
                                       API_ENTRY_clReleaseProgram,
                                       API_ENTRY_clGetProgramBuildInfo,
                                       API_ENTRY_clCreateBuffer,
                                       API_ENTRY_clReleaseMemObject,
                                       API_ENTRY_clCreateKernel,
                                       API_ENTRY_clReleaseKernel,
                                       API_ENTRY_clSetKernelArg};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!layer_targets[entries[i]])
            return false;
    return true;
}

/* The first line of the log that tells of an error. */
static const char *first_error(struct copy *copy, cl_program program)
{
    size_t size = 0;
    for (size_t i = 0; i < copy->device_count; i++) {
        cl_device_id device = copy->devices[i].device;
        if (LAYER_TARGET(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                                &size) != CL_SUCCESS ||
            size == 0)
            continue;
        char *log = arena_alloc(&copy->arena, size + 1, 1);
        if (!log || LAYER_TARGET(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, size,
                                                        log, NULL) != CL_SUCCESS)
            continue;
        const char *error = strstr(log, "error");
        while (error && error > log && error[-1] != '\n')
            error--;
        const char *line = error ? error : log;
        const size_t length = strcspn(line, "\n");
        if (length > 0)
            return arena_string_n(&copy->arena, line,
                                  length < LOG_LINE_MAX ? length : LOG_LINE_MAX);
    }
    return NULL;
}

static const char *refusal(struct copy *copy, cl_program program)
{
    const char *error = program ? first_error(copy, program) : NULL;
    const char *reason =
        error ? arena_format(&copy->arena, "the driver refuses its checked copy: %s", error) : NULL;
    return reason ? reason : "the driver refuses its checked copy";
}

static cl_program create(cl_context context, const struct checked_part *part)
{
    const char *text = part->text;
    cl_int status;
    if (part->is_il)
        return LAYER_TARGET(clCreateProgramWithIL)
                   ? LAYER_TARGET(clCreateProgramWithIL)(context, text, part->size, &status)
                   : NULL;
    return LAYER_TARGET(clCreateProgramWithSource)(context, 1, &text, &part->size, &status);
}

static void list_devices(const struct copy *copy, cl_device_id *devices)
{
    for (size_t i = 0; i < copy->device_count; i++)
        devices[i] = copy->devices[i].device;
}

/* NULL when memory is out. */
static const char *options_of(struct copy *copy, const struct checked_part *part, bool is_full)
{
    return is_full ? arena_format(&copy->arena, "%s" CHECKED_ALL_CELLS, part->options)
                   : part->options;
}

static cl_program build_one(struct copy *copy, bool is_full, const char **reason)
{
    const struct checked_part *part = &copy->checked->parts[0];
    const char *options = options_of(copy, part, is_full);
    cl_device_id devices[DEVICES_MAX];
    cl_program program = options ? create(copy->context, part) : NULL;
    list_devices(copy, devices);
    if (program && LAYER_TARGET(clBuildProgram)(program, (cl_uint)copy->device_count, devices,
                                                options, NULL, NULL) == CL_SUCCESS)
        return program;
    *reason = refusal(copy, program);
    if (program)
        LAYER_TARGET(clReleaseProgram)(program);
    return NULL;
}

/* The parts that can be compiled; all of them, or there is a reason. */
static size_t compile_parts(struct copy *copy, bool is_full, cl_program *parts, const char **reason)
{
    const struct checked *checked = copy->checked;
    cl_device_id devices[DEVICES_MAX];
    size_t count = 0;
    list_devices(copy, devices);
    for (; count < checked->part_count; count++) {
        const char *options = options_of(copy, &checked->parts[count], is_full);
        parts[count] = options ? create(copy->context, &checked->parts[count]) : NULL;
        if (!parts[count])
            break;
        if (LAYER_TARGET(clCompileProgram)(parts[count], (cl_uint)copy->device_count, devices,
                                           options, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS) {
            *reason = refusal(copy, parts[count]);
            return count + 1;
        }
    }
    if (count < checked->part_count)
        *reason = refusal(copy, NULL);
    return count;
}

static cl_program link_parts(struct copy *copy, bool is_full, const char **reason)
{
    cl_device_id devices[DEVICES_MAX];
    cl_program program = NULL;
    cl_int status = CL_SUCCESS;
    cl_program *parts = arena_alloc(&copy->arena, copy->checked->part_count, sizeof *parts);
    if (!parts || !copy->link_options || !LAYER_TARGET(clCompileProgram) ||
        !LAYER_TARGET(clLinkProgram)) {
        *reason = refusal(copy, NULL);
        return NULL;
    }
    const size_t count = compile_parts(copy, is_full, parts, reason);
    list_devices(copy, devices);
    if (!*reason) {
        program = LAYER_TARGET(clLinkProgram)(copy->context, (cl_uint)copy->device_count, devices,
                                              copy->link_options, (cl_uint)count, parts, NULL, NULL,
                                              &status);
        if (!program || status != CL_SUCCESS)
            *reason = refusal(copy, program);
    }
    for (size_t i = 0; i < count; i++)
        LAYER_TARGET(clReleaseProgram)(parts[i]);
    if (program && *reason) {
        LAYER_TARGET(clReleaseProgram)(program);
        program = NULL;
    }
    return program;
}

/* NULL: `*reason`, which is NULL before, says why. */
static cl_program build(struct copy *copy, bool is_full, const char **reason)
{
    return copy->checked->part_count == 1 ? build_one(copy, is_full, reason)
                                          : link_parts(copy, is_full, reason);
}

cl_program copy_full(struct copy *copy)
{
    const char *reason = NULL;
    pthread_mutex_lock(&copy->mutex);
    const bool has_all = copy->checked->parts[0].is_il;
    if (!copy->has_tried_full && !has_all)
        copy->full = build(copy, true, &reason);
    copy->has_tried_full = true;
    pthread_mutex_unlock(&copy->mutex);
    return has_all ? copy->program : copy->full;
}

/* ---- devices ---- */

static bool is_of_pocl(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char name[64] = "";
    LAYER_TARGET(clGetDeviceInfo)(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return LAYER_TARGET(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) ==
               CL_SUCCESS &&
           strcmp(name, "Portable Computing Language") == 0;
}

/* Those that the program is built for. */
static bool find_devices(struct copy *copy, cl_program program)
{
    cl_device_id devices[DEVICES_MAX];
    size_t size = 0;
    if (!driver_ask(API_ENTRY_clGetProgramInfo, (uint64_t)program, CL_PROGRAM_DEVICES, devices,
                    sizeof devices, &size))
        return false;
    const size_t count = size / sizeof *devices;
    copy->devices = arena_alloc(&copy->arena, count, sizeof *copy->devices);
    for (size_t i = 0; copy->devices && i < count; i++) {
        struct copy_device *device = &copy->devices[copy->device_count];
        cl_build_status status = CL_BUILD_NONE;
        LAYER_TARGET(clGetProgramBuildInfo)
        (program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
        if (status != CL_BUILD_SUCCESS)
            continue;
        device->device = devices[i];
        device->name = driver_ask_text(&copy->arena, (uint64_t)devices[i], CL_DEVICE_NAME);
        const char *extensions =
            driver_ask_text(&copy->arena, (uint64_t)devices[i], CL_DEVICE_EXTENSIONS);
        device->has_long_atomics =
            extensions && strstr(extensions, "cl_khr_int64_extended_atomics") != NULL;
        cl_ulong local_size = 0;
        LAYER_TARGET(clGetDeviceInfo)
        (devices[i], CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_size, &local_size, NULL);
        device->local_size = local_size;
        device->is_of_pocl = is_of_pocl(devices[i]);
        pthread_mutex_init(&device->reading, NULL);
        copy->device_count++;
    }
    return copy->device_count > 0;
}

static void make_reports(struct copy *copy)
{
    const size_t words = copy_report_words(copy);
    uint32_t *zero = alloc_zero(words, sizeof *zero);
    for (size_t i = 0; zero && i < copy->device_count; i++) {
        cl_int status;
        copy->devices[i].report =
            LAYER_TARGET(clCreateBuffer)(copy->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         words * sizeof *zero, zero, &status);
        if (!copy->devices[i].report)
            copy->reason = "the device has no memory for its reports";
    }
    if (!zero)
        copy->reason = "memory is out";
    alloc_free(zero);
}

/* ---- all of it ---- */

/* What the program was linked with; NULL = the driver does not tell. */
static const char *link_options_of(struct copy *copy, cl_program program)
{
    char options[4096] = "";
    return LAYER_TARGET(clGetProgramBuildInfo)(program, copy->devices[0].device,
                                               CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                                               NULL) == CL_SUCCESS
               ? arena_string(&copy->arena, options)
               : NULL;
}

static void make(struct copy *copy, cl_program program)
{
    const char *reason = NULL;
    if (!copy->held) {
        copy->reason = "clerk does not have its source";
    } else if (!(copy->checked = held_facts_wait_checked(copy->held, &copy->facts))) {
        copy->reason = held_facts_have_ended(copy->held)
                           ? "clerk's compiler cannot read it, or clerk doctor finds none"
                           : "clerk's compiler had not read it within 10 seconds";
    } else if (copy->checked->part_count == 0) {
        copy->reason = copy->checked->reason;
    } else if (!has_targets() || !find_devices(copy, program) ||
               !driver_ask(API_ENTRY_clGetProgramInfo, (uint64_t)program, CL_PROGRAM_CONTEXT,
                           &copy->context, sizeof copy->context, NULL)) {
        copy->reason = "the driver does not tell what it was built for";
    } else {
        copy->link_options = link_options_of(copy, program);
        copy->program = build(copy, false, &reason);
        if (copy->program)
            make_reports(copy);
        else
            copy->reason = reason;
    }
}

struct copy *copy_make(cl_program program, struct held_facts *held)
{
    static atomic_uint_fast64_t last;
    struct copy *copy = alloc_zero(1, sizeof *copy);
    if (!copy) {
        held_facts_drop(held);
        return NULL;
    }
    copy->holds = 1;
    copy->number = atomic_fetch_add(&last, 1) + 1;
    copy->held = held;
    copy->reason = "";
    pthread_mutex_init(&copy->mutex, NULL);
    make(copy, program);
    if (copy->reason[0] == '\0') {
        size_t size;
        const void *request = held_facts_request(held, &size);
        copy->key = cache_digest(request, size);
    }
    return copy;
}

struct copy *copy_hold(struct copy *copy)
{
    atomic_fetch_add(&copy->holds, 1);
    return copy;
}

void copy_drop(struct copy *copy)
{
    if (!copy || atomic_fetch_sub(&copy->holds, 1) != 1)
        return;
    for (size_t i = 0; i < copy->device_count; i++) {
        if (copy->devices[i].report)
            LAYER_TARGET(clReleaseMemObject)(copy->devices[i].report);
        pthread_mutex_destroy(&copy->devices[i].reading);
    }
    if (copy->program)
        LAYER_TARGET(clReleaseProgram)(copy->program);
    if (copy->full)
        LAYER_TARGET(clReleaseProgram)(copy->full);
    pthread_mutex_destroy(&copy->mutex);
    held_facts_drop(copy->held);
    arena_release(&copy->arena);
    alloc_free(copy);
}

struct copy_device *copy_find_device(const struct copy *copy, cl_device_id device)
{
    for (size_t i = 0; i < copy->device_count; i++)
        if (copy->devices[i].device == device)
            return &copy->devices[i];
    return NULL;
}
