/* The order of the device's commands, and races between them: every command is told of to
 * checkers/order when it is enqueued, and what it did to memory when it has been executed. All
 * functions are called locked; reports go the way of other findings (findings.h).
 *
 * Where a program has but one in-order queue and maps nothing, everything is ordered, and nothing
 * is kept. Nor is a launch watched then, so that such programs pay nothing. */
#ifndef REFERENCE_ICD_KERNELS_RACES_H
#define REFERENCE_ICD_KERNELS_RACES_H

#include "checkers/kernel/touched.h"
#include "checkers/order/uses.h"
#include "reference/icd/commands/executor.h"

/* False when memory is out. */
bool races_queue_created(cl_command_queue queue);
void races_queue_destroyed(cl_command_queue queue);
/* Objects are numbers of reference/vm/memory.h. This one may be a part of another. */
void races_object_destroyed(uint32_t object);

/* The place of a new command in the order: held by the caller, NULL when memory is out. */
struct ordered_command *races_enqueue(const struct command_request *request);
/* Would the command wait for a user event, or for a semaphore, that is not set yet? */
bool races_waits_for_user_event(const struct command_request *request);
struct ordered_command *races_user_event(void);
void races_set_user_event(cl_event event);
/* The running command sets it, by its end. */
void races_end_user_event(cl_event event);
void races_drop(struct ordered_command *order);

/* The host knows that it has ended. */
void races_host_waited(cl_event event);
void races_host_finished(cl_command_queue queue);
void races_status_asked(cl_event event);

/* ---- while a command is executed ---- */

void races_command_begins(const struct command *command);
bool races_has_running(void);
/* The call that enqueued the running command. */
uint64_t races_running_call_id(void);
/* Of the running command: may anything be unordered with what it does to these objects? Its uses
 * need to be told only then. Objects of number 0 are skipped. */
bool races_watches(const uint32_t *objects, size_t count);
void races_use(uint32_t object, enum use_kind kind, const struct use_bytes *bytes);
/* Of a transfer between the object `root` and the memory that it was made of with
 * CL_MEM_USE_HOST_PTR. OpenCL API 3.0, 5.2.2: then nothing else is to use any of it. */
void races_use_own_memory(uint32_t root, uint64_t size);
/* host_changes_ran of the running command. */
struct host_changes;
void races_host_changes(struct host_changes *changes, const struct touched *touched);
/* `objects`: what the launch was given. */
void races_use_touched(const struct touched *touched, const uint32_t *objects, size_t count);
/* `whole`: what others must leave alone for it, in the same object. */
void races_map(uint32_t object, bool writes, const struct use_bytes *bytes,
               const struct use_bytes *whole, uint64_t handle);
void races_unmap(uint32_t object, uint64_t handle);
void races_command_ends(void);

/* ---- while a command-buffer is executed: its commands, one by one ---- */

struct recorded;
/* `commands`: what orders them; NULL = all are in order. */
void races_buffer_begins(struct commands *commands);
/* `kernel`: the name of a launch's, else NULL. */
void races_recorded_begins(const struct recorded *recorded, const char *kernel);
void races_buffer_ends(void);
/* The running command executes a command-buffer, which `earlier` executes too, and had not when the
 * later one was enqueued: tells so if nothing orders them. NULL = there is none. `call_id`: the
 * earlier one's. */
void races_check_pending(const struct ordered_command *earlier, uint64_t call_id);

/* One kind of what a launch did to an object, as a use of its bytes, which are borrowed; false when
 * it did nothing of the kind. */
bool races_make_use(const struct touched_object *object, enum touched_kind kind, struct use *use);
/* Of the call that enqueues such commands, or records them. */
const char *races_function_name(cl_command_type type, bool recorded);
/* "bytes 0 to 3 of buffer#1 (clCreateBuffer, 64 bytes, 'out' of kernel 'scale')" */
enum { RACES_WHAT_SIZE = 240 };
void races_describe(const struct uses_conflict *conflict, char what[RACES_WHAT_SIZE]);

/* The call of a layer's trace that the calling thread makes (clSetLaunchCallCLERK); 0 = nobody
 * said. It is given once. Unlocked. */
uint64_t races_take_call_id(void);

#endif
