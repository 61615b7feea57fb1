/* How the reference device and whoever uses it in the same process (layer, clerk kernel, clerk
 * replay) meet: two extension functions of the device, found with
 * clGetExtensionFunctionAddressForPlatform. Without a sink the device reports by itself, on
 * standard error at the end of the process or into the file that CLERK_FINDINGS names. Both sides
 * are of one build: the layout of `struct finding` is checked by SINK_VERSION and a mismatch is
 * refused. */
#ifndef CHECKERS_SINK_H
#define CHECKERS_SINK_H

#include <stdint.h>

struct finding;

enum { SINK_VERSION = 1 };

#define SINK_SET_FUNCTION    "clSetFindingSinkCLERK"
#define SINK_OPTION_FUNCTION "clSetDeviceOptionCLERK"
#define SINK_CALL_FUNCTION   "clSetLaunchCallCLERK"

/* Called on the thread that executes the launch, one call at a time, in the order of discovery; the
 * finding is valid during the call only. The sink must not call OpenCL. */
typedef void sink_function(void *user, const struct finding *finding);

/* clSetFindingSinkCLERK: findings of every later launch go to `sink` (NULL: the device reports by
 * itself again). Returns 0, or CL_INVALID_VALUE when `version` is not the device's SINK_VERSION. */
typedef int32_t sink_set_function(uint32_t version, sink_function *sink, void *user);

/* clSetDeviceOptionCLERK: sets a device setting of trace/api/settings.def by name ("schedule",
 * "checks", "scope-rule") for launches enqueued from now on. Returns 0, or CL_INVALID_VALUE for an
 * unknown name or value. */
typedef int32_t sink_option_function(const char *name, const char *value);

/* clSetLaunchCallCLERK: findings of the launch that the calling thread enqueues next belong to this
 * call of the trace (`call_id` of the finding). Optional: a device without it leaves call_id 0. */
typedef void sink_call_function(uint64_t call_id);

#endif
