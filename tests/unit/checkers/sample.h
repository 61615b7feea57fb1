/* Findings that several tests use. */
#ifndef TESTS_UNIT_CHECKERS_SAMPLE_H
#define TESTS_UNIT_CHECKERS_SAMPLE_H

#include "checkers/finding.h"

static const char *const sample_callers[] = {"step at reduce.cl:30:9", "reduce at reduce.cl:41:5"};
static const char *const sample_stack[] = {"upload+0x1f (app)", "main+0x52 (app)"};

static const struct finding_place sample_race_places[] = {
    {.kind = FINDING_PLACE_KERNEL,
     .label = "read of 4 bytes by work-item (0,0,0) of work-group (0,0,0)",
     .function = "reduce",
     .file = "reduce.cl",
     .line = 16,
     .column = 30,
     .source = "            tile[lid] += tile[lid + s];"},
    {.kind = FINDING_PLACE_KERNEL,
     .label = "write of 4 bytes by work-item (1,0,0) of work-group (0,0,0)",
     .function = "add",
     .file = "reduce.cl",
     .line = 9,
     .column = 5,
     .source = "\t*to = value;",
     .frames = sample_callers,
     .frame_count = 2},
};

static const struct finding sample_race = {
    .rule = RULE_RACE_LOCAL,
    .message =
        "work-items (0,0,0) and (1,0,0) of work-group (0,0,0) race on 4 bytes of local memory "
        "'tile' (element 1)",
    .reason = "no barrier separates them within work-group (0,0,0)",
    .subject = "local memory 'tile' (256 bytes), bytes 4 to 7",
    .context = "kernel 'reduce', NDRange 1024 in groups of 64",
    .kernel = "reduce",
    .places = sample_race_places,
    .place_count = 2,
    .call_id = 12,
    .count = 31,
    .heat = {.size = 250, .parts = {[1] = 30, [3] = 1}},
};

static const struct finding_place sample_call_places[] = {
    {.kind = FINDING_PLACE_CALL,
     .function = "clEnqueueReadBuffer",
     .argument = "event_wait_list[2]",
     .call_id = 40,
     .frames = sample_stack,
     .frame_count = 2},
    {.kind = FINDING_PLACE_OBJECT,
     .label = "event#7 was released by clReleaseEvent",
     .function = "clReleaseEvent",
     .call_id = 31},
};

static const struct finding sample_call = {
    .rule = RULE_HANDLE_RELEASED,
    .message = "clEnqueueReadBuffer: event_wait_list[2] is event#7, which was released",
    .advice = "Keep it.",
    .places = sample_call_places,
    .place_count = 2,
    .call_id = 40,
    .count = 1,
};

#endif
