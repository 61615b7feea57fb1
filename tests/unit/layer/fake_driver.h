/* A driver for tests of the layer: a dispatch table whose functions do the least that can be
 * observed. Its commands are complete at once, but for reads and maps that are not blocking: these
 * happen at clFinish or clWaitForEvents. */
#ifndef TESTS_UNIT_LAYER_FAKE_DRIVER_H
#define TESTS_UNIT_LAYER_FAKE_DRIVER_H

#include "trace/api/entry.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { FAKE_BUFFER_SIZE = 3 * 4096 };

/* How often the functions of the driver were reached, and what they are to do. */
struct fake_driver {
    atomic_uint release_mem_count, set_kernel_arg_count, flush_count;
    bool kill_in_finish; /* clFinish kills the process, as a crash of a driver would */
    cl_icd_dispatch
        *calls_back; /* clFinish calls clFlush of this table, as a driver on top of the API does */
    unsigned char bytes[FAKE_BUFFER_SIZE]; /* of the only buffer */
};
extern struct fake_driver fake_driver;

/* API_SLOT_COUNT slots; those without a fake are NULL. */
extern api_function *fake_table[API_SLOT_COUNT];
/* Fills the table. */
void fake_driver_init(void);

#endif
