/* What OpenCL's headers lack, or some versions of them: constants and types of extensions that the
 * entry-point table names. Values are those of the OpenCL registry's cl.xml; each block says which
 * extension, of the OpenCL Extension Specification, defines it. Where headers have them as well
 * both must say the same. */
#ifndef TRACE_API_FOREIGN_H
#define TRACE_API_FOREIGN_H

#include <CL/cl_ext.h>

#include <stdint.h>

/* ---- OpenCL 3.1: CL/cl.h, of headers from 2026-05 on. CL_DEVICE_MAX_WORK_GROUP_SIZES, 0x1005, is
 * CL_DEVICE_MAX_WORK_ITEM_SIZES. ---- */
#define CL_DEVICE_UUID                                                      0x106A
#define CL_DRIVER_UUID                                                      0x106B
#define CL_DEVICE_LUID_VALID                                                0x106C
#define CL_DEVICE_LUID                                                      0x106D
#define CL_DEVICE_NODE_MASK                                                 0x106E
#define CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES                          0x1073
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT          0x1074
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED 0x1075
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED                   (1 << 0)
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT                          (1 << 1)
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS                           0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS                                          0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES                                        0x12BB

/* ---- cl_khr_d3d10_sharing: CL/cl_d3d10.h, which needs headers of Windows ---- */
#define CL_INVALID_D3D10_DEVICE_KHR                  -1002
#define CL_INVALID_D3D10_RESOURCE_KHR                -1003
#define CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR       -1004
#define CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR           -1005
#define CL_D3D10_DEVICE_KHR                          0x4010
#define CL_D3D10_DXGI_ADAPTER_KHR                    0x4011
#define CL_PREFERRED_DEVICES_FOR_D3D10_KHR           0x4012
#define CL_ALL_DEVICES_FOR_D3D10_KHR                 0x4013
#define CL_CONTEXT_D3D10_DEVICE_KHR                  0x4014
#define CL_MEM_D3D10_RESOURCE_KHR                    0x4015
#define CL_IMAGE_D3D10_SUBRESOURCE_KHR               0x4016
#define CL_CONTEXT_D3D10_PREFER_SHARED_RESOURCES_KHR 0x402C

/* ---- cl_khr_d3d11_sharing: CL/cl_d3d11.h ---- */
#define CL_INVALID_D3D11_DEVICE_KHR                  -1006
#define CL_INVALID_D3D11_RESOURCE_KHR                -1007
#define CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR       -1008
#define CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR           -1009
#define CL_D3D11_DEVICE_KHR                          0x4019
#define CL_D3D11_DXGI_ADAPTER_KHR                    0x401A
#define CL_PREFERRED_DEVICES_FOR_D3D11_KHR           0x401B
#define CL_ALL_DEVICES_FOR_D3D11_KHR                 0x401C
#define CL_CONTEXT_D3D11_PREFER_SHARED_RESOURCES_KHR 0x402D
#define CL_CONTEXT_D3D11_DEVICE_KHR                  0x401D
#define CL_MEM_D3D11_RESOURCE_KHR                    0x401E
#define CL_IMAGE_D3D11_SUBRESOURCE_KHR               0x401F

/* ---- cl_khr_dx9_media_sharing: CL/cl_dx9_media_sharing.h ---- */
#define CL_INVALID_DX9_MEDIA_ADAPTER_KHR               -1010
#define CL_INVALID_DX9_MEDIA_SURFACE_KHR               -1011
#define CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR      -1012
#define CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR          -1013
#define CL_ADAPTER_D3D9_KHR                            0x2020
#define CL_ADAPTER_D3D9EX_KHR                          0x2021
#define CL_ADAPTER_DXVA_KHR                            0x2022
#define CL_PREFERRED_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR 0x2023
#define CL_ALL_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR       0x2024
#define CL_CONTEXT_ADAPTER_D3D9_KHR                    0x2025
#define CL_CONTEXT_ADAPTER_D3D9EX_KHR                  0x2026
#define CL_CONTEXT_ADAPTER_DXVA_KHR                    0x2027
#define CL_MEM_DX9_MEDIA_ADAPTER_TYPE_KHR              0x2028
#define CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR              0x2029
#define CL_IMAGE_DX9_MEDIA_PLANE_KHR                   0x202A

/* ---- cl_intel_va_api_media_sharing: CL/cl_va_api_media_sharing_intel.h, which needs headers of
 * libva ---- */
#define CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL          -1098
#define CL_INVALID_VA_API_MEDIA_SURFACE_INTEL          -1099
#define CL_VA_API_MEDIA_SURFACE_ALREADY_ACQUIRED_INTEL -1100
#define CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL     -1101
#define CL_CONTEXT_VA_API_DISPLAY_INTEL                0x4097

/* ---- cl_khr_external_memory 1.0, cl_khr_external_semaphore 1.0, cl_khr_semaphore 1.0 ---- */
#define CL_MEM_DEVICE_HANDLE_LIST_KHR                         0x2051
#define CL_EXTERNAL_MEMORY_HANDLE_D3D11_TEXTURE_KHR           0x2063
#define CL_EXTERNAL_MEMORY_HANDLE_D3D11_TEXTURE_KMT_KHR       0x2064
#define CL_EXTERNAL_MEMORY_HANDLE_D3D12_HEAP_KHR              0x2065
#define CL_EXTERNAL_MEMORY_HANDLE_D3D12_RESOURCE_KHR          0x2066
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR                   0x2053
#define CL_SEMAPHORE_EXPORTABLE_KHR                           0x2054
#define CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR                   0x2059
#define CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR             0x2068
#define CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR       0x2069
#define CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR 0x2070

/* ---- cl_khr_command_buffer 0.9.8, ..._multi_device 0.9.2, ..._mutable_dispatch 0.9.5 ---- */
#define CL_MEM_IMMUTABLE_EXT                                     (1 << 6)
#define CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR              (1 << 1)
#define CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR           (1 << 2)
#define CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR          (1 << 4)
#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR                   (1 << 2)
#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)
#define CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR              0x0908
#define CL_COMMAND_BUFFER_CONTEXT_KHR                            0x1299
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR  0x129A
#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR                    2 /* once that of PENDING */
#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR                  0x12A2
#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR           0x12B7
#define CL_MUTABLE_DISPATCH_ASSERTS_KHR                          0x12B8

/* ---- cl_khr_terminate_context ---- */
#define CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR (1 << 0)

/* ---- cl_ext_immutable_memory_objects ---- */

/* ---- cl_ext_buffer_device_address 1.0.2 ---- */
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT   0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT           0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002

/* ---- cl_qcom_perf_hint ---- */
#define CL_PERF_HINT_HIGH_QCOM    0x40C3
#define CL_PERF_HINT_NORMAL_QCOM  0x40C4
#define CL_PERF_HINT_LOW_QCOM     0x40C5
#define CL_CONTEXT_PERF_HINT_QCOM 0x40C2

/* ---- types ---- */
typedef cl_properties cl_command_properties_khr;     /* cl_khr_command_buffer 0.9.5 */
typedef cl_uint cl_command_buffer_update_type_khr;   /* ..._mutable_dispatch 0.9.2 */
typedef cl_bitfield cl_mutable_dispatch_asserts_khr; /* 0.9.3 */
typedef cl_ulong cl_mem_device_address_ext;          /* cl_ext_buffer_device_address */

/* cl_khr_command_buffer_mutable_dispatch 0.9.2, cl_mutable_dispatch_config_khr: before that the
 * structure of that name had another layout. */
enum { API_MUTABLE_DISPATCH_CONFIG = 0 }; /* CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR */
struct api_mutable_config {
    cl_mutable_command_khr command;
    cl_uint num_args;
    cl_uint num_svm_args;
    cl_uint num_exec_infos;
    cl_uint work_dim;
    const void *arg_list;
    const void *arg_svm_list;
    const void *exec_info_list;
    const size_t *global_work_offset;
    const size_t *global_work_size;
    const size_t *local_work_size;
};

#endif
