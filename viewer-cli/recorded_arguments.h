/* What the kernel of each launch was given, as temporary tables beside those of the trace, for
 * queries (rows.h).
 *
 * given_object: a row for each argument that is an object.
 *
 *     call, argument    the launch, and the argument's index
 *     object            "buffer#1"
 *
 * given: a row for each launch.
 *
 *     call       the launch
 *     words      "input=buffer#1 (4.0 KiB), count=1024, tile=local 256 B"
 *     json       [{"name":"input","type":"float*","object":"buffer#1","size":4096},
 *                 {...,"value":1024},{...,"local":256}], names and types where they are known */
#ifndef VIEWER_CLI_RECORDED_ARGUMENTS_H
#define VIEWER_CLI_RECORDED_ARGUMENTS_H

#include "trace/base/status.h"
#include "trace/reader.h"

enum status recorded_arguments_make(struct trace *trace, struct error *error);

#endif
