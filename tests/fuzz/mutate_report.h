/* Reports in the form JSON to mutate, as clerk report and --baseline read them: by bytes, and by
 * values. */
#ifndef TESTS_FUZZ_MUTATE_REPORT_H
#define TESTS_FUZZ_MUTATE_REPORT_H

#include "trace/base/status.h"

#include <stdint.h>

/* Writes a report that is mutated as this number says. */
enum status mutate_report(uint64_t number, const char *path);

#endif
