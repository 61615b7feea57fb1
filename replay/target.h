/* The device that a run is replayed on, reached through the OpenCL loader like any program reaches
 * it: OCL_ICD_VENDORS and its kind are set by the caller before the target is opened. */
#ifndef REPLAY_TARGET_H
#define REPLAY_TARGET_H

#include "trace/api/entry.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct replay_target {
    void *library;
    cl_platform_id platform;
    cl_device_id device;
    char *platform_name, *device_name;
    bool has_images, has_pipes;
    cl_device_svm_capabilities svm;
    api_function *functions[API_ENTRY_COUNT]; /* NULL where the loader lacks it */
};

/* Opens the first device of a platform, both counted from 0. STATUS_NOT_FOUND says what is missing:
 * the loader, the platform or a device. Destroy with replay_target_close. */
enum status replay_target_open(uint32_t platform_index, struct replay_target **target,
                               struct error *error);
/* The first device of the driver in this file, without a loader; it has no names and properties. */
enum status replay_target_open_driver(const char *path, struct replay_target **target,
                                      struct error *error);
/* NULL is fine. The loader stays loaded: drivers rarely survive being unloaded. */
void replay_target_close(struct replay_target *target);
/* An extension function of the target's platform; NULL when it has none of that name. */
api_function *replay_target_extension(const struct replay_target *target, const char *name);

/* CL(target, clFinish)(queue): the target's entry point with its own type. It is there: target_open
 * asks for every function that is called this way. */
#define CL(target, name) ((__typeof__(name) *)(target)->functions[API_ENTRY_##name])

#endif
