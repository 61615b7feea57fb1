/* The entry-point table: what each OpenCL entry point is, from trace/api/cl_api.def. */
#ifndef TRACE_API_API_H
#define TRACE_API_API_H

#include "trace/api/call.h"

#include <CL/cl_icd.h>

/* Kinds of OpenCL objects; also what HANDLE roles name. */
enum api_object_kind {
    API_OBJECT_NONE,
    API_OBJECT_PLATFORM,
    API_OBJECT_DEVICE,
    API_OBJECT_CONTEXT,
    API_OBJECT_QUEUE,
    API_OBJECT_MEM,
    API_OBJECT_PROGRAM,
    API_OBJECT_KERNEL,
    API_OBJECT_EVENT,
    API_OBJECT_SAMPLER,
    API_OBJECT_SEMAPHORE,
    API_OBJECT_COMMAND_BUFFER,
    API_OBJECT_MUTABLE_COMMAND,
    API_OBJECT_KIND_COUNT
};
const char *
api_object_kind_name(enum api_object_kind kind); /* "command-queue", "memory object" ... */

#endif
