/* Steps about memory that others use too: OpenGL, EGL, Direct3D, media surfaces; and about contexts
 * made for them. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "trace/api/property.h"

#include <inttypes.h>
#include <string.h>

static const char *sharing_name(uint32_t sharing)
{
    static const char *const names[] = {
        "OpenGL",          "EGL",    "Direct3D 10", "Direct3D 11",
        "DirectX 9 media", "VA-API", "gralloc",     "external memory"};
    return names[__builtin_ctz(sharing ? sharing : SHARING_EXTERNAL)];
}
_Static_assert(1 << 7 == SHARING_EXTERNAL, "each has a name");

/* ---- contexts ---- */

static bool context_of(const struct judged *judged, uint64_t handle, struct context_traits *context)
{
    return judged_traits(judged, handle, API_OBJECT_CONTEXT, context) && context->created;
}

/* argument a context, or a command-queue of it: made for those whose objects are used */
void judge_interop_context(struct judged *judged, const struct step *step)
{
    const uint64_t given = judged_bits(judged, step->argument);
    const uint64_t handle = judged_context(judged, given);
    const uint32_t sharing = entry_sharing(judged->call->entry);
    struct context_traits context;
    if (context_of(judged, handle, &context) && !(context.sharing & sharing))
        blame_step(judged, step, handle, "%s not created to share with %s",
                   given == handle ? "was" : "is of a context that was", sharing_name(sharing));
}

enum { BINDING_CGL = 1, BINDING_EGL = 2, BINDING_GLX = 4, BINDING_WGL = 8 };

/* By which interface of the window system a property names OpenGL. */
static uint32_t binding_of(uint64_t name)
{
    switch (name) {
    case CL_CGL_SHAREGROUP_KHR:
        return BINDING_CGL;
    case CL_EGL_DISPLAY_KHR:
        return BINDING_EGL;
    case CL_GLX_DISPLAY_KHR:
        return BINDING_GLX;
    default:
        return name == CL_WGL_HDC_KHR ? BINDING_WGL : 0;
    }
}

static uint32_t bit_count(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

/* argument properties of a context: one other interface at most, named in one way */
void judge_interop_properties(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct api_property property;
    uint32_t bindings = 0;
    uint32_t sharing = 0;
    bool has_gl_context = false;
    bool has_user_sync = false;
    for (uint32_t at = 0; api_property_next(list, API_FAMILY_CONTEXT_PROPERTIES, &at, &property);) {
        const bool set = api_property_word(&property, 0) != 0;
        bindings |= set ? binding_of(property.name) : 0;
        sharing |= property_sharing(property.name, api_property_word(&property, 0));
        has_gl_context |= set && property.name == CL_GL_CONTEXT_KHR;
        has_user_sync |= property.name == CL_CONTEXT_INTEROP_USER_SYNC;
    }
    if (bit_count(bindings) > 1)
        blame_step(judged, step, 0,
                   "has more than one of CL_CGL_SHAREGROUP_KHR, CL_EGL_DISPLAY_KHR, "
                   "CL_GLX_DISPLAY_KHR and CL_WGL_HDC_KHR");
    else if ((bindings & BINDING_CGL) && has_gl_context)
        blame_step(judged, step, 0, "has both CL_CGL_SHAREGROUP_KHR and CL_GL_CONTEXT_KHR");
    else if ((sharing & (SHARING_D3D10 | SHARING_D3D11)) && bit_count(sharing) > 1)
        blame_step(judged, step, 0, "names Direct3D and another interface to share with");
    else if (has_user_sync && (bindings != 0 || has_gl_context) &&
             judged->info->return_role == API_ROLE_HANDLE)
        blame_as(judged, step->rule, CL_INVALID_PROPERTY, step->argument, 0,
                 "has CL_CONTEXT_INTEROP_USER_SYNC beside OpenGL's");
}

/* argument properties, other the list of devices: each can be terminated if the context is to be */
void judge_termination(struct judged *judged, const struct step *step)
{
    const struct api_value *devices = &judged->call->arguments[step->other];
    struct api_property property;
    uint64_t capability;
    if (!api_property_find(&judged->call->arguments[step->argument], API_FAMILY_CONTEXT_PROPERTIES,
                           CL_CONTEXT_TERMINATE_KHR, &property) ||
        api_property_word(&property, 0) == 0)
        return;
    for (uint32_t i = 0; i < list_count(devices, API_VALUE_HANDLES); ++i)
        if (judged_device_fact(judged, list_word(devices, i), DEVICE_FACT_TERMINATION,
                               &capability) &&
            !(capability & CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR)) {
            blame_step(judged, step, 0,
                       "has CL_CONTEXT_TERMINATE_KHR; device %" PRIu32 " cannot do that", i);
            return;
        }
}

/* argument context: it may be terminated, and is not */
void judge_terminable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct context_traits context;
    if (!context_of(judged, handle, &context))
        return;
    if (context.terminated)
        blame_as(judged, step->rule, CL_CONTEXT_TERMINATED_KHR, step->argument, handle,
                 "is terminated already");
    else if (!context.may_terminate)
        blame_step(judged, step, handle, "was created without CL_CONTEXT_TERMINATE_KHR");
}

/* ---- objects ---- */

/* argument a list of memory objects: made from those of the interface that the call is for */
void judge_shared_objects(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint32_t sharing = entry_sharing(judged->call->entry);
    struct mem_traits mem;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        if (judged_object(judged, handle, &mem) && mem.sharing != sharing) {
            blame_element(judged, step, i, handle, "is an object that is not shared with %s",
                          sharing_name(sharing));
            return;
        }
    }
}

/* argument a list of memory objects: all of them acquired, or none */
static void judge_ownership(struct judged *judged, const struct step *step, bool acquired)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint32_t sharing = entry_sharing(judged->call->entry);
    struct mem_traits mem;
    if (is_blind(judged->checker))
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        if (judged_object(judged, handle, &mem) && mem.sharing == sharing &&
            mem.acquired != acquired) {
            blame_element(judged, step, i, handle, "is %s",
                          acquired ? "not acquired" : "acquired already");
            return;
        }
    }
}

void judge_not_acquired(struct judged *judged, const struct step *step)
{
    judge_ownership(judged, step, false);
}

void judge_acquired(struct judged *judged, const struct step *step)
{
    judge_ownership(judged, step, true);
}

/* What is made of a shared object is shared as well; either may have been acquired. */
const char *unacquired_from(const struct judged *judged, uint64_t handle)
{
    enum { DEPTH_MAX = 3 }; /* an image of a part of a buffer */
    struct mem_traits mem;
    if (!atomic_load_explicit(&judged->checker->conduct.objects_shared, memory_order_relaxed) ||
        is_blind(judged->checker) || !judged_object(judged, handle, &mem))
        return NULL;
    for (int depth = 1; depth < DEPTH_MAX && !mem.acquired && mem.sharing == 0 && mem.source != 0;
         ++depth) {
        if (!object_get_traits(judged->checker->objects, mem.source, API_OBJECT_MEM, &mem))
            return NULL;
    }
    return mem.sharing != 0 && !mem.acquired ? sharing_name(mem.sharing) : NULL;
}

/* argument a memory object that a command uses: it is acquired, if it is shared */
void judge_used_shared(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const char *from = unacquired_from(judged, handle);
    if (from)
        blame_step(judged, step, handle, "is shared with %s, and was not acquired", from);
}

/* Has no device of the context the extension of an entry point? */
static bool none_has(const struct judged *judged, uint64_t context, uint32_t entry)
{
    struct fact_range functions;
    return judged_fact(judged, context, DEVICE_FACT_FUNCTIONS, &functions) &&
           !(functions.any >> extension_of(entry) & 1);
}

/* Is it left to the program to let the other interface wait for commands? Not by a context that
 * synchronizes by itself, and not where releasing does so (cl_khr_gl_event and cl_khr_egl_event:
 * for contexts that are current on the thread). */
static bool left_to_program(const struct judged *judged, uint64_t handle, uint32_t sharing)
{
    struct context_traits context;
    if (!context_of(judged, handle, &context))
        return false;
    switch (sharing) {
    case SHARING_EXTERNAL:
        return true;
    case SHARING_GL:
        return none_has(judged, handle, API_ENTRY_clCreateEventFromGLsyncKHR);
    case SHARING_EGL:
        return none_has(judged, handle, API_ENTRY_clCreateEventFromEGLSyncKHR);
    default:
        return context.user_sync;
    }
}

/* argument a list of memory objects that are acquired: since they were released something could
 * tell the other interface that the commands before had ended. "After releasing a shared memory
 * object, the application is responsible for ensuring that any pending OpenCL operations which
 * access the objects specified in mem_objects have completed prior to executing subsequent commands
 * in the other API which reference these objects" (OpenCL API 3.0, Synchronizing OpenCL Operations
 * With Other APIs). */
void judge_given_back(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint32_t sharing = entry_sharing(judged->call->entry);
    if (is_blind(judged->checker))
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        const uint64_t call_id = host_commands_given_back(judged->checker->commands, handle);
        if (call_id == 0 || !left_to_program(judged, judged_context(judged, handle), sharing))
            continue;
        blame_element(judged, step, i, handle,
                      "was given back by call %" PRIu64 ", and nothing could tell since that the "
                      "commands before have ended: what %s did to it meanwhile, if anything, came "
                      "unordered",
                      call_id, sharing == SHARING_EXTERNAL ? "others" : sharing_name(sharing));
        return;
    }
}

/* argument command_queue, other mem_objects: each was imported for the device of the queue */
void judge_imported_for(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->other];
    const struct queue_traits *queue = judged_queue(judged);
    struct mem_traits mem;
    for (uint32_t i = 0; queue && i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        struct device_list devices;
        if (!judged_object(judged, handle, &mem))
            continue;
        if (mem.devices)
            devices = *mem.devices;
        else if (!judged_devices(judged, judged_context(judged, handle), &devices))
            continue;
        if (devices.count != 0 && device_index(&devices, queue->device) == devices.count) {
            blame_step(judged, step, handle,
                       "is of a device for which %s[%" PRIu32 "] was not imported",
                       judged_name(judged, step->other), i);
            return;
        }
    }
}

/* What of an object a name asks for that only objects of some entry points have. */
static uint32_t asked_sharing(uint64_t name)
{
    switch (name) {
    case CL_MEM_D3D10_RESOURCE_KHR:
    case CL_IMAGE_D3D10_SUBRESOURCE_KHR:
        return SHARING_D3D10;
    case CL_MEM_D3D11_RESOURCE_KHR:
    case CL_IMAGE_D3D11_SUBRESOURCE_KHR:
        return SHARING_D3D11;
    case CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR:
    case CL_IMAGE_DX9_MEDIA_PLANE_KHR:
        return SHARING_DX9;
    default:
        return 0;
    }
}

static int32_t resource_error(uint32_t sharing)
{
    return sharing == SHARING_D3D10   ? CL_INVALID_D3D10_RESOURCE_KHR
           : sharing == SHARING_D3D11 ? CL_INVALID_D3D11_RESOURCE_KHR
                                      : CL_INVALID_DX9_MEDIA_SURFACE_KHR;
}

/* Asking is allowed where the extension may be missing: the driver knows. */
static void blame_query(struct judged *judged, const struct step *step, uint64_t handle,
                        uint32_t sharing)
{
    static const char format[] = "asks for what only objects have that are shared with %s";
    struct context_traits context;
    if (context_of(judged, judged_context(judged, handle), &context) &&
        (context.sharing & sharing) != 0)
        blame_step(judged, step, handle, format, sharing_name(sharing));
    else
        blame_unsure(judged, step, format, sharing_name(sharing));
}

/* argument param_name, other the memory object */
void judge_sharing_query(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->other);
    const uint64_t name = judged_bits(judged, step->argument);
    const uint32_t sharing = asked_sharing(name);
    struct mem_traits mem;
    struct step blamed = *step;
    blamed.error = resource_error(sharing);
    if (!judged_object(judged, handle, &mem))
        return;
    if (sharing != 0 && mem.sharing != sharing)
        blame_query(judged, &blamed, handle, sharing);
    if (name == CL_MEM_DEVICE_ADDRESS_EXT && !mem.has_address)
        blame_as(judged, step->rule, CL_INVALID_OPERATION, step->argument, handle,
                 "asks for the address of a buffer made without "
                 "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
}

/* argument memobj: there is an OpenGL object behind it, or (other is param_name) a texture */
void judge_gl_object(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const bool texture = step->other != API_PARAMETER_NONE;
    struct mem_traits mem;
    if (!judged_object(judged, handle, &mem))
        return;
    if (mem.sharing != SHARING_GL)
        blame_step(judged, step, handle, "is not made from an OpenGL object");
    else if (texture && (mem.made_by == API_ENTRY_clCreateFromGLBuffer ||
                         mem.made_by == API_ENTRY_clCreateFromGLRenderbuffer))
        blame_step(judged, step, handle, "is not made from a texture of OpenGL");
}

/* argument texture_target: a kind of textures */
void judge_texture_target(struct judged *judged, const struct step *step)
{
    /* OpenGL's GL_TEXTURE_1D ...; of a cube each face is one */
    static const uint32_t targets[] = {0x0DE0, 0x0DE1, 0x806F, 0x8515, 0x8516,
                                       0x8517, 0x8518, 0x8519, 0x851A, 0x84F5,
                                       0x8C18, 0x8C1A, 0x8C2A, 0x9100, 0x9102};
    const uint64_t target = judged_bits(judged, step->argument);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i)
        if (targets[i] == target)
            return;
    blame_step(judged, step, 0, "is 0x%" PRIx64 ", which is not a kind of texture", target);
}

/* argument miplevel: not negative */
void judge_level_sign(struct judged *judged, const struct step *step)
{
    const int64_t level = (int32_t)judged_bits(judged, step->argument);
    if (level < 0)
        blame_step(judged, step, 0, "is %" PRId64 "; levels are counted from 0", level);
}

/* argument media_adapter_type: each element is one */
void judge_adapter_types(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; i < list_count(list, API_VALUE_SIZES); ++i) {
        const uint64_t type = list_word(list, i);
        if (type < CL_ADAPTER_D3D9_KHR || type > CL_ADAPTER_DXVA_KHR) {
            blame_element(judged, step, i, 0, "is 0x%" PRIx64 ", which is not a type of adapters",
                          type);
            return;
        }
    }
}

/* ---- devices ---- */

/* argument command_queue: its device has gralloc */
void judge_gralloc_of_queue(struct judged *judged, const struct step *step)
{
    uint64_t extensions;
    if (device_fact(judged_device(judged), DEVICE_FACT_EXTENSIONS, &extensions) &&
        !(extensions & EXTENSION_GRALLOC))
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is of a device without cl_img_use_gralloc_ptr");
}

/* argument context: each of its devices takes performance hints */
void judge_perf_hints(struct judged *judged, const struct step *step)
{
    struct device_list devices;
    uint64_t extensions;
    if (!judged_devices(judged, judged_bits(judged, step->argument), &devices))
        return;
    for (uint32_t i = 0; i < devices.count; ++i)
        if (judged_device_fact(judged, devices.handles[i], DEVICE_FACT_EXTENSIONS, &extensions) &&
            !(extensions & EXTENSION_PERF_HINT)) {
            blame_step(judged, step, 0, "has a device without cl_qcom_perf_hint");
            return;
        }
}

/* argument buffer, other content_size_buffer: it holds a number of 64 bits */
void judge_content_size(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    for (size_t i = 0; i < 2; ++i) {
        const uint8_t argument = step->at[i];
        const uint64_t handle = judged_bits(judged, argument);
        if (!judged_mem(judged, argument, &mem))
            continue;
        if (mem.type != CL_MEM_OBJECT_BUFFER)
            blame_as(judged, step->rule, step->error, argument, handle, "is not a buffer");
        else if (i == 1 && mem.size < sizeof(uint64_t))
            blame_as(judged, step->rule, step->error, argument, handle,
                     "has %" PRIu64 " bytes, too few for a size", mem.size);
    }
}
