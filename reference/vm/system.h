/* The memory that the process has by its own means (malloc, mmap, its stacks, its variables), as
 * kernels see it on a device with fine-grain system SVM (OpenCL API 3.0, 3.3.3).
 *
 * Its pages come and go without a call, so the list of mappings is read again: before the first
 * access of each launch, and when a launch comes to an address that is not in the list. What is
 * unmapped while a kernel uses it ends the process, as on any device.
 *
 * Kernels know such memory as *windows*: objects of SYSTEM_WINDOW bytes at multiples of that, two
 * for each, one of what may be written and one of what may not. A byte is in the same object, at
 * the same place, however mappings grow, so that races on it are found. An access belongs to the
 * window that it begins in, and may leave it by as much as an access has bytes.
 *
 * Where it is known what malloc gave (trace/base/heap.h), an access that begins in a block must end
 * in it. One to a freed block is wrong where the block is not mapped any more, or the kernel was
 * given a pointer to it before it was freed; else its memory may be another's by now.
 *
 * The caller keeps threads apart. */
#ifndef REFERENCE_VM_SYSTEM_H
#define REFERENCE_VM_SYSTEM_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSTEM_WINDOW (UINT64_C(1) << 26)
enum { SYSTEM_ACCESS_MAX = 128 }; /* bytes, as struct access has it */

/* Mapped bytes, one after the other. */
struct system_range {
    uint64_t first, end;
    bool writable;
};

/* All zero: nothing is known. */
struct system_ranges {
    struct system_range *items; /* ascending */
    size_t count, capacity;
};

/* `text`: as /proc/self/maps has it. What cannot be read, clerk's own libraries and what lies from
 * `hidden` to `hidden_end` are left out. */
enum status system_ranges_parse(struct system_ranges *ranges, const char *text, uint64_t hidden,
                                uint64_t hidden_end, struct error *error);
/* The range that all `size` bytes at the address lie in; NULL = none. */
const struct system_range *system_ranges_find(const struct system_ranges *ranges, uint64_t address,
                                              uint64_t size);
void system_ranges_release(struct system_ranges *ranges);

/* The mappings of this process. */
enum status system_ranges_read(struct system_ranges *ranges, uint64_t hidden, uint64_t hidden_end,
                               struct error *error);

#endif
