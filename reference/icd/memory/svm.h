/* Shared virtual memory: what calls make of addresses. */
#ifndef REFERENCE_ICD_MEMORY_SVM_H
#define REFERENCE_ICD_MEMORY_SVM_H

#include "reference/icd/commands/executor.h"
#include "reference/limits/limits.h"

/* Has the device shared virtual memory? */
static inline bool svm_is_offered(void)
{
    return limits_keep(KEPT_ALIKE);
}

/* The object of the allocation that the address is in, or right after, and the place in it; 0 =
 * none that lives. */
uint32_t svm_find_object(const void *address, uint64_t *offset);

/* Is any of it mapped? Locked. */
bool svm_is_mapped(uint32_t object);

struct svm_request {
    const char *function; /* "clSVMAlloc" */
    enum observer_svm kind;
    uint64_t size;
    uint64_t alignment; /* a power of two, or 0 */
    bool read_only, write_only;
};

/* NULL when there is no room, or the request asks for what no device of ours gives. Unlocked. */
void *svm_allocate(const struct svm_request *request);
/* An address that is not the start of a living allocation is let be. Unlocked. */
void svm_free(void *address);

/* Commands of either sort: check, and fill in what the command does. */
cl_int svm_enqueue_copy(struct command_request *request, void *dst_ptr, const void *src_ptr,
                        size_t size);
cl_int svm_enqueue_fill(struct command_request *request, void *pointer, const void *pattern,
                        size_t pattern_size, size_t size);

#endif
