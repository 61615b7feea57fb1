/* Pipes in device memory: an object of vm_memory, whose bytes are the packets, that also has the
 * state below. A kernel's pipe argument is the pointer to that object, offset 0. OpenCL C 3.0,
 * 6.15.17.
 *
 * Packets are numbered in the order in which writers reserved them; packet n lies in slot
 * n % capacity. Each end of the pipe has *given* packets to work-items, and is *done* with those
 * before the first that is not committed:
 *
 *     read.done <= read.given <= write.done <= write.given <= read.done + capacity
 *     free again   readers have  readers may     writers have
 *                  those before  have those before
 *
 * So packets come out in the order of their reservations, whenever these were committed.
 *
 * A reservation ID names the pipe, its end, and the reservation by a serial number that is never
 * given again; 0 is not a reservation. Pipes are used by the thread that executes launches,
 * of which several may be under way (vm_run). */
#ifndef REFERENCE_VM_PIPE_H
#define REFERENCE_VM_PIPE_H

#include "reference/vm/exec.h"

struct vm_pipe;

enum vm_pipe_end { VM_PIPE_READ, VM_PIPE_WRITE };

struct vm_reservation {
    const struct vm_run *run; /* whose it is */
    uint64_t first;           /* packet */
    uint32_t count;
    uint32_t site; /* that made it */
    bool committed;
};

/* NULL when memory is out. `object` is the number of its object. */
struct vm_pipe *vm_pipe_create(uint32_t object, uint32_t packet_size, uint32_t capacity);
void vm_pipe_destroy(struct vm_pipe *pipe); /* NULL does nothing */

uint32_t vm_pipe_packet_size(const struct vm_pipe *pipe);
uint32_t vm_pipe_capacity(const struct vm_pipe *pipe);
/* Packets that are there to be read. */
uint32_t vm_pipe_available(const struct vm_pipe *pipe);

/* The launch, which has joined, uses that end. True: it has used the other one, too, which OpenCL C
 * forbids. */
bool vm_pipe_use(struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end);
bool vm_pipe_is_used(const struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end);

/* The next packet, reserved and committed at once; false: there is none, or no room, or no memory.
 */
bool vm_pipe_pass(struct vm_pipe *pipe, enum vm_pipe_end end, uint64_t *packet);
/* The ID of a reservation of `count` packets for the launch; 0: the same. */
uint64_t vm_pipe_reserve(struct vm_pipe *pipe, const struct vm_run *run, enum vm_pipe_end end,
                         uint64_t count, uint32_t site);
/* The launch's reservation of that ID, or what is wrong with it. Valid until the next call. */
enum observer_pipe_misuse vm_pipe_find(struct vm_pipe *pipe, const struct vm_run *run,
                                       enum vm_pipe_end end, uint64_t id,
                                       struct vm_reservation **found);
void vm_pipe_commit(struct vm_pipe *pipe, enum vm_pipe_end end, struct vm_reservation *reservation);
/* Where the packet lies in the bytes of the object. */
uint64_t vm_pipe_offset(const struct vm_pipe *pipe, uint64_t packet);

/* The launch uses the pipe, or may, until it ends. When memory is out, it is not known what it did
 * before with it. */
void vm_pipe_join(struct vm_pipe *pipe, struct vm_run *run);
/* The launch has ended. Reservations that it left open are told, by the number of the pipe's
 * object, and count as committed. */
void vm_pipes_end(struct vm_run *run,
                  void (*lost)(void *user, uint32_t object, enum vm_pipe_end end,
                               const struct vm_reservation *reservation),
                  void *user);

/* ---- exec_pipe.c: what built-in functions do ---- */

/* The object of a pipe that is still there, which `lanes` of the vector, not 0, use by the
 * instruction at `site`; NULL: there is none. Tells what is wrong with that. */
const struct vm_object *vm_pipe_begin(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                                      uint64_t pointer, enum vm_pipe_end end);
/* One reservation, and one commit, for all these lanes. Packets reserved for writing become
 * undefined. */
uint64_t vm_pipe_begin_reservation(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                                   uint64_t pointer, enum vm_pipe_end end, uint64_t count);
void vm_pipe_end_reservation(const struct vm_vector *vector, uint32_t site, uint64_t lanes,
                             uint64_t pointer, enum vm_pipe_end end, uint64_t id);
/* The ops of lane code. */
void vm_pipe_transfer(struct vm_vector *vector, const struct vm_instruction *in);
void vm_pipe_reservation(struct vm_vector *vector, const struct vm_instruction *in);
void vm_pipe_query(struct vm_vector *vector, const struct vm_instruction *in);

#endif
