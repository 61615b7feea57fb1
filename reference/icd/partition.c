/* OpenCL API 3.0, chapter 4.3: partitioning a device. A sub-device is the same machine with fewer
 * compute units; what the device computes does not depend on their number. */
#include "reference/icd/dispatch.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

#include <string.h>

/* How a device is to be cut: the compute units of each sub-device, and the list that says so. */
struct partition {
    cl_uint units[LIMIT_COMPUTE_UNITS_MAX];
    cl_uint count;
    const cl_device_partition_property *properties;
    size_t property_count;                     /* with the final 0 */
    cl_device_partition_property by_domain[3]; /* `properties` with the domain that was found */
};

/* What compute units share, with the trait "affinity": so many neighbours each domain. */
static const struct domain {
    cl_device_affinity_domain name;
    cl_uint units;
} domains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, 16},    {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 8},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 4}, {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 2},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 1},
};
enum { DOMAIN_COUNT = sizeof(domains) / sizeof(domains[0]) };

/* Has the device compute units of several such domains? */
static bool spans(cl_device_id device, const struct domain *domain)
{
    const cl_uint last = device->first_unit + device->compute_units - 1;
    return limits_personality()->affinity &&
           device->first_unit / domain->units != last / domain->units;
}

cl_device_affinity_domain partition_domains(cl_device_id device)
{
    cl_device_affinity_domain names = 0;
    for (size_t i = 0; i < DOMAIN_COUNT; i++) {
        if (spans(device, &domains[i]))
            names |= domains[i].name | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    }
    return names;
}

/* "The implementation shall find the first level along which the device or sub-device may be
 * further subdivided in the order NUMA, L4, L3, L2, L1". */
static const struct domain *find_domain(cl_device_id device, cl_device_affinity_domain name)
{
    for (size_t i = 0; i < DOMAIN_COUNT; i++) {
        if ((name == domains[i].name || name == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) &&
            spans(device, &domains[i]))
            return &domains[i];
    }
    return NULL;
}

/* Only a domain that the device spans several of is supported for it. */
static cl_int cut_by_domain(cl_device_id device, struct partition *partition)
{
    const cl_device_affinity_domain name = (cl_device_affinity_domain)partition->properties[1];
    const struct domain *domain = find_domain(device, name);
    if (!domain || partition->properties[2] != 0)
        return CL_INVALID_VALUE;
    const cl_uint end = device->first_unit + device->compute_units;
    for (cl_uint first = device->first_unit; first < end;) {
        const cl_uint next = (first / domain->units + 1) * domain->units;
        partition->units[partition->count++] = (next < end ? next : end) - first;
        first = next;
    }
    partition->by_domain[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    partition->by_domain[1] = (cl_device_partition_property)domain->name;
    partition->properties = partition->by_domain;
    partition->property_count = 3;
    return CL_SUCCESS;
}

/* One part alone would be no partition. */
static cl_int cut_equally(cl_device_id device, struct partition *partition)
{
    const cl_device_partition_property units = partition->properties[1];
    if (units <= 0 || partition->properties[2] != 0)
        return CL_INVALID_VALUE;
    if (units > (cl_device_partition_property)device->compute_units)
        return CL_INVALID_DEVICE_PARTITION_COUNT;
    if (units > (cl_device_partition_property)device->compute_units / 2)
        return CL_DEVICE_PARTITION_FAILED;
    partition->property_count = 3;
    partition->count = device->compute_units / (cl_uint)units;
    for (cl_uint i = 0; i < partition->count; i++)
        partition->units[i] = (cl_uint)units;
    return CL_SUCCESS;
}

/* The list of counts ends with CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, which is 0, and another 0
 * ends the properties. */
static cl_int cut_by_counts(cl_device_id device, struct partition *partition)
{
    const cl_device_partition_property *counts = partition->properties + 1;
    cl_uint total = 0, count = 0;
    for (; counts[count] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; count++) {
        if (counts[count] < 0 || count == device->compute_units ||
            counts[count] > (cl_device_partition_property)(device->compute_units - total))
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        partition->units[count] = (cl_uint)counts[count];
        total += (cl_uint)counts[count];
    }
    if (count == 0 || counts[count + 1] != 0)
        return CL_INVALID_VALUE;
    partition->count = count;
    partition->property_count = count + 3;
    return CL_SUCCESS;
}

static cl_int cut(cl_device_id device, const cl_device_partition_property *properties,
                  struct partition *partition)
{
    const bool by_domain = properties && limits_personality()->affinity &&
                           properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    if (!properties || (properties[0] != CL_DEVICE_PARTITION_EQUALLY &&
                        properties[0] != CL_DEVICE_PARTITION_BY_COUNTS && !by_domain))
        return CL_INVALID_VALUE;
    *partition = (struct partition){.properties = properties};
    if (device->compute_units == 1)
        return CL_DEVICE_PARTITION_FAILED;
    if (by_domain)
        return cut_by_domain(device, partition);
    return properties[0] == CL_DEVICE_PARTITION_EQUALLY ? cut_equally(device, partition)
                                                        : cut_by_counts(device, partition);
}

static void destroy(void *handle)
{
    cl_device_id device = handle;
    alloc_free(device->partition_type);
    object_drop(device->parent);
}

/* Locked. NULL when memory is out. */
static cl_device_id create(cl_device_id parent, const struct partition *partition, cl_uint index)
{
    const size_t size = partition->property_count * sizeof(*partition->properties);
    cl_device_id device = object_create(OBJECT_DEVICE, sizeof(*device), destroy);
    cl_device_partition_property *type = alloc(size);
    if (!device || !type) {
        object_discard(device);
        alloc_free(type);
        return NULL;
    }
    memcpy(type, partition->properties, size);
    device->parent = parent;
    object_hold(parent);
    device->first_unit = parent->first_unit;
    for (cl_uint i = 0; i < index; i++)
        device->first_unit += partition->units[i];
    device->compute_units = partition->units[index];
    device->partition_type = type;
    device->partition_type_count = partition->property_count;
    return device;
}

cl_int icd_clCreateSubDevices(cl_device_id in_device,
                              const cl_device_partition_property *properties, cl_uint num_devices,
                              cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    struct partition partition;
    if (!object_is(in_device, OBJECT_DEVICE))
        return CL_INVALID_DEVICE;
    const cl_int checked = cut(in_device, properties, &partition);
    if (checked != CL_SUCCESS)
        return checked;
    if (out_devices && num_devices < partition.count)
        return CL_INVALID_VALUE;
    cl_device_id made[LIMIT_COMPUTE_UNITS_MAX] = {0};
    bool complete = true;
    icd_lock();
    for (cl_uint i = 0; out_devices && i < partition.count && complete; i++) {
        made[i] = create(in_device, &partition, i);
        complete = made[i] != NULL;
    }
    icd_unlock();
    if (!complete) {
        for (cl_uint i = 0; made[i]; i++)
            object_release(made[i], OBJECT_DEVICE);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (out_devices)
        memcpy(out_devices, made, partition.count * sizeof(made[0]));
    if (num_devices_ret)
        *num_devices_ret = partition.count;
    return CL_SUCCESS;
}

/* "If device is a root level device ... the device reference count remains unchanged." */
static bool is_root(cl_device_id device)
{
    return object_is(device, OBJECT_DEVICE) && !device->parent;
}

cl_int icd_clRetainDevice(cl_device_id device)
{
    return is_root(device) ? CL_SUCCESS : object_retain(device, OBJECT_DEVICE);
}

cl_int icd_clReleaseDevice(cl_device_id device)
{
    return is_root(device) ? CL_SUCCESS : object_release(device, OBJECT_DEVICE);
}
