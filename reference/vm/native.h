/* Native code, as the main loop (exec_run.c) runs it in the place of instructions; reference/native
 * makes it of lane code that runs often.
 *
 * It gives the same bytes, in the same order, as the instructions would. Whatever is unusual it
 * leaves to them: it never tells of anything by itself. */
#ifndef REFERENCE_VM_NATIVE_H
#define REFERENCE_VM_NATIVE_H

#include "reference/vm/native_call.h"

/* Where it comes from, when it is worth its price. */
struct vm_native_source {
    /* `done` instructions were executed since the call before. Gives the native code, which lasts
     * until the process ends, or NULL as long as there is none; and in *next how many more
     * instructions are to be executed before the next call. */
    vm_native_run *(*get)(struct vm_native_source *source, u64 done, u64 *next);
    void (*destroy)(struct vm_native_source *source);
};

#endif
