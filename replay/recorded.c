#include "replay/recorded.h"

#include "trace/api/entry.h"
#include "trace/reader.h"

#include <stdio.h>
#include <string.h>

static enum status read_version(void *user, const struct api_call *call, struct error *error)
{
    uint32_t *newest = user;
    const struct api_value *answer = &call->arguments[API_clGetDeviceInfo_param_value];
    char text[64] = "";
    unsigned major, minor;
    (void)error;
    if (call->arguments[API_clGetDeviceInfo_param_name].bits != CL_DEVICE_VERSION ||
        answer->kind != API_VALUE_BYTES || !answer->data)
        return STATUS_OK;
    memcpy(text, answer->data, answer->size < sizeof text ? answer->size : sizeof text - 1);
    if (sscanf(text, "OpenCL %2u.%2u", &major, &minor) == 2 && major * 100 + minor * 10 > *newest)
        *newest = major * 100 + minor * 10;
    return STATUS_OK;
}

enum status replay_recorded_version(struct trace *trace, uint32_t *version, struct error *error)
{
    const struct trace_filter filter = {.name = "clGetDeviceInfo", .with_synthetic = true};
    *version = 0;
    return trace_each_call(trace, &filter, read_version, version, error);
}
