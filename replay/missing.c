/* What a recording needs that the target, or replay itself, does not have: found before anything
 * runs. */
#include "replay/replay.h"

#include <string.h>

enum feature {
    FEATURE_NONE,
#define FEATURE(symbol, sentence) FEATURE_##symbol,
#include "replay/missing.def"
#undef FEATURE
    FEATURE_COUNT
};

static const char *const feature_names[FEATURE_COUNT] = {
#define FEATURE(symbol, sentence) [FEATURE_##symbol] = (sentence),
#include "replay/missing.def"
#undef FEATURE
};

/* The target, and a context of it for trying what only its driver knows; NULL until then. */
struct trial {
    struct trace *trace;
    const struct replay_target *target;
    cl_context context;
    uint64_t possible_size; /* of a buffer: it says so, or made one; 0 = not asked */
    bool commands_pass;     /* the program has a function that records commands unseen */
    struct use {
        uint64_t count, first_id;
        const char *first_name;
    } uses[FEATURE_COUNT]; /* of calls that need the feature */
};

static bool contains(const char *name, const char *word)
{
    return strstr(name, word) != NULL;
}

/* The bytes of a list's first string; NULL when there is none. */
static const unsigned char *first_string(const struct api_value *value, size_t *size)
{
    uint64_t length;
    if (!value->present || !value->count || value->size < sizeof length)
        return NULL;
    memcpy(&length, value->data, sizeof length);
    if (length > value->size - sizeof length)
        return NULL;
    *size = length;
    return (const unsigned char *)value->data + sizeof length;
}

static cl_context trial_context(struct trial *trial)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)trial->target->platform, 0};
    cl_int status;
    if (!trial->context)
        trial->context = CL(trial->target, clCreateContext)(properties, 1, &trial->target->device,
                                                            NULL, NULL, &status);
    return trial->context;
}

/* Has the target room for such a buffer, by its own word or because it made one? */
static bool has_room(struct trial *trial, uint64_t size)
{
    const struct replay_target *target = trial->target;
    cl_ulong said = 0;
    if (trial->possible_size == 0 &&
        CL(target, clGetDeviceInfo)(target->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof said,
                                    &said, NULL) == CL_SUCCESS)
        trial->possible_size = said;
    return size <= trial->possible_size;
}

/* Whether a buffer that was made in the recording is refused for its size. Drivers may make larger
 * ones than CL_DEVICE_MAX_MEM_ALLOC_SIZE says, so they are asked; but not for others, as the
 * reference device numbers its buffers, and findings name the replayed ones. */
static bool refuses_size(struct trial *trial, const struct api_call *call)
{
    const bool has_properties = call->entry == API_ENTRY_clCreateBufferWithProperties;
    const uint64_t size = call->arguments[has_properties ? API_clCreateBufferWithProperties_size
                                                         : API_clCreateBuffer_size]
                              .bits;
    cl_int status = CL_SUCCESS;
    if (!call->result.bits || has_room(trial, size) || !trial_context(trial))
        return false;
    cl_mem buffer =
        CL(trial->target, clCreateBuffer)(trial->context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (buffer) {
        CL(trial->target, clReleaseMemObject)(buffer);
        trial->possible_size = size;
    }
    return !buffer && status == CL_INVALID_BUFFER_SIZE;
}

/* Whether a binary that was loaded in the recording is refused as none of the target's. Only its
 * driver knows its binaries, so it is asked. Replay takes the first binary of a list: there is one
 * device. */
static bool refuses_binary(struct trial *trial, const struct api_call *call)
{
    const struct replay_target *target = trial->target;
    size_t size = 0;
    const unsigned char *binary =
        first_string(&call->arguments[API_clCreateProgramWithBinary_binaries], &size);
    cl_int status = CL_SUCCESS;
    if (!call->result.bits || !binary || !trial_context(trial))
        return false;
    cl_program program = CL(target, clCreateProgramWithBinary)(trial->context, 1, &target->device,
                                                               &size, &binary, NULL, &status);
    if (program)
        CL(target, clReleaseProgram)(program);
    return !program && status == CL_INVALID_BINARY;
}

/* Whether the target lacks built-in kernels that the recording got: it has others of its own. */
static bool refuses_built_ins(struct trial *trial, const struct api_call *call)
{
    const struct replay_target *target = trial->target;
    const struct api_value *names =
        &call->arguments[API_clCreateProgramWithBuiltInKernels_kernel_names];
    cl_int status = CL_SUCCESS;
    if (!call->result.bits || names->kind != API_VALUE_STRING || !trial_context(trial))
        return false;
    struct arena arena = {0};
    const char *list = arena_string_n(&arena, names->data, names->size);
    cl_program program = NULL;
    if (list)
        program = CL(target, clCreateProgramWithBuiltInKernels)(trial->context, 1, &target->device,
                                                                list, &status);
    arena_release(&arena);
    if (program)
        CL(target, clReleaseProgram)(program);
    return !program && status == CL_INVALID_VALUE;
}

/* Of a call that gave the program a function whose calls are not seen. */
static bool passes_commands(const struct api_call *call)
{
    static const char *const starts[] = {"clCommand", "clUpdateMutableCommands"};
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), "func_name");
    const struct api_value *name = index == API_PARAMETER_NONE ? NULL : &call->arguments[index];
    if (!name || !(call->flags & API_CALL_PASSES) || name->kind != API_VALUE_STRING)
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i)
        if (name->size >= strlen(starts[i]) &&
            memcmp(name->data, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static cl_device_svm_capabilities needed_svm(const struct api_call *call)
{
    const cl_svm_mem_flags flags = call->arguments[API_clSVMAlloc_flags].bits;
    return (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? CL_DEVICE_SVM_FINE_GRAIN_BUFFER : 0) |
           (flags & CL_MEM_SVM_ATOMICS ? CL_DEVICE_SVM_ATOMICS : 0);
}

/* Of a native kernel, what it left in its memory objects. */
static bool lacks_contents(struct trace *trace, const struct api_call *call)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    size_t count = 0;
    if (api_call_status(call) != CL_SUCCESS ||
        !call->arguments[API_clEnqueueNativeKernel_num_mem_objects].bits)
        return false;
    const bool has = !trace_contents(trace, call->id, &arena, &contents, &count, NULL) && count;
    arena_release(&arena);
    return !has;
}

static enum feature needed_feature(const struct api_call *call, struct trial *trial)
{
    const struct replay_target *target = trial->target;
    const struct api_entry_info *info = api_entry_get(call->entry);
    const char *name = info->name;
    trial->commands_pass |= passes_commands(call);
    if (strncmp(name, "clGet", 5) == 0)
        return FEATURE_NONE;
    if (strncmp(info->since, "cl_khr_command_buffer", strlen("cl_khr_command_buffer")) == 0)
        return trial->commands_pass              ? FEATURE_UNSEEN_COMMANDS
               : !target->functions[call->entry] ? FEATURE_COMMAND_BUFFERS
                                                 : FEATURE_NONE;
    if (strcmp(info->since, "cl_khr_semaphore") == 0 && !target->functions[call->entry])
        return FEATURE_SEMAPHORES;
    if (contains(info->since, "gl_") || contains(info->since, "egl") || contains(name, "D3D") ||
        contains(name, "DX9"))
        return FEATURE_SHARING;
    if (target->svm && call->entry == API_ENTRY_clSVMAlloc && call->result.bits &&
        needed_svm(call) & ~target->svm)
        return FEATURE_FINE_SVM;
    if (!target->svm && (contains(name, "SVM") || call->entry == API_ENTRY_clSetKernelExecInfo))
        return FEATURE_SVM;
    if (strcmp(info->since, "cl_intel_unified_shared_memory") == 0 &&
        !target->functions[call->entry])
        return FEATURE_USM;
    if (call->entry == API_ENTRY_clEnqueueNativeKernel && lacks_contents(trial->trace, call))
        return FEATURE_NATIVE_KERNEL;
    if (call->entry == API_ENTRY_clCreateProgramWithBuiltInKernels &&
        refuses_built_ins(trial, call))
        return FEATURE_BUILT_IN_KERNELS;
    if (call->entry == API_ENTRY_clCreateProgramWithBinary && refuses_binary(trial, call))
        return FEATURE_BINARIES;
    if ((call->entry == API_ENTRY_clCreateBuffer ||
         call->entry == API_ENTRY_clCreateBufferWithProperties) &&
        refuses_size(trial, call))
        return FEATURE_LARGE_BUFFERS;
    if (!target->has_images && contains(name, "Image"))
        return FEATURE_IMAGES;
    if (!target->has_pipes && call->entry == API_ENTRY_clCreatePipe)
        return FEATURE_PIPES;
    return FEATURE_NONE;
}

static enum status note_feature(void *user, const struct api_call *call, struct error *error)
{
    struct trial *trial = user;
    (void)error;
    if (call->flags & API_CALL_BLOCKED)
        return STATUS_OK;
    struct use *use = &trial->uses[needed_feature(call, trial)];
    if (use->count++ == 0) {
        use->first_id = call->id;
        use->first_name = api_entry_get(call->entry)->name;
    }
    return STATUS_OK;
}

enum status replay_missing(struct trace *trace, const struct replay_target *target,
                           struct text *list, struct error *error)
{
    struct trial trial = {.trace = trace, .target = target};
    enum status status = trace_each_call(trace, NULL, note_feature, &trial, error);
    if (trial.context)
        CL(target, clReleaseContext)(trial.context);
    for (int feature = FEATURE_NONE + 1; status == STATUS_OK && feature < FEATURE_COUNT;
         ++feature) {
        const struct use *use = &trial.uses[feature];
        if (use->count)
            text_format(list, "%s: %llu call%s, the first is call %llu, %s\n",
                        feature_names[feature], (unsigned long long)use->count,
                        use->count == 1 ? "" : "s", (unsigned long long)use->first_id,
                        use->first_name);
    }
    if (status == STATUS_OK && list->failed)
        status = error_no_memory(error, 256);
    return status;
}
