/* Lists of devices: a context's, and those that a call names. */
#ifndef REFERENCE_ICD_DEVICE_LIST_H
#define REFERENCE_ICD_DEVICE_LIST_H

#include "reference/icd/types.h"

/* Copies what a call names, without repetitions, and holds each device. CL_INVALID_DEVICE for what
 * is no device, CL_OUT_OF_HOST_MEMORY. Unlocked. */
cl_int device_list_copy(const cl_device_id *devices, size_t count, struct device_list *list);

/* Drops the devices. Locked. */
void device_list_release(struct device_list *list);

bool device_list_has(const struct device_list *list, cl_device_id device);

#endif
