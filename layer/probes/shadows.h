/* The cells (checkers/probe/cells.cl) of memory objects that checked kernels write: buffers beside
 * the program's own, 8 bytes for each element, made when a launch first needs them and kept until
 * the object goes. Any thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_SHADOWS_H
#define LAYER_PROBES_SHADOWS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct shadows;

/* `limit`: bytes for all; 0 = a quarter of what the device has. NULL when memory is out. */
struct shadows *shadows_create(uint64_t limit);
void shadows_destroy(struct shadows *shadows); /* NULL is fine */

struct shadow_wish {
    cl_command_queue queue; /* that the launch is for */
    uint64_t
        object;    /* a memory object that is no part of another, or the address of an allocation */
    uint64_t size; /* of it, in bytes */
    uint32_t shift;  /* a cell is for at most 1 << shift bytes */
    uint32_t launch; /* its number: kernels know the last ones of it */
};
struct shadow {
    cl_mem cells;   /* NULL = they cannot be had */
    uint32_t shift; /* a cell is for so many */
};
/* The caller releases the cells once the launch has them. */
struct shadow shadows_take(struct shadows *shadows, const struct shadow_wish *wish);
/* Cells that no other launch has until shadows_return. */
struct shadow shadows_lend(struct shadows *shadows, const struct shadow_wish *wish);
void shadows_return(struct shadows *shadows, cl_mem cells);
/* What `count` of them hold, from `first` on; the launch that had them has ended. False when the
 * driver refuses. */
bool shadows_read(struct shadows *shadows, cl_mem cells, uint64_t first, uint64_t count,
                  uint64_t *values);
/* Memory of the device that others take, out of what there is for all cells; false: there is not so
 * much. The device is that of the queue. */
bool shadows_claim(struct shadows *shadows, cl_command_queue queue, uint64_t size);
void shadows_give_back(struct shadows *shadows, uint64_t size);
/* A queue of our own to the device of another one, which is in order; NULL when it cannot be had.
 * Borrowed. */
cl_command_queue shadows_queue(struct shadows *shadows, cl_command_queue queue);
/* The object is gone. */
void shadows_forget(struct shadows *shadows, uint64_t object);

#endif
