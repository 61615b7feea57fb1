/* What buffers, images and pipes share: flags, their object in the device's memory, and their
 * accounting.
 */
#ifndef REFERENCE_ICD_MEMORY_MEM_H
#define REFERENCE_ICD_MEMORY_MEM_H

#include "reference/icd/types.h"

/* Is this the handle of a live memory object of that sort? Any value may be asked about. */
bool mem_is_buffer(cl_mem mem);
bool mem_is_image(cl_mem mem);
bool mem_is_pipe(cl_mem mem);
bool mem_is_buffer_or_image(cl_mem mem);

/* The object whose bytes `mem` shares, or itself. */
cl_mem mem_root(cl_mem mem);

/* The program learns where the bytes of `mem` lie. Locked. */
void mem_show(cl_mem mem);
/* Of the objects with bytes of their own those of which it has, the latest first, by shown.next;
 * NULL = none. Locked. */
cl_mem mem_shown(void);

/* The flags of an object with bytes of its own, and whether they fit the host pointer: CL_SUCCESS,
 * CL_INVALID_VALUE or CL_INVALID_HOST_PTR. */
cl_int mem_check_flags(cl_mem_flags flags, const void *host_ptr);
/* CL_MEM_READ_WRITE where the kernel's access is left open. */
cl_mem_flags mem_default_flags(cl_mem_flags flags);
/* The flags of a part or view of another object (5.2.1, 5.3.1): what it asks for must fit what the
 * parent has; *flags is that and what it inherits. */
cl_int mem_inherit_flags(cl_mem_flags parent, cl_mem_flags asked, cl_mem_flags *flags);

struct mem_request {
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags; /* all of them */
    uint64_t size;
    cl_mem parent;   /* whose bytes it shares, from `origin`; NULL = it has its own */
    uint64_t origin; /* of a sub-buffer */
    void *host_ptr;  /* CL_MEM_USE_HOST_PTR: its bytes, of a part its part of them; else NULL */
    uint32_t svm;    /* the object of shared virtual memory that host_ptr lies in; 0 = none */
    uint64_t svm_offset;
    struct property_list properties; /* taken over, also on failure */
    const cl_image_format *format;   /* of an image; else NULL, as the next one */
    const struct vm_image *image;
    uint32_t packet_size; /* of a pipe; else 0 */
    const char *made_by;  /* for reports: "clCreateBuffer, 64 bytes" */
};

/* Counts bytes that an object is to own; false = the device has not so many left. Locked. */
bool mem_reserve(uint64_t size);
void mem_give_back(uint64_t size);

/* NULL on failure, with the code in *result. Unlocked. */
cl_mem mem_create(const struct mem_request *request, cl_int *result);

#endif
