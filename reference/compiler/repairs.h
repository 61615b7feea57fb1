/* What is wrong in what compilers write, or programs bring, and is mended before the device reads
 * it: in text of LLVM (translate.h), then in SPIR-V. A file each. */
#ifndef REFERENCE_COMPILER_REPAIRS_H
#define REFERENCE_COMPILER_REPAIRS_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the translator writes that SPIR-V does not allow, put right, so that the device's own
 * modules pass a validator: they come back as program binaries. */

/* *spirv is memory of trace/base/alloc.h in the order of the host's bytes, and is replaced by the
 * repaired module. STATUS_NO_MEMORY leaves both as they are. */
enum status repair_spirv(uint8_t **spirv, size_t *size);

/* Built-in functions that llvm-spirv does not take for such. */

/* Appends the module `ir` to `repaired`, where llvm-spirv knows them; false where nothing is to be
 * done. */
bool repair_built_ins(const char *ir, struct text *repaired);

/* Did llvm-spirv leave some of them to whoever links the module? */
bool repair_lacks_built_ins(const struct text *spirv);

/* Constants that the translator to SPIR-V does not take. */

/* Appends the module `ir` to `repaired`, with these constants written otherwise; false when it has
 * none. Numbers become vectors as the device's personality orders bytes. */
bool repair_constants(const char *ir, struct text *repaired);

/* The destructors of program-scope objects, as the device calls them. */

/* The entry point that calls them: repair.c makes it a Finalizer. */
#define REPAIR_FINALISER "clerk.destructors"

/* Appends the module `ir`, LLVM's text, to `repaired`; false where there are none in it. */
bool repair_destructors(const char *ir, struct text *repaired);

/* Fences and barriers with flags, orders or scopes that are computed, and sub_group_barrier without
 * a scope. */

/* Appends the module `ir` to `repaired`, with such calls as SPIR-V has them; false when it has
 * none. */
bool repair_fences(const char *ir, struct text *repaired);

/* May llvm-spirv have read sub_group_barrier(flags) as one with memory_scope_work_group? */
bool repair_misread_fences(const struct text *spirv);

/* Additions to halves in memory: atomic_fetch_add and atomic_fetch_sub of an atomic_half. */

/* Appends the module `ir` to `repaired`, with what repair_spirv takes for such calls; false when it
 * has none. */
bool repair_halves(const char *ir, struct text *repaired);

/* Queues and events of the device in LLVM's text, from 16 on types of their own. */

/* Appends the module `ir` to `repaired`, with its handles made and compared as SPIR-V has it; false
 * where it does neither. */
bool repair_handles(const char *ir, struct text *repaired);

/* Modules from outside as SPIR-V wants them: llvm-spirv before 16 writes much of what an optimiser
 * makes in a way that drivers take and validators do not. */

/* *spirv is memory of trace/base/alloc.h and is replaced by the repaired module. What is not a
 * module in the host's byte order stays as it is, and STATUS_MALFORMED says so. */
enum status repair_il(uint8_t **spirv, size_t *size);

/* Initialisers that the translator to SPIR-V does not take. */

/* Appends the module `ir` to `repaired`, with these initialisers in constant memory; false when it
 * has none, or has one that is put to another use than being copied. */
bool repair_initialisers(const char *ir, struct text *repaired);

/* What the translator to SPIR-V needs to be told in LLVM's text. */

/* Appends the module `ir` to `repaired`, with what its functions lack; false when they lack
 * nothing that this repair knows. */
bool repair_ir(const char *ir, struct text *repaired);

/* What the pointers that a kernel is given lead to. */

/* Gives the parameters of kernels in the module, whose pointers had no types, those that the
 * program declares them with, and says that others may be wrong (SPV_UNTYPED_POINTERS). What it
 * does not know, or is not a module, stays as it is. STATUS_NO_MEMORY. */
enum status repair_pointers(uint8_t **spirv, size_t *size);

/* Constants of initialisers that llvm-spirv leaves where SPIR-V has no variables. */

/* *spirv is memory of trace/base/alloc.h in the order of the host's bytes, and is replaced where
 * there is something to repair. STATUS_NO_MEMORY leaves both as they are. */
enum status repair_private(uint8_t **spirv, size_t *size);

#endif
