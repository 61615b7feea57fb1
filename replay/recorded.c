#include "replay/replay.h"

#include "trace/api/entry.h"
#include "trace/api/personality.h"
#include "trace/reader.h"

#include <stdio.h>
#include <string.h>

/* Of the recorded devices the newest version, 310 = 3.1, and the largest sizes; 0 = the trace does
 * not say. */
struct recorded {
    uint64_t version, work_group_size, local_memory, allocation;
};

static uint64_t version_of(const struct api_value *answer)
{
    char text[64] = "";
    unsigned major, minor;
    memcpy(text, answer->data, answer->size < sizeof text ? answer->size : sizeof text - 1);
    return sscanf(text, "OpenCL %2u.%2u", &major, &minor) == 2 ? major * 100 + minor * 10 : 0;
}

static uint64_t number_of(const struct api_value *answer)
{
    uint64_t number = 0;
    if (answer->size <= sizeof number)
        memcpy(&number, answer->data, answer->size);
    return number;
}

static void raise_to(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

static enum status read_answer(void *user, const struct api_call *call, struct error *error)
{
    struct recorded *recorded = user;
    const struct api_value *answer = &call->arguments[API_clGetDeviceInfo_param_value];
    (void)error;
    if (answer->kind != API_VALUE_BYTES || !answer->data)
        return STATUS_OK;
    switch (call->arguments[API_clGetDeviceInfo_param_name].bits) {
    case CL_DEVICE_VERSION:
        raise_to(&recorded->version, version_of(answer));
        break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        raise_to(&recorded->work_group_size, number_of(answer));
        break;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        raise_to(&recorded->local_memory, number_of(answer));
        break;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        raise_to(&recorded->allocation, number_of(answer));
        break;
    }
    return STATUS_OK;
}

/* 0 = the usual size will do, or another one is asked for. */
static uint64_t wanted(uint64_t recorded, uint64_t usual, uint64_t asked)
{
    return recorded > usual && asked == 0 ? recorded : 0;
}

enum status replay_recorded_traits(struct trace *trace, const char *asked, struct text *traits,
                                   struct error *error)
{
    const struct trace_filter filter = {.name = "clGetDeviceInfo", .with_synthetic = true};
    struct recorded recorded = {0};
    struct personality is;
    enum status status = personality_parse(asked, &is, error);
    if (status == STATUS_OK)
        status = trace_each_call(trace, &filter, read_answer, &recorded, error);
    if (status != STATUS_OK)
        return status;
    struct personality taken = {.opencl_3_0 = recorded.version != 0 && recorded.version < 310};
    if (!is.minimum && !is.embedded) { /* their sizes are what they are for */
        taken.work_group_size =
            wanted(recorded.work_group_size, PERSONALITY_USUAL_WORK_GROUP, is.work_group_size);
        taken.local_memory =
            wanted(recorded.local_memory, PERSONALITY_USUAL_LOCAL_MEMORY, is.local_memory);
        taken.allocation = wanted(recorded.allocation, PERSONALITY_USUAL_ALLOCATION, is.allocation);
    }
    if (is.narrow && taken.allocation > PERSONALITY_NARROW_ALLOCATION_MAX)
        taken.allocation = PERSONALITY_NARROW_ALLOCATION_MAX;
    personality_print(&taken, traits);
    return traits->failed ? error_no_memory(error, 256) : STATUS_OK;
}
