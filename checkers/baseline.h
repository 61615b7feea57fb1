/* A baseline: what an earlier run has found, so that only what is new fails.
 *
 * It is read from that run's report in the form JSON. A finding is known when the baseline has one
 * of the same fingerprint (checkers/finding.h) that no other finding has taken: the second of two
 * that look alike is new if there was one before. */
#ifndef CHECKERS_BASELINE_H
#define CHECKERS_BASELINE_H

#include "checkers/finding.h"
#include "trace/base/status.h"

#include <stdbool.h>

struct baseline;

/* STATUS_MALFORMED names the file and the line that is not a finding. Findings of rules that this
 * clerk does not know are passed over: it cannot find them. */
enum status baseline_load(const char *path, struct baseline **baseline, struct error *error);
void baseline_destroy(struct baseline *baseline);

/* Is the finding known? It is then taken. One thread at a time; NULL knows nothing. */
bool baseline_take(struct baseline *baseline, const struct finding *finding);

#endif
