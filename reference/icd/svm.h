/* Shared virtual memory: what calls make of addresses. */
#ifndef REFERENCE_ICD_SVM_H
#define REFERENCE_ICD_SVM_H

#include "reference/icd/types.h"

/* The object of the allocation that the address is in, or right behind, and the place in it; 0 =
 * none that lives. */
uint32_t svm_find_object(const void *address, uint64_t *offset);

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

#endif
