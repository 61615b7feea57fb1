/* Memory objects that the program has released, though launches that use them have not been heard
 * of: programs often release what they need no more right after the launch. They are held until
 * nothing is to be read of a launch any more, so that one that reports something can be kept with
 * its memory (captures.h).
 *
 * Only what nobody can see being held is: no memory of the host's, no sub-buffers, and nothing from
 * the first destructor callback of the program on; up to 256 MiB. Any thread, marked as being
 * inside the driver. */
#ifndef LAYER_PROBES_RELEASED_H
#define LAYER_PROBES_RELEASED_H

#include <CL/cl.h>
#include <stdbool.h>

struct released;

struct released *released_create(void); /* NULL when memory is out */
void released_destroy(struct released *released);

/* The program is about to release its last reference. */
void released_keep(struct released *released, cl_mem memory);
/* The program wants to be told when an object is no more. */
void released_keep_no_more(struct released *released);
/* False if it is not kept; else it has one more reference. */
bool released_hold(struct released *released, cl_mem memory);
bool released_is_empty(const struct released *released);
/* Lets go of all. */
void released_forget(struct released *released);

#endif
