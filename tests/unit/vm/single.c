#include "tests/unit/vm/single.h"

#include "trace/base/assert.h"

#include <string.h>

void single_init(struct single *single)
{
    memset(single, 0, sizeof *single);
    assembler_init(&single->as);
}

uint8_t *single_row(struct single *single, vm_row row)
{
    return single->units + row * VM_UNIT_SIZE;
}

void single_run(struct single *single, uint64_t mask)
{
    single->run = (struct vm_run){.code = assembler_finish(&single->as)};
    single->vector.run = &single->run;
    single->vector.units = single->units;
    single->vector.undefined = single->undefined;
    single->vector.pending = single->pending;
    single->vector.ready = single->ready;
    single->vector.ended = 0;
    ASSERT(single->as.code.frame_units <= FRAME_UNITS);
    vm_vector_release(&single->vector, mask, 0);
    vm_vector_run(&single->vector);
    ASSERT(single->vector.ended == mask);
}

void single_execute(struct single *single, struct vm_instruction instruction, uint64_t mask)
{
    as_block(&single->as);
    as_emit(&single->as, instruction);
    as_return(&single->as);
    single_run(single, mask);
}
