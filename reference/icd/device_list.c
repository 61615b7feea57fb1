#include "reference/icd/device_list.h"

#include "trace/base/alloc.h"

bool device_list_has(const struct device_list *list, cl_device_id device)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->devices[i] == device)
            return true;
    }
    return false;
}

cl_int device_list_copy(const cl_device_id *devices, size_t count, struct device_list *list)
{
    struct device_list copy = {.devices = alloc_zero(count, sizeof(*copy.devices))};
    if (!copy.devices)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int result = CL_SUCCESS;
    icd_lock();
    for (size_t i = 0; i < count && result == CL_SUCCESS; i++) {
        if (!object_is(devices[i], OBJECT_DEVICE)) {
            result = CL_INVALID_DEVICE;
        } else if (!device_list_has(&copy, devices[i])) {
            object_hold(devices[i]);
            copy.devices[copy.count++] = devices[i];
        }
    }
    if (result != CL_SUCCESS)
        device_list_release(&copy);
    icd_unlock();
    if (result == CL_SUCCESS)
        *list = copy;
    return result;
}

void device_list_release(struct device_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        object_drop(list->devices[i]);
    alloc_free(list->devices);
    *list = (struct device_list){0};
}
