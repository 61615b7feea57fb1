/* What the files about learning share: a call that teaches, and the change of traits. */
#ifndef CHECKERS_HOST_OBJECTS_TEACHING_CALL_H
#define CHECKERS_HOST_OBJECTS_TEACHING_CALL_H

#include "checkers/host/checker.h"

/* A call that teaches. */
struct lesson {
    struct host_checker *checker;
    const struct api_call *call;
    const struct api_entry_info *info;
};

/* An argument by its name: NULL, or 0, when the entry point has none. */
const struct api_value *lesson_argument(const struct lesson *lesson, const char *name);
uint64_t lesson_number(const struct lesson *lesson, const char *name);
/* What an answer that begins "OpenCL 3.1" says: 310. False = it begins otherwise. */
bool lesson_version(const struct api_value *answer, uint64_t *version);
void lesson_change(const struct lesson *lesson, uint64_t handle, enum api_object_kind kind,
                   object_change *change, const void *user);

/* The event of a command (learn_traits.c). */
void learn_command_event(struct host_checker *checker, const struct api_call *call,
                         uint64_t handle);

/* Kernels (learn_kernel.c). */
void learn_kernel_created(const struct lesson *lesson, uint64_t kernel);
void learn_clone(const struct lesson *lesson);
void learn_kernel_answer(const struct lesson *lesson, uint64_t query,
                         const struct api_value *answer);

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
bool teaches_svm(uint32_t entry);
void learn_svm(const struct lesson *lesson);

/* Extensions (learn_extension.c). */
struct api_property;
bool teaches_extension(uint32_t entry);
void learn_extension(const struct lesson *lesson);
void learn_platform_answer(const struct lesson *lesson, uint64_t query,
                           const struct api_value *answer);
void learn_device_extension(struct device_traits *device, uint64_t query,
                            const struct api_value *answer);
/* Fills what the properties of a new memory object say; `devices` is room for mem->devices. */
void learn_mem_properties(const struct lesson *lesson, struct mem_traits *mem,
                          struct device_list *devices);

#endif
