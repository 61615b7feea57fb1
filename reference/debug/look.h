/* What is shown of values, code and sources: the requests for it. Each is false with a sentence. */
#ifndef REFERENCE_DEBUG_LOOK_H
#define REFERENCE_DEBUG_LOOK_H

#include "reference/debug/private.h"

typedef bool debug_answer_function(struct debug_session *session, const struct cJSON *request,
                                   struct text *answer, struct error *error);

/* ---- look.c ---- */
debug_answer_function debug_answer_stack, debug_answer_scopes, debug_answer_variables,
    debug_answer_locals, debug_answer_arguments, debug_answer_evaluate, debug_answer_set,
    debug_answer_memory, debug_answer_image, debug_answer_differ;
/* As if somebody asked for all that can be seen of the focus. */
void debug_look_around(struct debug_session *session);
/* ---- listing.c ---- */
debug_answer_function debug_answer_disassemble, debug_answer_sources, debug_answer_source;
/* ---- catches.c ---- */
debug_answer_function debug_answer_catch;

#endif
