/* The host side of `clerk kernel`: an OpenCL program over the loader that sees the reference device
 * alone.
 *
 * One host per process: it sets environment variables that the loader reads once. One thread at a
 * time. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_HOST_H
#define VIEWER_CLI_KERNEL_KERNEL_HOST_H

#include "checkers/sink.h"
#include "trace/base/status.h"
#include "viewer-cli/kernel/kernel_argument.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_host;

/* What the kernel says of one of its parameters. */
struct kernel_parameter {
    enum kernel_argument_kind kind;
    char *name;      /* "" when the program has no names */
    char *type_name; /* "float4*"; "" when unknown */
};

struct kernel_program {
    void *bytes; /* as a device takes them */
    size_t size;
    bool il; /* SPIR-V, not OpenCL C */
};

struct kernel_range {
    uint32_t dimensions;
    size_t global[3], local[3], offset[3];
    bool has_local;
};

/* Opens the loader, finds the reference device and makes a context and a queue. Findings of every
 * launch go to `sink`, what kernels print to `print`. */
enum status kernel_host_create(sink_function *sink, sink_print *print, void *user,
                               struct kernel_host **host, struct error *error);
void kernel_host_destroy(struct kernel_host *host);

/* On failure the build log, if there is one, is appended to `log`. Program and options have to live
 * as long as the host. */
enum status kernel_host_build(struct kernel_host *host, const struct kernel_program *program,
                              const char *build_options, struct text *log, struct error *error);
/* The names of the kernels, separated by ';'. Lives as long as the host. */
const char *kernel_host_kernel_names(const struct kernel_host *host);
/* Makes this the kernel that the functions below speak of, in place of the one before. */
enum status kernel_host_select(struct kernel_host *host, const char *name, struct error *error);
/* Builds the program anew, and takes its kernel of this name, if it has variables of program scope:
 * a run before may have changed them. */
enum status kernel_host_renew(struct kernel_host *host, const char *name, struct error *error);
size_t kernel_host_parameter_count(const struct kernel_host *host);
const struct kernel_parameter *kernel_host_parameter(const struct kernel_host *host, size_t index);

/* Runs the kernel once on fresh buffers in the order that `schedule` names. outputs[i] receives
 * what buffer or image argument i holds afterwards (the caller frees it with alloc_free); NULL for
 * other kinds; `outputs` may be NULL. *ended is the status of its event, 0 if the device ran it to
 * its end. */
enum status kernel_host_run(struct kernel_host *host, const char *schedule,
                            const struct kernel_range *range,
                            const struct kernel_argument *arguments, size_t argument_count,
                            uint8_t **outputs, int32_t *ended, struct error *error);
/* Did the device, ever, not get memory that it asked for? */
bool kernel_host_lacks_memory(const struct kernel_host *host);
/* Ends the kernel and the program: what runs then has run. Their parameters stay known. */
void kernel_host_end_program(struct kernel_host *host);
/* Explores it instead, as checkers/sink.h says. */
enum status kernel_host_explore(struct kernel_host *host, const struct sink_exploring *exploring,
                                const struct kernel_range *range,
                                const struct kernel_argument *arguments, size_t argument_count,
                                struct error *error);

#endif
