/* What there is to know of a parameter of a kernel, from what lowering finds: the reference device
 * answers clGetKernelArgInfo with it, and clerk_probe tells the layer. */
#ifndef REFERENCE_PROBE_PARAMETER_FACTS_H
#define REFERENCE_PROBE_PARAMETER_FACTS_H

#include "checkers/probe/facts.h"
#include "reference/vm/code.h"

/* Strings are the parameter's. */
void fact_of_parameter(const struct vm_parameter *parameter, struct fact_argument *argument);

#endif
