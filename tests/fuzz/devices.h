/* What the fuzzers that compare devices share: the round that is under way, devices by the name of
 * their platform, and programs built for one. All of it ends the process with a sentence that names
 * the round where something fails. */
#ifndef TESTS_FUZZ_DEVICES_H
#define TESTS_FUZZ_DEVICES_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
};

/* Who fuzzes, what, and who is at work: a crash tells them (round_watch installs the handlers). */
extern const char *fuzzer_name;
extern volatile uint64_t current_round;
extern const char *volatile current_work;
void round_watch(void);
_Noreturn void round_fail(const char *what);
void round_check(cl_int status, const char *what);
/* Fails if the file has anything in it: what clerk found. */
void round_check_findings(const char *path);

/* The first device of the first platform whose name contains `platform`; false if there is none. */
bool device_open(struct device *device, const char *platform);
void device_close(struct device *device);
/* A buffer of `size` bytes, with those at `bytes` unless that is NULL. */
cl_mem device_buffer(const struct device *device, size_t size, const void *bytes);
void device_build(const struct device *device, cl_program program, const char *options);
cl_program device_build_source(const struct device *device, const char *source,
                               const char *options);
/* The program by clang at `level` and llvm-spirv; NULL where llvm-spirv writes nothing, or nothing
 * valid. */
cl_program device_build_optimised(const struct device *device, const char *source,
                                  const char *level, const char *standard);

#endif
