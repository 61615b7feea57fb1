/* What is learned of kernels and their arguments (traits.h). */
#include "checkers/host/objects/teaching_call.h"
#include "trace/api/clerk_queries.h"
#include "trace/effect/argument.h"

#include <stdio.h>
#include <string.h>

static void learn_created(const struct lesson *lesson, uint64_t handle)
{
    struct kernel_traits *kernel = lesson_lock(lesson, handle, API_OBJECT_KERNEL);
    if (kernel)
        kernel->created = true;
    lesson_unlock(lesson);
}

void learn_kernels(const struct lesson *lesson)
{
    const struct api_value *list = lesson_argument(lesson, "kernels");
    if (lesson->call->entry == API_ENTRY_clCreateKernel)
        learn_created(lesson, lesson->call->result.bits);
    for (uint32_t i = 0; list && i < list_count(list, API_VALUE_HANDLES); ++i)
        learn_created(lesson, list_word(list, i));
}

void learn_clone(const struct lesson *lesson)
{
    const struct kernel_traits *source =
        object_kernel_traits(lesson->checker->objects, lesson->call->arguments[0].bits);
    struct kernel_traits *kernel =
        source ? lesson_lock(lesson, lesson->call->result.bits, API_OBJECT_KERNEL) : NULL;
    if (!kernel)
        return;
    kernel_copy(kernel, source);
    lesson_unlock(lesson);
}

static void note_change(struct kernel_traits *kernel)
{
    atomic_fetch_add_explicit(&kernel->changes, 1, memory_order_release);
}

/* Setting an argument failed: does it have a value? */
static void lose_argument(struct kernel_traits *kernel, struct argument_traits *argument,
                          const struct api_call *call)
{
    const int32_t error = (int32_t)call->result.bits;
    if (call->entry == API_ENTRY_clSetKernelArg &&
        (error == CL_OUT_OF_RESOURCES || error == CL_OUT_OF_HOST_MEMORY)) {
        argument->lost = true;
        note_change(kernel);
    }
}

/* What an argument is set to, as a part of the kernel's digest; 0 = it is not set. */
static uint64_t part_of_changes(const struct kernel_traits *kernel,
                                const struct argument_traits *argument)
{
    if (!atomic_load_explicit(&argument->set, memory_order_relaxed))
        return 0;
    const uint64_t form =
        (uint64_t)(argument - kernel->arguments) << 34 |
        (uint64_t)atomic_load_explicit(&argument->sized, memory_order_relaxed) << 33 |
        (uint64_t)atomic_load_explicit(&argument->svm, memory_order_relaxed) << 32 |
        atomic_load_explicit(&argument->set_size, memory_order_relaxed);
    return traits_mix(traits_mix(form + 1, form),
                      atomic_load_explicit(&argument->value, memory_order_relaxed));
}

static bool is_set_to(const struct argument_traits *argument,
                      const struct argument_setting *setting)
{
    return atomic_load_explicit(&argument->set, memory_order_relaxed) &&
           !atomic_load_explicit(&argument->lost, memory_order_relaxed) &&
           atomic_load_explicit(&argument->sized, memory_order_relaxed) == setting->sized &&
           atomic_load_explicit(&argument->svm, memory_order_relaxed) == setting->svm &&
           atomic_load_explicit(&argument->set_size, memory_order_relaxed) == setting->size &&
           atomic_load_explicit(&argument->value, memory_order_relaxed) == setting->value;
}

void kernel_set_argument(struct kernel_traits *kernel, struct argument_traits *argument,
                         const struct argument_setting *setting)
{
    if (atomic_load_explicit(&argument->number, memory_order_relaxed) != setting->number)
        atomic_store_explicit(&argument->number, setting->number, memory_order_relaxed);
    if (is_set_to(argument, setting)) /* programs set arguments again before each launch */
        return;
    const uint64_t before = part_of_changes(kernel, argument);
    if (atomic_exchange_explicit(&argument->lost, false, memory_order_relaxed))
        note_change(kernel);
    atomic_store_explicit(&argument->set, true, memory_order_relaxed);
    atomic_store_explicit(&argument->sized, setting->sized, memory_order_relaxed);
    atomic_store_explicit(&argument->svm, setting->svm, memory_order_relaxed);
    atomic_store_explicit(&argument->set_size, setting->size, memory_order_relaxed);
    atomic_store_explicit(&argument->value, setting->value, memory_order_relaxed);
    atomic_fetch_xor_explicit(&kernel->changes, before ^ part_of_changes(kernel, argument),
                              memory_order_release);
}

/* Of a device's address nothing more is known than that the argument has a value. */
static struct argument_setting setting_of(const struct argument_traits *argument,
                                          const struct argument_set *set)
{
    const bool is_shared = set->how == ARGUMENT_SET_SHARED;
    const uint64_t value = is_shared ? set->address : argument_word(set);
    return (struct argument_setting){.svm = is_shared,
                                     .sized = set->how == ARGUMENT_SET_SIZE,
                                     .size = (uint32_t)set->size,
                                     .value = argument_object(argument, value),
                                     .number = argument_number(set)};
}

void kernel_note_thread(struct kernel_traits *kernel, struct argument_traits *argument,
                        uint32_t thread)
{
    const uint32_t before = atomic_load_explicit(&argument->thread, memory_order_relaxed);
    const uint32_t launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed);
    const bool fresh = atomic_load_explicit(&argument->launches, memory_order_relaxed) == launches;
    if (before == thread && fresh)
        return;
    atomic_store_explicit(&argument->overtaken, fresh ? before : 0, memory_order_relaxed);
    atomic_store_explicit(&argument->thread, thread, memory_order_relaxed);
    atomic_store_explicit(&argument->launches, launches, memory_order_relaxed);
    if (fresh && before != 0)
        note_change(kernel);
}

/* One thread at a time may set arguments of a kernel, so nothing is locked. */
void learn_kernel_argument(struct host_checker *checker, const struct api_call *call,
                           const struct api_entry_info *info)
{
    struct argument_set set;
    (void)info;
    if (!argument_set_by(call, &set))
        return;
    struct kernel_traits *kernel = object_kernel_traits(checker->objects, set.kernel);
    if (!kernel || set.index >= TRAITS_ARGUMENTS_MAX)
        return;
    struct argument_traits *argument = &kernel->arguments[set.index];
    if ((int32_t)call->result.bits == CL_SUCCESS) {
        const struct argument_setting setting = setting_of(argument, &set);
        kernel_note_thread(kernel, argument, call->thread);
        kernel_set_argument(kernel, argument, &setting);
    } else {
        lose_argument(kernel, argument, call);
    }
}

static const struct type_name {
    const char *name;
    uint8_t kind;
    uint32_t size; /* of an image its type */
} type_names[] = {
    {"image1d_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE1D},
    {"image1d_buffer_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE1D_BUFFER},
    {"image1d_array_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE1D_ARRAY},
    {"image2d_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE2D},
    {"image2d_depth_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE2D},
    {"image2d_array_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE2D_ARRAY},
    {"image2d_array_depth_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE2D_ARRAY},
    {"image3d_t", ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE3D},
    {"sampler_t", ARGUMENT_SAMPLER, 0},
    {"queue_t", ARGUMENT_QUEUE, 0},
    {"char", ARGUMENT_VALUE, 1},
    {"uchar", ARGUMENT_VALUE, 1},
    {"short", ARGUMENT_VALUE, 2},
    {"ushort", ARGUMENT_VALUE, 2},
    {"half", ARGUMENT_VALUE, 2},
    {"int", ARGUMENT_VALUE, 4},
    {"uint", ARGUMENT_VALUE, 4},
    {"float", ARGUMENT_VALUE, 4},
    {"long", ARGUMENT_VALUE, 8},
    {"ulong", ARGUMENT_VALUE, 8},
    {"double", ARGUMENT_VALUE, 8},
};

/* "float4" is four times "float", and as large as "float3" (OpenCL C 3.0, 6.1.2 and 6.3.5). */
static unsigned vector_width(const char *digits)
{
    static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
    static const unsigned sizes[] = {1, 2, 4, 4, 8, 16};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i)
        if (strcmp(digits, widths[i]) == 0)
            return sizes[i];
    return 0;
}

/* Sets *size: of an image its type. NULL = it is another type. */
static const struct type_name *find_type(const char *name, uint32_t *size)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; ++i) {
        const struct type_name *type = &type_names[i];
        const size_t length = strlen(type->name);
        if (strncmp(name, type->name, length) != 0)
            continue;
        const unsigned width =
            type->kind == ARGUMENT_VALUE ? vector_width(name + length) : name[length] == '\0';
        *size = type->size * width;
        if (width != 0)
            return type;
    }
    return NULL;
}

static void learn_type_name(struct argument_traits *argument, const struct api_value *answer)
{
    char name[64];
    uint32_t found;
    const size_t size = answer->size < sizeof name ? (size_t)answer->size : sizeof name - 1;
    memcpy(name, answer->data, size);
    name[size < sizeof name - 1 ? size : sizeof name - 1] = '\0';
    char *star = strchr(name, '*');
    if (star && star[1] == '\0')
        *star = '\0';
    const struct type_name *type = find_type(name, &found);
    if (star) {
        argument->type_known = true;
        argument->pointed = (uint8_t)(type && type->kind == ARGUMENT_VALUE ? found : 0);
    } else if (type) {
        argument->type = type->kind;
        argument->size = found;
        argument->type_known = true;
    }
}

/* Programs may ask again, while others read it. */
static void learn_name(struct argument_traits *argument, const struct api_value *answer)
{
    const size_t room = sizeof argument->name - 1;
    const size_t size = strnlen(answer->data, (size_t)answer->size);
    const bool fits = size <= room;
    if (size == 0 || argument->name_known)
        return;
    snprintf(argument->name, sizeof argument->name, "%.*s%s", (int)(fits ? size : room - 3),
             (const char *)answer->data, fits ? "" : "...");
    argument->name_known = true;
}

/* Of a type whose name says nothing: a structure, or what the program gave a name to. The size
 * comes after all else; an image would have an access qualifier. */
static void learn_size(struct argument_traits *argument, uint32_t size)
{
    enum { NO_ACCESS = CL_KERNEL_ARG_ACCESS_NONE - CL_KERNEL_ARG_ACCESS_READ_ONLY + 1 };
    enum { PRIVATE = CL_KERNEL_ARG_ADDRESS_PRIVATE - CL_KERNEL_ARG_ADDRESS_GLOBAL + 1 };
    if (argument->type_known || argument->access != NO_ACCESS)
        return;
    if (argument->address == PRIVATE) {
        argument->type = ARGUMENT_VALUE;
        argument->size = size;
    }
    argument->type_known = true;
}

/* A limit of which nothing is known leaves nothing certain. */
static void learn_must(struct kernel_traits *kernel, struct must_traits *must,
                       const struct api_value *answer)
{
    struct clerk_must told;
    if (answer->size != sizeof told)
        return;
    memcpy(&told, answer->data, sizeof told);
    const bool is_limited = told.limit_argument != UINT64_MAX;
    if (is_limited && told.limit_argument >= TRAITS_ARGUMENTS_MAX)
        return;
    must->first = told.first;
    must->size = told.size;
    must->limit = told.limit;
    must->limit_argument = is_limited ? (uint8_t)told.limit_argument : MUST_WITHOUT_LIMIT;
    must->index_bits = (uint8_t)(told.index_bits < 64 ? told.index_bits : 64);
    must->flags = (uint8_t)told.flags;
    kernel->has_must = true;
    if (is_limited)
        kernel->limit_arguments |= UINT64_C(1) << told.limit_argument;
}
_Static_assert(TRAITS_ARGUMENTS_MAX <= 64, "an argument has a bit of limit_arguments");

static void learn_argument(struct kernel_traits *kernel, uint64_t index, uint64_t query,
                           const struct api_value *answer)
{
    uint64_t bits = 0;
    if (index >= TRAITS_ARGUMENTS_MAX)
        return;
    struct argument_traits *argument = &kernel->arguments[index];
    memcpy(&bits, answer->data, answer->size < sizeof bits ? (size_t)answer->size : sizeof bits);
    switch (query) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        argument->address = (uint8_t)(bits - CL_KERNEL_ARG_ADDRESS_GLOBAL + 1);
        break;
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        argument->access = (uint8_t)(bits - CL_KERNEL_ARG_ACCESS_READ_ONLY + 1);
        break;
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        argument->is_pipe = (bits & CL_KERNEL_ARG_TYPE_PIPE) != 0;
        argument->is_const = (bits & CL_KERNEL_ARG_TYPE_CONST) != 0;
        break;
    case CL_KERNEL_ARG_TYPE_NAME:
        learn_type_name(argument, answer);
        break;
    case CL_KERNEL_ARG_NAME:
        learn_name(argument, answer);
        break;
    case CL_KERNEL_ARG_SIZE_CLERK:
        learn_size(argument, (uint32_t)bits);
        break;
    case CL_KERNEL_ARG_ACCESSES_CLERK:
        argument->accesses = (uint8_t)(bits | ACCESSES_KNOWN);
        break;
    case CL_KERNEL_ARG_MUST_READ_CLERK:
        learn_must(kernel, &argument->must_read, answer);
        break;
    case CL_KERNEL_ARG_MUST_WRITE_CLERK:
        learn_must(kernel, &argument->must_write, answer);
        break;
    default:
        break;
    }
}

/* Is an argument set to local memory? */
static bool has_local(const struct kernel_traits *kernel)
{
    bool has = false;
    for (size_t i = 0; i < TRAITS_ARGUMENTS_MAX; ++i)
        has |= kernel->arguments[i].sized;
    return has;
}

static void learn_limit(struct kernel_traits *kernel, uint64_t device, uint64_t query,
                        const struct api_value *answer)
{
    if (query == CL_KERNEL_COMPILE_WORK_GROUP_SIZE && answer->size >= 24) {
        for (size_t i = 0; i < 3; ++i)
            kernel->required[i] = list_word(answer, i);
        kernel->required_known = true;
    }
    const bool of_group = query == CL_KERNEL_WORK_GROUP_SIZE;
    const bool of_local = query == CL_KERNEL_LOCAL_MEM_SIZE && !has_local(kernel);
    if ((!of_group && !of_local) || answer->size < 8)
        return;
    for (size_t i = 0; i < sizeof kernel->limits / sizeof *kernel->limits; ++i) {
        struct kernel_limit *limit = &kernel->limits[i];
        if (limit->device != 0 && limit->device != device)
            continue;
        limit->device = device;
        *(of_group ? &limit->work_group_size : &limit->local_size) = list_word(answer, 0);
        return;
    }
}

static void learn_count(struct kernel_traits *kernel, uint64_t query,
                        const struct api_value *answer)
{
    uint32_t count;
    if (query != CL_KERNEL_NUM_ARGS || answer->size < sizeof count)
        return;
    memcpy(&count, answer->data, sizeof count);
    kernel->argument_count = count;
    kernel->count_known = true;
}

/* A clone, and what clCreateKernelsInProgram makes, have no name of their calls. */
static void learn_function_name(const struct lesson *lesson, const struct api_value *answer)
{
    char detail[OBJECT_DETAIL_SIZE];
    object_name_detail(detail, answer->data, strnlen(answer->data, (size_t)answer->size));
    object_add_detail(lesson->checker->objects, lesson->call->arguments[0].bits, detail);
}

void learn_kernel_answer(const struct lesson *lesson, uint64_t query,
                         const struct api_value *answer)
{
    if (lesson->call->entry == API_ENTRY_clGetKernelInfo && query == CL_KERNEL_FUNCTION_NAME) {
        learn_function_name(lesson, answer);
        return;
    }
    const uint64_t second = lesson->call->arguments[1].bits; /* of the argument; the device */
    struct kernel_traits *kernel = lesson_lock_first(lesson, API_OBJECT_KERNEL);
    if (!kernel)
        return;
    if (lesson->call->entry == API_ENTRY_clGetKernelArgInfo)
        learn_argument(kernel, second, query, answer);
    else if (lesson->call->entry == API_ENTRY_clGetKernelWorkGroupInfo)
        learn_limit(kernel, second, query, answer);
    else
        learn_count(kernel, query, answer);
    lesson_unlock(lesson);
}
