#include "tests/probes/probed.h"
static const struct probed_case pointers[1];
const struct probed_kind probed_pointers = {"pointers", "bounds-global", pointers, 0};
