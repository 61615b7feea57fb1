/* The reference device within this process, over a loader that shows it alone, for verbs that run
 * kernels. Once per process: environment variables are set that the loader reads once. */
#ifndef VIEWER_CLI_REFERENCE_DEVICE_H
#define VIEWER_CLI_REFERENCE_DEVICE_H

#include "checkers/sink.h"
#include "trace/base/status.h"
#include "trace/debug/requests.h"

#include <CL/cl.h>

/* Found by name, so that clerk runs where no loader is installed. */
#define REFERENCE_LOADER "libOpenCL.so.1"

struct reference_device {
    void *library; /* the loader's; it stays open: the device has a thread that ends with the
                      process */
    cl_platform_id platform;
    cl_device_id device;
    sink_set_function *set_sink;
    sink_option_function *set_option;
    sink_explore_function *set_exploring;
    sink_print_function *set_print;
    sink_meter_function *set_meter;
    sink_empty_function *create_empty;
    sink_memory_function *lacks_memory;
    debug_set_function *set_debugger; /* NULL: a device that cannot be debugged */
};

enum status reference_device_open(struct reference_device *reference, struct error *error);

#endif
