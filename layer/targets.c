#include "layer/targets.h"

api_function *layer_targets[API_ENTRY_COUNT];
