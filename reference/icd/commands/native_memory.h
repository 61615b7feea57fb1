/* What a native kernel does to memory objects. It is code of the host, so nobody sees its accesses:
 * found are the bytes that it has changed, by comparing them with what they were before. No other
 * command runs meanwhile; left out is what the host itself may write then: objects that are mapped
 * for writing, shared virtual memory, and memory of its own that the function is not given.
 *
 * Bytes of its mem_list count as written by the command, for races (races.h). Others it can only
 * reach by an address that was given for another command, an earlier native kernel or a map: those
 * objects alone are compared, up to NATIVE_MEMORY_LIMIT. */
#ifndef REFERENCE_ICD_COMMANDS_NATIVE_MEMORY_H
#define REFERENCE_ICD_COMMANDS_NATIVE_MEMORY_H

#include "reference/icd/types.h"

#define NATIVE_MEMORY_LIMIT (UINT64_C(256) << 20) /* bytes */

/* The running command's function, which is given these buffers, is about to be called; NULL among
 * them are skipped. NULL when there is nothing to compare. Locked. */
struct native_memory;
struct native_memory *native_memory_begin(const cl_mem *mems, size_t count);
/* It has returned. Tells what it wrote, reports what it should not have. Locked; NULL is allowed.
 */
void native_memory_end(struct native_memory *memory);

#endif
