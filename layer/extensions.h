/* Extension functions: what clGetExtensionFunctionAddress(ForPlatform) returns is wrapped when the
 * entry-point table knows it, and otherwise passed through, counted and named in the trace. */
#ifndef LAYER_EXTENSIONS_H
#define LAYER_EXTENSIONS_H

#include "layer/session.h"
#include "trace/api/call.h"

#include <stdint.h>

/* The word that the application gets for `result`, the driver's, of the completed call: `result`
 * itself unless the call asked for an extension function. If calls of that function will not be
 * seen, that is said in call->flags. */
uint64_t extensions_wrap_result(struct session *session, struct api_call *call, uint64_t result);

#endif
