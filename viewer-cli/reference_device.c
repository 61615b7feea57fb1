#include "viewer-cli/reference_device.h"

#include "viewer-cli/drivers.h"

#include <dlfcn.h>
#include <stddef.h>

static enum status open_loader(struct reference_device *reference, struct error *error)
{
    /* The loader shows the reference device alone, and no layer comes between. */
    enum status status = drivers_choose_reference(drivers_set_own, NULL, error);
    if (!status)
        status = drivers_set_own(NULL, "OPENCL_LAYERS", NULL, error);
    if (status)
        return status;
    reference->library = dlopen(REFERENCE_LOADER, RTLD_NOW | RTLD_LOCAL);
    return reference->library ? STATUS_OK
                              : error_set(error, STATUS_NOT_FOUND,
                                          "the OpenCL loader " REFERENCE_LOADER
                                          " is not there (Debian: ocl-icd-libopencl1)");
}

static enum status find_device(struct reference_device *reference, struct error *error)
{
    __typeof__(&clGetPlatformIDs) get_platforms;
    __typeof__(&clGetDeviceIDs) get_devices;
    __typeof__(&clGetExtensionFunctionAddressForPlatform) get_function;
    cl_uint count = 0;
    *(void **)&get_platforms = dlsym(reference->library, "clGetPlatformIDs");
    *(void **)&get_devices = dlsym(reference->library, "clGetDeviceIDs");
    *(void **)&get_function = dlsym(reference->library, "clGetExtensionFunctionAddressForPlatform");
    if (!get_platforms || !get_devices || !get_function)
        return error_set(error, STATUS_NOT_FOUND,
                         REFERENCE_LOADER " lacks functions of OpenCL 1.2");
    if (get_platforms(1, &reference->platform, &count) != CL_SUCCESS || count == 0 ||
        (get_devices(reference->platform, CL_DEVICE_TYPE_ALL, 1, &reference->device, NULL) !=
             CL_SUCCESS &&
         get_devices(reference->platform, CL_DEVICE_TYPE_CUSTOM, 1, &reference->device, NULL) !=
             CL_SUCCESS))
        return error_set(error, STATUS_NOT_FOUND,
                         "the reference device is not there (clerk doctor says what is missing)");
    *(void **)&reference->set_sink = get_function(reference->platform, SINK_SET_FUNCTION);
    *(void **)&reference->set_option = get_function(reference->platform, SINK_OPTION_FUNCTION);
    *(void **)&reference->set_exploring = get_function(reference->platform, SINK_EXPLORE_FUNCTION);
    *(void **)&reference->set_print = get_function(reference->platform, SINK_PRINT_FUNCTION);
    *(void **)&reference->set_meter = get_function(reference->platform, SINK_METER_FUNCTION);
    *(void **)&reference->create_empty = get_function(reference->platform, SINK_EMPTY_FUNCTION);
    *(void **)&reference->lacks_memory = get_function(reference->platform, SINK_MEMORY_FUNCTION);
    *(void **)&reference->set_debugger = get_function(reference->platform, DEBUG_SET_FUNCTION);
    if (!reference->set_sink || !reference->lacks_memory || !reference->set_option ||
        !reference->set_exploring || !reference->set_print || !reference->set_meter ||
        !reference->create_empty)
        return error_set(error, STATUS_NOT_FOUND,
                         "the loader offers another device than the reference device");
    return STATUS_OK;
}

enum status reference_device_open(struct reference_device *reference, struct error *error)
{
    const enum status status = open_loader(reference, error);
    return status == STATUS_OK ? find_device(reference, error) : status;
}
