/* How a launch goes on, and from where. */
#ifndef REFERENCE_DEBUG_MOVE_H
#define REFERENCE_DEBUG_MOVE_H

#include <stdbool.h>
#include <stdint.h>

enum debug_mode {
    DEBUG_MODE_CONTINUE,
    DEBUG_MODE_STEP,
    DEBUG_MODE_NEXT,
    DEBUG_MODE_FINISH,
    DEBUG_MODE_UNTIL,
    DEBUG_MODE_INSTRUCTION,
    DEBUG_MODE_GROUP,  /* every vector of the group begins a statement, or waits */
    DEBUG_MODE_GOTO,   /* to a moment, whatever stops on the way */
    DEBUG_MODE_VECTOR, /* to where a vector begins */
    DEBUG_MODE_LEAVE,  /* to the end without stops */
    /* Searched for in the past: */
    DEBUG_MODE_BACK_STEP,
    DEBUG_MODE_BACK_NEXT,
    DEBUG_MODE_BACK_FINISH,
    DEBUG_MODE_BACK_INSTRUCTION,
};

struct debug_move {
    enum debug_mode mode;
    uint64_t steps;           /* still to be made, this one included */
    uint64_t origin_group[3]; /* of the item that steps, with its vector and lane */
    uint32_t origin_vector, origin_lane, origin_place, origin_frame_place, until_line;
    bool of_item;          /* BACK: only that item's */
    bool at_start;         /* BACK: the item was at a statement's beginning */
    uint64_t group_lanes;  /* GROUP: the lanes that were at origin_place; */
    uint64_t group_done;   /* vectors that have begun another statement; */
    uint32_t group_vector; /* the last one that ran */
};

#endif
