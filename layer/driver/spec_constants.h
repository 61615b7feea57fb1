/* The values that a program gave to specialisation constants of its programs from IL, which no
 * driver tells. Any thread. */
#ifndef LAYER_DRIVER_SPEC_CONSTANTS_H
#define LAYER_DRIVER_SPEC_CONSTANTS_H

#include "checkers/probe/request.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct spec_constants;

struct spec_constants *spec_constants_create(void);            /* NULL when memory is out */
void spec_constants_destroy(struct spec_constants *constants); /* NULL is fine */

/* The driver took this clSetProgramSpecializationConstant. */
void spec_constants_set(struct spec_constants *constants, const struct api_call *call);
/* A new program of that handle has none. */
void spec_constants_forget(struct spec_constants *constants, uint64_t program);
/* Those of the program, as they are now; false when memory is out, or was for one of them. */
bool spec_constants_describe(struct spec_constants *constants, uint64_t program,
                             struct arena *arena, struct request_part *part);

#endif
