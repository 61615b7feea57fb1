/* A part of a request that is IL, as the compiler takes it. */
#ifndef REFERENCE_PROBE_PART_H
#define REFERENCE_PROBE_PART_H

#include "checkers/probe/request.h"
#include "reference/compiler/take.h"
#include "trace/base/arena.h"

#include <stdbool.h>

/* With the values of its specialisation constants, in `arena`; false when memory is out. */
bool part_take_request(const struct request_part *part, struct arena *arena,
                       struct take_request *request);

#endif
