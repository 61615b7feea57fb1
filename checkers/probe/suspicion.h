/* From a record that a checked kernel left (report.h) to a finding: what the device saw. */
#ifndef CHECKERS_PROBE_SUSPICION_H
#define CHECKERS_PROBE_SUSPICION_H

#include "checkers/finding.h"
#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "checkers/probe/report.h"

#include <stdbool.h>
#include <stdint.h>

/* The launch that the record is of. */
struct suspicion_launch {
    const char *kernel, *device;     /* names */
    const struct fact_kernel *facts; /* or NULL */
    const struct checked *checked;   /* what the kernel was made from */
    uint64_t call_id;                /* 0 = not known any more, nor the sizes */
    uint32_t dimensions;             /* of the NDRange */
    uint64_t offset[3], global[3];
    uint64_t local[3]; /* 0 = the driver chose it */
};

/* False for words that are no record of such a kernel, which only a kernel that wrote where it must
 * not leaves; and when memory is out. Strings are in `arena`, or the launch's. */
bool suspicion_finding(const uint32_t words[REPORT_RECORD_WORDS],
                       const struct suspicion_launch *launch, struct arena *arena,
                       struct finding *finding);

/* Is it of a read of global memory that nobody had written? */
bool suspicion_is_unwritten_global(const uint32_t words[REPORT_RECORD_WORDS]);

#endif
