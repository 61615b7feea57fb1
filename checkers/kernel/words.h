/* How findings about kernels put things: work-items, accesses, objects, places. All strings are the
 * launch's arena's; where memory runs out they are "?" and the checker remembers it. */
#ifndef CHECKERS_KERNEL_WORDS_H
#define CHECKERS_KERNEL_WORDS_H

#include "checkers/kernel/state.h"

/* One work-item, by where it is. */
struct work_item {
    uint64_t group[3];
    uint64_t local[3];
    uint64_t global[3]; /* with the offset of the NDRange */
};

struct work_item work_item_of(const struct kernel_checker *checker, uint64_t group_linear,
                              uint32_t local_linear);
/* In the running group. */
struct work_item work_item_here(const struct kernel_checker *checker, uint32_t local_linear);
/* Of the lanes of the mask, not 0, in the running vector. */
struct work_item work_item_lowest(const struct kernel_checker *checker, uint64_t mask);
uint64_t group_linear(const struct kernel_checker *checker, const uint64_t group[3]);

const char *words(struct kernel_checker *checker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "5", and in ranges of more dimensions "(5,1)" or "(5,1,0)" */
const char *words_id(struct kernel_checker *checker, const uint64_t id[3]);
/* "64 x 32" */
const char *words_sizes(struct kernel_checker *checker, const uint64_t *sizes, uint32_t count);
/* "work-item 1 of work-group 0" */
const char *words_item(struct kernel_checker *checker, const struct work_item *item);
/* "3 work-items" */
const char *words_item_count(struct kernel_checker *checker, uint64_t count);
/* The other lanes of the mask: ", as do 3 more work-items". */
const char *words_others(struct kernel_checker *checker, uint64_t mask);
/* "write of 4 bytes by work-item 1 of work-group 2, global id 9" */
const char *words_access(struct kernel_checker *checker, const char *access,
                         const struct work_item *item);
/* "atomic read of 4 bytes" */
const char *words_kind(enum observer_access_kind kind);
/* "global", "local" ... */
const char *words_region(enum observer_region region);
/* "element 3" or "bytes 5 to 8": `size` bytes at `offset`. */
const char *words_range(struct kernel_checker *checker, uint64_t offset, uint64_t size);
/* "1 byte", "4 bytes" */
const char *words_bytes(struct kernel_checker *checker, uint64_t count);
/* "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "0" */
const char *words_flags(uint32_t flags);
const char *words_scope(enum observer_scope scope);
const char *words_order(enum observer_order order);
/* 1 to 8 bytes as a number: an integer is decimal when small, else hexadecimal. */
const char *words_value(struct kernel_checker *checker, const void *bytes, uint32_t size,
                        bool is_floating);
/* "line 9" or "line 9 of other.cl"; "an unknown line" */
const char *words_line(struct kernel_checker *checker, uint32_t site);
/* That, and the line as it reads with `to` in the place of `from`: "line 9: x = 1;". Only "line 9."
 * where the line's text is not known, or does not have `from` just once. */
const char *words_changed_line(struct kernel_checker *checker, uint32_t site, const char *from,
                               const char *to);
/* "kernel 'sum', 1024 work-items in work-groups of 64" */
const char *words_launch(struct kernel_checker *checker);
/* What the kernel calls the object: its argument's or variable's name, else the object's own. */
const char *words_name(const struct kernel_checker *checker, const struct observer_object *object);
/* "global memory 'a' (buffer#1: clCreateBuffer, 4096 bytes)" */
const char *words_object(struct kernel_checker *checker, const struct observer_object *object);

/* pipes.c: of a fault of kind PIPE. */
enum rule_index pipe_rule(const struct observer_pipe *pipe);
const char *pipe_message(struct kernel_checker *checker, const struct observer_fault *fault,
                         const struct work_item *item);
const char *pipe_reason(const struct observer_pipe *pipe);

/* The place of a site with its call chain. */
void words_place(struct kernel_checker *checker, uint32_t site, const char *label,
                 struct finding_place *place);
/* One more place of the finding. */
void words_add_place(struct kernel_checker *checker, struct finding *finding, uint32_t site,
                     const char *label);
void place_add(struct kernel_checker *checker, struct finding *finding,
               const struct finding_place *place);

#endif
