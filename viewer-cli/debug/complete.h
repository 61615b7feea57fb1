/* Where a word that is being typed stands in an expression: for who offers what it may become. */
#ifndef VIEWER_CLI_DEBUG_COMPLETE_H
#define VIEWER_CLI_DEBUG_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct complete_place {
    size_t word;                  /* where in the text it begins; it ends at the cursor */
    size_t parent, parent_length; /* of whose members it is one: "both" of "1 + both.fi" */
    bool is_member, is_pointed;   /* it is a member; behind -> */
    bool is_first;                /* nothing stands before it */
};

/* `cursor` is at most the text's length. */
struct complete_place complete_find(const char *text, size_t cursor);

#endif
