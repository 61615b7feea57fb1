/* What a run enqueued, as temporary tables beside those of the trace, for queries (rows.h). They
 * are made of the calls, so that traces of every version have them. */
#ifndef VIEWER_CLI_COMMANDS_H
#define VIEWER_CLI_COMMANDS_H

#include "trace/base/status.h"
#include "trace/reader.h"

/* command: a row for each call of the application's that enqueues one.
 *
 *     call                   the call
 *     objects                the memory objects that it names, "buffer#1 buffer#2", or NULL
 *     bytes                  how many it moves, fills or maps; NULL where that is not known
 *     queue, event           "queue#1", "event#3", or NULL
 *     waits_for              its wait list, "event#1 event#2", or NULL
 *     queued_ns, submit_ns,
 *     start_ns, end_ns,
 *     complete_ns            by the device's clock; NULL unless the program or --profile asked
 *
 * command_object: a row for each memory object that a command names and each event that it waits
 * for.
 *
 *     object, call           "buffer#1", and the command */
enum status commands_make(struct trace *trace, struct error *error);

#endif
