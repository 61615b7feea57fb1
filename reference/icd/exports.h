/* The functions that the library gives out by name beside OpenCL's: what
 * checkers/sink.h and trace/debug/requests.h have. */
#ifndef REFERENCE_ICD_EXPORTS_H
#define REFERENCE_ICD_EXPORTS_H

#include "checkers/sink.h"
#include "trace/debug/requests.h"

sink_set_function clerk_set_finding_sink;
sink_option_function clerk_set_device_option;
sink_call_function clerk_set_launch_call;
sink_memory_function clerk_has_lacked_memory;
sink_explore_function clerk_set_exploring;
sink_meter_function clerk_set_meter;
sink_print_function clerk_set_printing;
sink_profile_function clerk_set_profiling;
sink_child_function clerk_set_child_sink;
sink_left_out_function clerk_describe_left_out;
sink_native_function clerk_try_native;
sink_empty_function clerk_create_empty_buffer;
debug_set_function clerk_set_debugger;

#endif
