/* Functions of extensions whose parameters changed from one version to another under the same name:
 * the table of entry points has the later ones, and some drivers the earlier. */
#ifndef TRACE_API_CHANGED_H
#define TRACE_API_CHANGED_H

#include "trace/api/entry.h"

#include <stdbool.h>

/* Does the function of that entry point, of that platform (NULL = not known), have the parameters
 * that the table says? Asks the devices with functions of the table `functions`, by entry. */
bool api_parameters_fit(uint32_t entry, cl_platform_id platform, api_function *const *functions);

#endif
