/* Memory that the program has by its own means (malloc, mmap, its stacks, its variables) and gives
 * to kernels, on devices that can use it: fine-grain system SVM (OpenCL API 3.0, 3.3.3).
 *
 * No call allocates it. It is *found* when a kernel is given its address, and recorded as if the
 * program had allocated it just then: by a clSVMAlloc of clerk's own, whose result is the address,
 * a clSVMFree when it is another block's or nobody's, and a clSetKernelExecInfo that names it for
 * a kernel (API_CALL_SYNTHETIC). So what reads a trace need not know it.
 *
 * A block that malloc gave is as large as it was asked for, if that is known; and blocks that words
 * in found ones point to are found before the next launch. All else is found by whole mappings. */
#ifndef LAYER_FOUND_H
#define LAYER_FOUND_H

#include <stdbool.h>
#include <stdint.h>

struct layer_thread;
struct session;

/* May there be something to find before a call of this entry point? */
bool found_concerns(uint32_t entry);
/* Before such a call gets its number: what is found gets one that is less. The session keeps what
 * was found. Any thread. */
void found_look(struct session *session, struct layer_thread *thread, uint32_t entry,
                const uint64_t *words);

#endif
