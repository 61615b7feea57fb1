/* Sharing with OpenGL and EGL, and the functions of cl_ext_device_fission: none of these extensions
 * is supported, so no program may call them; the slots are filled all the same, since a call
 * through an empty one is a crash. */
#include "reference/icd/dispatch.h"
#include "reference/icd/object.h"

/* Each function has the parameters of the header; a refusal reads only the first ones. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CREATES(type, name, ...)                                                                   \
    type icd_##name(cl_context context, __VA_ARGS__, cl_int *errcode_ret)                          \
    {                                                                                              \
        return object_refuse(object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION             \
                                                                : CL_INVALID_CONTEXT,              \
                             errcode_ret);                                                         \
    }
CREATES(cl_mem, clCreateFromGLBuffer, cl_mem_flags flags, cl_GLuint bufobj)
CREATES(cl_mem, clCreateFromGLTexture2D, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture)
CREATES(cl_mem, clCreateFromGLTexture3D, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture)
CREATES(cl_mem, clCreateFromGLTexture, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
        cl_GLuint texture)
CREATES(cl_mem, clCreateFromGLRenderbuffer, cl_mem_flags flags, cl_GLuint renderbuffer)
CREATES(cl_event, clCreateEventFromGLsyncKHR, cl_GLsync sync)
CREATES(cl_mem, clCreateFromEGLImageKHR, CLeglDisplayKHR display, CLeglImageKHR image,
        cl_mem_flags flags, const cl_egl_image_properties_khr *properties)
CREATES(cl_event, clCreateEventFromEGLSyncKHR, CLeglSyncKHR sync, CLeglDisplayKHR display)

#define ENQUEUES(name)                                                                             \
    cl_int icd_##name(cl_command_queue command_queue, cl_uint num_objects,                         \
                      const cl_mem *mem_objects, cl_uint num_events_in_wait_list,                  \
                      const cl_event *event_wait_list, cl_event *event)                            \
    {                                                                                              \
        return object_is(command_queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION                       \
                                                      : CL_INVALID_COMMAND_QUEUE;                  \
    }
ENQUEUES(clEnqueueAcquireGLObjects)
ENQUEUES(clEnqueueReleaseGLObjects)
ENQUEUES(clEnqueueAcquireEGLObjectsKHR)
ENQUEUES(clEnqueueReleaseEGLObjectsKHR)

cl_int icd_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
                             cl_GLuint *gl_object_name)
{
    return object_is(memobj, OBJECT_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

cl_int icd_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret)
{
    return object_is(memobj, OBJECT_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

cl_int icd_clGetGLContextInfoKHR(const cl_context_properties *properties,
                                 cl_gl_context_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_OPERATION;
}

cl_int icd_clCreateSubDevicesEXT(cl_device_id in_device,
                                 const cl_device_partition_property_ext *partition_properties,
                                 cl_uint num_entries, cl_device_id *out_devices,
                                 cl_uint *num_devices)
{
    return icd_clCreateSubDevices(in_device, NULL, num_entries, out_devices, num_devices);
}

cl_int icd_clRetainDeviceEXT(cl_device_id device)
{
    return icd_clRetainDevice(device);
}

cl_int icd_clReleaseDeviceEXT(cl_device_id device)
{
    return icd_clReleaseDevice(device);
}
