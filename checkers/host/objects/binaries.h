/* The binaries of programs that the driver gave out, and the options with which it made them: what
 * OpenCL wants a program of such a binary to be built with again. Any thread. */
#ifndef CHECKERS_HOST_OBJECTS_BINARIES_H
#define CHECKERS_HOST_OBJECTS_BINARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary_table;

/* NULL when memory is out. */
struct binary_table *binary_table_create(void);
void binary_table_destroy(struct binary_table *table);

/* A copy of an option string, the same one for equal strings, which lives as long as the table;
 * NULL when memory is out. */
const char *binary_keep_options(struct binary_table *table, const char *options, size_t size);
/* The driver gave out bytes of this digest, made with these options, which the table keeps. */
void binary_note(struct binary_table *table, uint64_t digest, const char *options);
/* The options; NULL = none are known, or the same bytes were made with others too. */
const char *binary_find(struct binary_table *table, uint64_t digest);
/* Has any binary been noted? Without a lock. */
bool binary_any(const struct binary_table *table);

/* Are both the same options in the same order, "(whitespace ignored)"? (OpenCL API 3.0, 5.8.4) */
bool binary_options_agree(const char *a, const char *b);

#endif
