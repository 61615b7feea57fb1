#include "trace/api/memory_object.h"

#include "trace/api/call.h"
#include "trace/base/size.h"

#include <string.h>

#define CALL(name) ((__typeof__(name) *)functions[API_ENTRY_##name])

static size_t image_number(api_function *const *functions, cl_mem mem, cl_image_info param_name)
{
    size_t number = 0;
    CALL(clGetImageInfo)(mem, param_name, sizeof number, &number, NULL);
    return number;
}

static bool has_levels_or_samples(api_function *const *functions, cl_mem mem)
{
    cl_uint levels = 0;
    cl_uint samples = 0;
    CALL(clGetImageInfo)(mem, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL);
    CALL(clGetImageInfo)(mem, CL_IMAGE_NUM_SAMPLES, sizeof samples, &samples, NULL);
    return levels > 1 || samples > 1;
}

/* OpenCL API 3.0, 5.3.3: the region of a 1D image array is (width, layers, 1), of a 2D image array
 * (width, height, layers). */
static bool describe_image(api_function *const *functions, cl_mem_object_type type,
                           struct memory_object *object)
{
    const size_t texel = image_number(functions, object->mem, CL_IMAGE_ELEMENT_SIZE);
    const size_t height = image_number(functions, object->mem, CL_IMAGE_HEIGHT);
    const size_t depth = image_number(functions, object->mem, CL_IMAGE_DEPTH);
    const size_t layers = image_number(functions, object->mem, CL_IMAGE_ARRAY_SIZE);
    object->is_image = true;
    object->region[0] = image_number(functions, object->mem, CL_IMAGE_WIDTH);
    object->region[1] = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? layers : height ? height : 1;
    object->region[2] = type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? layers
                        : type == CL_MEM_OBJECT_IMAGE3D     ? depth
                                                            : 1;
    uint64_t size;
    if (!size_mul(object->region[0], texel, &size) || !size_mul(size, object->region[1], &size) ||
        !size_mul(size, object->region[2], &size))
        return false;
    object->size = size;
    return !has_levels_or_samples(functions, object->mem);
}

bool memory_object_describe(api_function *const *functions, cl_mem mem,
                            struct memory_object *object)
{
    cl_mem_object_type type = 0;
    *object = (struct memory_object){.mem = mem};
    if (CALL(clGetMemObjectInfo)(mem, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
        return false;
    if (type == CL_MEM_OBJECT_BUFFER)
        return CALL(clGetMemObjectInfo)(mem, CL_MEM_SIZE, sizeof object->size, &object->size,
                                        NULL) == CL_SUCCESS;
    return type != CL_MEM_OBJECT_PIPE && describe_image(functions, type, object);
}

/* ---- addresses ---- */

/* The function of an extension is the platform's of the queue's device: the program may never have
 * asked for it. */
static api_function *find_copy(api_function *const *functions, cl_command_queue queue)
{
    cl_device_id device = NULL;
    cl_platform_id platform = NULL;
    CALL(clGetCommandQueueInfo)(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    CALL(clGetDeviceInfo)(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    return (api_function *)CALL(clGetExtensionFunctionAddressForPlatform)(platform,
                                                                          "clEnqueueMemcpyINTEL");
}

/* Commands that use it are over: the host's own copy does where the host can reach it. */
static cl_int copy(api_function *const *functions, cl_command_queue queue,
                   const struct memory_object *object, void *to, const void *from)
{
    if (!object->is_unified)
        return CALL(clEnqueueSVMMemcpy)(queue, CL_TRUE, to, from, object->size, 0, NULL, NULL);
    if (object->is_of_host) {
        memcpy(to, from, object->size);
        return CL_SUCCESS;
    }
    api_function *function = find_copy(functions, queue);
    const uint64_t words[API_ARGUMENT_MAX] = {
        [API_clEnqueueMemcpyINTEL_command_queue] = (uintptr_t)queue,
        [API_clEnqueueMemcpyINTEL_blocking] = CL_TRUE,
        [API_clEnqueueMemcpyINTEL_dst_ptr] = (uintptr_t)to,
        [API_clEnqueueMemcpyINTEL_src_ptr] = (uintptr_t)from,
        [API_clEnqueueMemcpyINTEL_size] = object->size,
    };
    return function ? (cl_int)api_perform(API_ENTRY_clEnqueueMemcpyINTEL, function, words)
                    : CL_INVALID_OPERATION;
}

/* ---- by way of another buffer, where the object's flags keep the host away ---- */

static cl_mem create_buffer(api_function *const *functions, const struct memory_object *object,
                            const void *bytes)
{
    cl_context context = NULL;
    cl_int status;
    if (CALL(clGetMemObjectInfo)(object->mem, CL_MEM_CONTEXT, sizeof context, &context, NULL) !=
        CL_SUCCESS)
        return NULL;
    return CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE | (bytes ? CL_MEM_COPY_HOST_PTR : 0),
                                object->size, (void *)(uintptr_t)bytes, &status);
}

static cl_int move_by_copy(api_function *const *functions, cl_command_queue queue,
                           const struct memory_object *object, void *bytes, bool writes)
{
    static const size_t origin[3];
    cl_mem copy = create_buffer(functions, object, writes ? bytes : NULL);
    cl_int status;
    if (!copy)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!object->is_image)
        status = CALL(clEnqueueCopyBuffer)(queue, writes ? copy : object->mem,
                                           writes ? object->mem : copy, 0, 0, object->size, 0, NULL,
                                           NULL);
    else if (writes)
        status = CALL(clEnqueueCopyBufferToImage)(queue, copy, object->mem, 0, origin,
                                                  object->region, 0, NULL, NULL);
    else
        status = CALL(clEnqueueCopyImageToBuffer)(queue, object->mem, copy, origin, object->region,
                                                  0, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = CALL(clFinish)(queue); /* the queue may be out of order */
    if (status == CL_SUCCESS && !writes)
        status =
            CALL(clEnqueueReadBuffer)(queue, copy, CL_TRUE, 0, object->size, bytes, 0, NULL, NULL);
    CALL(clReleaseMemObject)(copy);
    return status;
}

/* ---- reading and writing ---- */

/* Between the object and the host's bytes, which are only read when it writes the object. */
static cl_int move(api_function *const *functions, cl_command_queue queue,
                   const struct memory_object *object, void *bytes, bool writes)
{
    static const size_t origin[3];
    cl_int status;
    if (object->size == 0)
        return CL_SUCCESS;
    if (!object->mem)
        return copy(functions, queue, object, writes ? object->svm : bytes,
                    writes ? bytes : object->svm);
    if (object->is_image)
        status = writes ? CALL(clEnqueueWriteImage)(queue, object->mem, CL_TRUE, origin,
                                                    object->region, 0, 0, bytes, 0, NULL, NULL)
                        : CALL(clEnqueueReadImage)(queue, object->mem, CL_TRUE, origin,
                                                   object->region, 0, 0, bytes, 0, NULL, NULL);
    else
        status = writes ? CALL(clEnqueueWriteBuffer)(queue, object->mem, CL_TRUE, 0, object->size,
                                                     bytes, 0, NULL, NULL)
                        : CALL(clEnqueueReadBuffer)(queue, object->mem, CL_TRUE, 0, object->size,
                                                    bytes, 0, NULL, NULL);
    return status == CL_INVALID_OPERATION ? move_by_copy(functions, queue, object, bytes, writes)
                                          : status;
}

cl_int memory_object_read(api_function *const *functions, cl_command_queue queue,
                          const struct memory_object *object, void *bytes)
{
    return move(functions, queue, object, bytes, false);
}

cl_int memory_object_write(api_function *const *functions, cl_command_queue queue,
                           const struct memory_object *object, const void *bytes)
{
    return move(functions, queue, object, (void *)(uintptr_t)bytes, true);
}
