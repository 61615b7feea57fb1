/* What the files about learning share: a call that teaches, and the change of traits. */
#ifndef CHECKERS_HOST_OBJECTS_TEACHING_CALL_H
#define CHECKERS_HOST_OBJECTS_TEACHING_CALL_H

#include "checkers/host/checker.h"

/* A call that teaches. */
struct lesson {
    struct host_checker *checker;
    const struct api_call *call;
    const struct api_entry_info *info;
    struct locked_traits *locked; /* by lesson_lock */
};

/* An argument by its name: NULL, or 0, when the entry point has none. */
const struct api_value *lesson_argument(const struct lesson *lesson, const char *name);
uint64_t lesson_number(const struct lesson *lesson, const char *name);
/* What an answer that begins "OpenCL 3.1" says: 310. False = it begins otherwise. */
bool lesson_version(const struct api_value *answer, uint64_t *version);
/* object_set_traits; object_lock_traits, and what has locked them last is unlocked. */
void lesson_set(const struct lesson *lesson, uint64_t handle, enum api_object_kind kind,
                const void *traits);
void *lesson_lock(const struct lesson *lesson, uint64_t handle, enum api_object_kind kind);
/* The same of the first argument. */
void *lesson_lock_first(const struct lesson *lesson, enum api_object_kind kind);
void lesson_unlock(const struct lesson *lesson);

/* What a call teaches once it has succeeded, and what the answer to a query does: functions of the
 * tables in learn_traits.c. */
typedef void lesson_function(const struct lesson *lesson);
typedef void answer_function(const struct lesson *lesson, uint64_t query,
                             const struct api_value *answer);

/* What it taught of the traits of objects (learn_traits.c); it succeeded. */
void learn_traits(const struct lesson *lesson);
/* The event of a command (learn_traits.c). */
void learn_command_event(struct host_checker *checker, const struct api_call *call,
                         uint64_t handle);

/* Kernels (learn_kernel.c). */
lesson_function learn_kernels, learn_clone;
answer_function learn_kernel_answer;

/* The object of OpenGL that a memory object has just been made of (judge_gl.c). */
void learn_gl(const struct lesson *lesson, struct gl_traits *gl);
/* Binaries (learn_binary.c). Are they worth it? */
bool learns_binaries(const struct host_options *options);
/* The options of a build, as they are kept; NULL = of no executable, or unknown. */
const char *learn_build_options(const struct lesson *lesson);
/* An answer about a program. */
void learn_binary_answer(const struct lesson *lesson, uint64_t query,
                         const struct api_value *answer);
/* Fills the options that the binaries of a new program were made with. */
void learn_from_binaries(const struct lesson *lesson, struct program_traits *program);

/* The program that clLinkProgram is about to return, if it has not yet (learn.c). */
void learn_linked(struct host_checker *checker, const struct host_build_end *end);

/* Shared virtual memory (learn_svm.c). */
lesson_function learn_allocation, learn_svm_map, learn_svm_unmap;

/* Extensions (learn_extension.c). */
struct api_property;
lesson_function learn_terminated, learn_semaphore, learn_semaphores, learn_command_buffer;
lesson_function learn_remapped, learn_final, learn_recording, learn_imported, learn_updated;
/* Of any that belongs to an extension: shared objects, and what is recorded. */
lesson_function learn_extension;
answer_function learn_platform_answer;
/* Does it acquire objects that are shared with another interface, or release them? */
bool is_acquisition(const struct api_entry_info *info);
/* What a list of properties says of a new context. */
void learn_context_properties(const struct api_value *list, struct context_traits *context);
void learn_device_extension(struct device_traits *device, uint64_t query,
                            const struct api_value *answer);
/* Fills what the properties of a new memory object say; `devices` is room for mem->devices. */
void learn_mem_properties(const struct lesson *lesson, struct mem_traits *mem,
                          struct device_list *devices);

#endif
