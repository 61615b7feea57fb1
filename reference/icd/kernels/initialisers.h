/* Initialisers of linked programs, each one's kernel before all others. OpenCL API 3.0, 3.2: "the
 * order of execution of program initialization kernels that belong to different programs is
 * undefined". */
#ifndef REFERENCE_ICD_KERNELS_INITIALISERS_H
#define REFERENCE_ICD_KERNELS_INITIALISERS_H

#include "checkers/checks.h"
#include "checkers/kernel/touched.h"
#include "reference/vm/code.h"

/* One that has run, as part of another program than the others. */
struct initialiser {
    const struct vm_code *code;
    struct touched touched; /* by it, kept `apart` */
};

/* Tells which of them depend on that order: one wrote what another one used. Locked or not, while
 * no command runs. */
void initialisers_judge(const struct checks *checks, const struct initialiser *initialisers,
                        size_t count);

#endif
