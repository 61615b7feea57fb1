/* OpenCL API 3.0, chapter 5.5: what holds for all memory objects. */
#include "reference/icd/memory/mem.h"

#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/memory/host_copy.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <stdio.h>

static const cl_mem_flags kernel_access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointers =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static uint64_t allocated; /* bytes of the objects that live, parts not counted */

bool mem_is_buffer(cl_mem mem)
{
    return object_is(mem, OBJECT_MEM) && mem->type == CL_MEM_OBJECT_BUFFER;
}

bool mem_is_image(cl_mem mem)
{
    return object_is(mem, OBJECT_MEM) && mem->image != NULL;
}

bool mem_is_buffer_or_image(cl_mem mem)
{
    return object_is(mem, OBJECT_MEM) && mem->type != CL_MEM_OBJECT_PIPE;
}

bool mem_is_pipe(cl_mem mem)
{
    return object_is(mem, OBJECT_MEM) && mem->type == CL_MEM_OBJECT_PIPE;
}

cl_mem mem_root(cl_mem mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}

/* ---- whose place is known ---- */

static cl_mem shown;

void mem_show(cl_mem mem)
{
    cl_mem root = mem_root(mem);
    if (root->shown.link)
        return;
    root->shown.link = &shown;
    root->shown.next = shown;
    if (shown)
        shown->shown.link = &root->shown.next;
    shown = root;
}

cl_mem mem_shown(void)
{
    return shown;
}

static void forget_shown(cl_mem mem)
{
    if (!mem->shown.link)
        return;
    *mem->shown.link = mem->shown.next;
    if (mem->shown.next)
        mem->shown.next->shown.link = mem->shown.link;
}

/* ---- flags ---- */

static bool at_most_one(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

/* cl_ext_immutable_memory_objects: such an object is for nobody to write. */
static bool immutable_fits(cl_mem_flags flags)
{
    const cl_mem_flags writing = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
    return (flags & CL_MEM_IMMUTABLE_EXT) == 0 ||
           (limits_keep(KEPT_OPTIONAL) && (flags & writing) == 0);
}

cl_int mem_check_flags(cl_mem_flags flags, const void *host_ptr)
{
    const cl_mem_flags content = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if ((flags & ~(kernel_access | host_access | host_pointers | CL_MEM_IMMUTABLE_EXT)) != 0 ||
        !at_most_one(flags & kernel_access) || !at_most_one(flags & host_access) ||
        !immutable_fits(flags))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_IMMUTABLE_EXT) != 0 && (flags & content) == 0)
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0 &&
        (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
        return CL_INVALID_VALUE;
    const bool takes_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    return takes_pointer != (host_ptr != NULL) ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

cl_mem_flags mem_default_flags(cl_mem_flags flags)
{
    const cl_mem_flags given = kernel_access | CL_MEM_IMMUTABLE_EXT;
    return (flags & given) == 0 ? flags | CL_MEM_READ_WRITE : flags;
}

cl_int mem_inherit_flags(cl_mem_flags parent, cl_mem_flags asked, cl_mem_flags *flags)
{
    const cl_mem_flags immutable = (asked | parent) & CL_MEM_IMMUTABLE_EXT;
    if ((asked & ~(kernel_access | host_access | CL_MEM_IMMUTABLE_EXT)) != 0 ||
        !at_most_one(asked & kernel_access) || !at_most_one(asked & host_access) ||
        !immutable_fits(asked | immutable))
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_WRITE_ONLY) != 0 && (asked & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_READ_ONLY) != 0 && (asked & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (asked & CL_MEM_HOST_READ_ONLY) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_READ_ONLY) != 0 && (asked & CL_MEM_HOST_WRITE_ONLY) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_NO_ACCESS) != 0 &&
        (asked & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0)
        return CL_INVALID_VALUE;
    *flags = asked | immutable | (parent & host_pointers);
    if ((asked & kernel_access) == 0 && immutable == (parent & CL_MEM_IMMUTABLE_EXT))
        *flags |= parent & kernel_access;
    if ((asked & host_access) == 0)
        *flags |= parent & host_access;
    return CL_SUCCESS;
}

/* ---- making and ending ---- */

bool mem_reserve(uint64_t size)
{
    if (!range_within(allocated, size, limits_get(LIMIT_GLOBAL_MEMORY)))
        return false;
    allocated += size;
    return true;
}

void mem_give_back(uint64_t size)
{
    allocated -= size;
}

static const struct vm_object *root_object(cl_mem mem)
{
    return vm_memory_find(icd_memory(), mem->number)->root;
}

static bool owns_bytes(cl_mem mem)
{
    return root_object(mem) == vm_memory_find(icd_memory(), mem->number);
}

/* Gives `mem` its object in the device's memory, and its bytes. Locked. */
static cl_int make_object(cl_mem mem, const struct mem_request *request)
{
    static struct {
        const char *noun;
        uint64_t count; /* ever made: buffer#N, image#N, pipe#N */
    } kinds[] = {{"buffer", 0}, {"image", 0}, {"pipe", 0}};
    const int kind = request->image ? 1 : request->packet_size ? 2 : 0;
    char name[32];
    snprintf(name, sizeof(name), "%s#%llu", kinds[kind].noun,
             (unsigned long long)kinds[kind].count + 1);
    const struct vm_buffer_info info = {
        .size = mem->size,
        .host_bytes = mem->parent || request->svm ? NULL : mem->host_ptr,
        .parent = mem->parent ? mem->parent->number : request->svm,
        .parent_offset = mem->parent ? mem->origin : request->svm_offset,
        .read_only = (mem->flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)) != 0,
        .write_only = (mem->flags & CL_MEM_WRITE_ONLY) != 0,
        .defined = (mem->flags & CL_MEM_USE_HOST_PTR) != 0,
        .image = request->image,
        .packet_size = request->packet_size,
        .name = name,
        .origin = request->made_by,
    };
    const uint64_t owned = info.parent ? 0 : mem->size;
    if (!mem_reserve(owned))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (vm_memory_create_object(icd_memory(), &info, &mem->number, NULL) != STATUS_OK) {
        mem_give_back(owned);
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    mem->bytes = vm_memory_host_bytes(icd_memory(), mem->number);
    mem->image = vm_memory_find(icd_memory(), mem->number)->image;
    kinds[kind].count++;
    return CL_SUCCESS;
}

/* A part that ends while it is mapped. */
static void forget_mappings(cl_mem part)
{
    cl_mem root = mem_root(part);
    size_t kept = 0;
    for (size_t i = 0; i < root->mapping_count; i++) {
        if (root->mappings[i].mem != part)
            root->mappings[kept++] = root->mappings[i];
    }
    root->mapping_count = kept;
}

static void destroy(void *handle)
{
    cl_mem mem = handle;
    callbacks_add_destructors(mem->destructors, OBJECT_MEM, mem);
    forget_mappings(mem);
    forget_shown(mem);
    races_object_destroyed(mem->number);
    host_copy_forget(mem->number);
    if (owns_bytes(mem))
        mem_give_back(mem->size);
    vm_memory_free_object(icd_memory(), mem->number);
    if (mem->parent)
        object_drop(mem->parent);
    property_list_release(&mem->properties);
    alloc_free(mem->mappings);
    object_drop(mem->context);
}

cl_mem mem_create(const struct mem_request *request, cl_int *result)
{
    struct property_list properties = request->properties;
    cl_mem mem = object_create(OBJECT_MEM, sizeof(*mem), destroy);
    *result = mem ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (mem) {
        mem->context = request->context;
        mem->type = request->type;
        mem->parent = request->parent;
        mem->origin = request->origin;
        mem->size = request->size;
        mem->flags = request->flags;
        mem->host_ptr = request->host_ptr;
        mem->properties = properties;
        if (request->format)
            mem->format = *request->format;
        icd_lock();
        *result = make_object(mem, request);
        if (*result == CL_SUCCESS) {
            object_hold(mem->context);
            if (mem->parent)
                object_hold(mem->parent);
        }
        icd_unlock();
    }
    if (*result == CL_SUCCESS)
        return mem;
    property_list_release(&properties);
    object_discard(mem);
    return NULL;
}

cl_int icd_clSetMemObjectDestructorCallback(cl_mem memobj,
                                            void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                            void *user_data)
{
    if (!object_is(memobj, OBJECT_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_callback_add(&memobj->destructors, (object_function *)pfn_notify, user_data);
}

/* ---- queries ---- */

static cl_uint map_count(cl_mem mem)
{
    const struct _cl_mem *root = mem_root(mem);
    cl_uint count = 0;
    icd_lock();
    for (size_t i = 0; i < root->mapping_count; i++)
        count += root->mappings[i].mem == mem ? root->mappings[i].count : 0;
    icd_unlock();
    return count;
}

cl_int icd_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(memobj, OBJECT_MEM))
        return CL_INVALID_MEM_OBJECT;
    const struct info_row rows[] = {
        INFO(CL_MEM_TYPE, cl_mem_object_type, memobj->type),
        INFO(CL_MEM_FLAGS, cl_mem_flags, memobj->flags),
        INFO(CL_MEM_SIZE, size_t, memobj->size),
        INFO(CL_MEM_HOST_PTR, void *, memobj->host_ptr),
        INFO(CL_MEM_MAP_COUNT, cl_uint, map_count(memobj)),
        INFO(CL_MEM_REFERENCE_COUNT, cl_uint, object_reference_count(memobj)),
        INFO(CL_MEM_CONTEXT, cl_context, memobj->context),
        INFO(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, memobj->parent),
        INFO(CL_MEM_OFFSET, size_t, memobj->origin),
        INFO(CL_MEM_USES_SVM_POINTER, cl_bool,
             root_object(memobj)->identity.svm != OBSERVER_SVM_NONE),
        INFO_PROPERTIES(CL_MEM_PROPERTIES, memobj->properties),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
