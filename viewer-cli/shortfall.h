/* What a recording lacks of its run, so that nothing is said of more than was recorded. */
#ifndef VIEWER_CLI_SHORTFALL_H
#define VIEWER_CLI_SHORTFALL_H

#include "checkers/rule.h"
#include "trace/reader.h"

#include <stdbool.h>

/* Calls `tell` with a sentence for each thing, without a full stop; a warning where calls are
 * missing, a note where the run is as long as it was. The sentence is valid during the call. */
typedef void shortfall_teller(void *user, const char *sentence, enum severity severity);
void shortfall_tell(struct trace *trace, shortfall_teller *tell, void *user);

/* Did the recorded program end by itself, so that it had the chance to release what it made? */
bool shortfall_has_end(struct trace *trace);
/* Was it recorded with --checks none, or by a list that is none? Not known of older traces. */
bool shortfall_has_no_checks(struct trace *trace);
/* Were bytes of memory recorded? */
bool shortfall_has_contents(struct trace *trace);
/* Those, or digests of them, that launches found and left? */
bool shortfall_has_contents_of_launches(struct trace *trace);

#endif
