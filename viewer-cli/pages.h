/* What is installed beside the program and comes from its table of verbs: manual pages and the
 * completion of its command line. */
#ifndef VIEWER_CLI_PAGES_H
#define VIEWER_CLI_PAGES_H

#include "viewer-cli/verb.h"

/* clerk(1), or clerk-VERB(1) if a verb is given, as man(7) has it. */
void pages_print_manual(const struct verb *const *verbs, size_t count, struct text *text);
void pages_print_verb_manual(const struct verb *verb, struct text *text);
/* A script for bash: source <(clerk --completion). */
void pages_print_completion(const struct verb *const *verbs, size_t count, struct text *text);

#endif
