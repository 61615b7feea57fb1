/* OpenCL API 3.0, chapter 4.2: the device's timer and the host's. Both are the clock that profiling
 * times come from, counted or, with the setting real-time, measured: "The host timestamp and device
 * timestamp ... each have an implementation-defined timebase." A program that looks at them sees
 * the same times in every run. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"

static cl_ulong read_clock(void)
{
    icd_lock();
    executor_catch_up();
    const cl_ulong now = executor_clock();
    icd_unlock();
    return now;
}

cl_int icd_clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_timestamp,
                                   cl_ulong *host_timestamp)
{
    if (!object_is(device, OBJECT_DEVICE))
        return CL_INVALID_DEVICE;
    if (!device_timestamp || !host_timestamp)
        return CL_INVALID_VALUE;
    *device_timestamp = *host_timestamp = read_clock();
    return CL_SUCCESS;
}

cl_int icd_clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp)
{
    if (!object_is(device, OBJECT_DEVICE))
        return CL_INVALID_DEVICE;
    if (!host_timestamp)
        return CL_INVALID_VALUE;
    *host_timestamp = read_clock();
    return CL_SUCCESS;
}
