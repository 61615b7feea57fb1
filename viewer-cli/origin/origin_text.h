/* The text of a program, in which places stand by line. */
#ifndef VIEWER_CLI_ORIGIN_ORIGIN_TEXT_H
#define VIEWER_CLI_ORIGIN_ORIGIN_TEXT_H

#include "checkers/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes line ends of one kind, in place: "\r\n" is "\n". Returns how many bytes are left. */
size_t origin_text_plain(char *bytes, size_t size);
uint64_t origin_text_hash(const char *bytes, size_t size);

/* Does the name stand in it as a word? */
bool origin_text_has_word(const char *text, size_t size, const char *word);

/* Where the place stands in the text, if it can be of that text: its line is there once, by what
 * lines are called there (#line), and reads as the finding quotes it. */
bool origin_text_find(const char *text, size_t size, const struct finding_place *place,
                      size_t *offset);

/* Does a compiler name the text of a program so, which it was given as a string? */
bool origin_text_is_nameless(const char *file);

#endif
