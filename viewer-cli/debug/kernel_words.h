/* The words of a command line of `clerk kernel`, behind its verb: what a debugged process does. */
#ifndef VIEWER_CLI_DEBUG_KERNEL_WORDS_H
#define VIEWER_CLI_DEBUG_KERNEL_WORDS_H

#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/base/status.h"

#include <stddef.h>

/* Zero-initialise, and end with kernel_words_release. Words are copies. */
struct kernel_words {
    struct arena arena;
    char **words;
    int count;
    size_t capacity;
};

enum status kernel_words_add(struct kernel_words *words, const char *word, struct error *error);
/* "--NAME=VALUE"; "--NAME" where the value is NULL. */
enum status kernel_words_add_option(struct kernel_words *words, const char *name, const char *value,
                                    struct error *error);
/* Those of a verb's options, but for these (the last one is NULL), and its operand. */
enum status kernel_words_of_options(struct kernel_words *words, const struct options *options,
                                    const char *const *without, struct error *error);
void kernel_words_release(struct kernel_words *words);

#endif
