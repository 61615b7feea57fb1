/* The limits of the device, which queries answer and calls enforce. Sizes in bytes. */
#ifndef REFERENCE_ICD_LIMITS_H
#define REFERENCE_ICD_LIMITS_H

#include <stdint.h>

#define LIMIT_WORK_GROUP_SIZE       1024u
#define LIMIT_COMPUTE_UNITS         4u
#define LIMIT_ROOT_DEVICES          8u /* the setting "devices" */
#define LIMIT_GLOBAL_MEMORY         (UINT64_C(1) << 30)
#define LIMIT_ALLOCATION            (UINT64_C(256) << 20)
#define LIMIT_LOCAL_MEMORY          (UINT64_C(64) << 10)
#define LIMIT_PRIVATE_MEMORY        (UINT64_C(256) << 20) /* of the work-items that run at once */
#define LIMIT_CONSTANT_MEMORY       (UINT64_C(64) << 10)
#define LIMIT_PROGRAM_VARIABLES     (UINT64_C(64) << 10)
#define LIMIT_CONSTANT_ARGUMENTS    8u
#define LIMIT_PARAMETER_SIZE        1024u
#define LIMIT_PRINTF_BUFFER         (UINT64_C(1) << 20)
#define LIMIT_BASE_ALIGNMENT        128u   /* sub-buffers start at a multiple: the size of long16 */
#define LIMIT_IMAGE_2D              16384u /* texels: width and height, also of 1D images */
#define LIMIT_IMAGE_3D              2048u
#define LIMIT_IMAGE_BUFFER          65536u
#define LIMIT_IMAGE_LAYERS          2048u
#define LIMIT_READ_IMAGES           128u
#define LIMIT_WRITE_IMAGES          64u /* also those that are read and written */
#define LIMIT_SAMPLERS              16u
#define LIMIT_IMAGE_PITCH_ALIGNMENT 1u /* texels, of images made from buffers */
#define LIMIT_IMAGE_BASE_ALIGNMENT  1u
#define LIMIT_PIPE_ARGUMENTS        16u
#define LIMIT_PIPE_RESERVATIONS     1024u
#define LIMIT_PIPE_PACKET_SIZE      1024u
#define LIMIT_WORK_GROUP_MULTIPLE   64u /* a lane vector */

/* Queues of the device itself: those of a context besides the default one, and bytes. A command
 * takes some hundred bytes; it stays in the queue until the kernel that enqueued it has ended. */
#define LIMIT_DEVICE_QUEUES          16u
#define LIMIT_DEVICE_QUEUE_PREFERRED (1u << 20)
#define LIMIT_DEVICE_QUEUE           (16u << 20)
#define LIMIT_DEVICE_EVENTS          65536u

#endif
