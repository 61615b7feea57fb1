/* What clerk_probe is asked: of which program. The layer writes it to the child's standard input;
 * the answer (facts.h) comes on its standard output. */
#ifndef CHECKERS_PROBE_REQUEST_H
#define CHECKERS_PROBE_REQUEST_H

#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device that the driver builds for, as its macros tell of it (OpenCL C 3.0, 6.10). */
struct request_device {
    const char *extensions; /* CL_DEVICE_EXTENSIONS */
    uint32_t version;       /* CL_DEVICE_VERSION, 300 = OpenCL 3.0 */
    uint32_t address_bits;  /* CL_DEVICE_ADDRESS_BITS */
    bool is_embedded;       /* CL_DEVICE_PROFILE */
    bool has_images;        /* CL_DEVICE_IMAGE_SUPPORT */
    bool is_little_endian;  /* CL_DEVICE_ENDIAN_LITTLE */
    bool is_alone;          /* the program is of no other device, which may be another one */
    const char *macros;     /* what else the driver defines: lines of #define and #undef */
};

struct request_header {
    const char *name, *text;
    size_t size;
};

/* What a program gave to a specialisation constant of its IL. */
struct request_constant {
    uint32_t id;      /* SpecId */
    uint32_t size;    /* of its bytes */
    uint8_t bytes[8]; /* in the order of this machine */
};

/* One program object: source with the options that it is compiled with, or IL. */
struct request_part {
    bool is_il;
    const void *bytes;
    size_t size;
    const char *options;
    struct request_header *headers; /* of clCompileProgram */
    size_t header_count;
    struct request_constant *constants; /* of IL: those that were set */
    size_t constant_count;
};

/* Strings, bytes and lists of one that was unpacked lie in `arena`. */
struct request {
    struct arena arena;
    struct request_device device;
    bool is_linked;     /* by clLinkProgram: of one part or more, compiled before */
    bool wants_checked; /* the checked copy (checked.h) as well */
    struct request_part *parts;
    size_t part_count;
};

void request_pack(const struct request *request, struct text *text);
/* False when the bytes are not what request_pack gives, or memory is out. Release in either case.
 */
bool request_unpack(const void *bytes, size_t size, struct request *request);
void request_release(struct request *request);

#endif
