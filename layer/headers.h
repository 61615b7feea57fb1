/* The files that a program includes when it is compiled, which nothing but the compiler reads:
 * recorded, so that a replay needs no folder. */
#ifndef LAYER_HEADERS_H
#define LAYER_HEADERS_H

#include "trace/api/call.h"
#include "trace/spool.h"

/* Before a call that compiles a program: records, as contents of it, each file that its source
 * names in an #include and that is in a directory of its options, of the file that names it, or in
 * the working directory; and what those include. The calling thread is inside the driver. */
void headers_record(struct spool *spool, const struct api_call *call);

#endif
