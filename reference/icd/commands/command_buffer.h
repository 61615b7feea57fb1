/* cl_khr_command_buffer 0.9.8: what calls record, and how it is executed.
 *
 * A function clCommand...KHR does what its clEnqueue... does, with a request that names a
 * recording: command_enqueue then keeps the command in the command-buffer. A command-buffer is
 * executed as one command of its queue, which performs what was recorded one by one. What orders
 * those is known from the recording: all of them if its queue is in order, else sync points and
 * barriers. */
#ifndef REFERENCE_ICD_COMMANDS_COMMAND_BUFFER_H
#define REFERENCE_ICD_COMMANDS_COMMAND_BUFFER_H

#include "reference/icd/commands/executor.h"

/* The parameters that all calls have which record. */
struct recording {
    cl_command_buffer_khr buffer;
    cl_command_queue queue;
    const cl_command_properties_khr *properties;
    cl_uint sync_count;
    const cl_sync_point_khr *sync_points;
    cl_sync_point_khr *sync_point;
    cl_mutable_command_khr *handle;
};

/* They, as the first parameters of such a call and the last, and as a struct recording. */
#define RECORDED_FIRST                                                                             \
    cl_command_buffer_khr command_buffer, cl_command_queue command_queue,                          \
        const cl_command_properties_khr *properties
#define RECORDED_LAST                                                                              \
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,           \
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle
#define RECORDED_PARAMETERS                                                                        \
    {                                                                                              \
        command_buffer, command_queue, properties, num_sync_points_in_wait_list,                   \
            sync_point_wait_list, sync_point, mutable_handle                                       \
    }

/* The request of such a call: `refused` says what is wrong with its parameters, of which properties
 * and handle are the caller's to check where the command is a launch. Unlocked. */
struct command_request recording_request(const struct recording *recording, cl_command_type type);

/* ---- mutable.c: launches, which are made anew each time ---- */

/* Have all arguments of the recorded launch been set? */
bool mutable_command_is_complete(cl_mutable_command_khr command);
/* Fills in what it does now. Locked. */
cl_int mutable_command_prepare(cl_mutable_command_khr command, struct command_work *work);

#endif
