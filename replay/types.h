/* What a buffer's elements are, by the kernels that it is given to. The target may not tell, or
 * tell a name of the program's own; then the recording knows, if its driver told the layer, or
 * the reference device's compiler, which is given the recorded program for the question alone.
 * Private to replay/. */
#ifndef REPLAY_TYPES_H
#define REPLAY_TYPES_H

#include "replay/state.h"

/* Remembers in `noted` the type of what the argument points to, for the comparison of read-backs
 * and the report of a difference: the first that replay_type_is_known, or else whatever the target
 * told. */
void replay_types_note(const struct replay *replay, const struct replay_argument *argument,
                       char noted[REPLAY_TYPE_SIZE]);
/* A question that the layer asked the recording's driver. */
void replay_types_hear(const struct replay *replay, const struct api_call *call);

/* The reference device as nothing but a compiler; NULL is fine for all of these. */
struct replay_compiler;
void replay_compiler_destroy(struct replay_compiler *compiler);

#endif
