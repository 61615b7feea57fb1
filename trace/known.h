/* The set of digests whose bytes the spool holds already. It has a fixed size and forgets nothing:
 * once it is full, further digests stay unknown, which costs time and no correctness. Lock-free;
 * any thread. */
#ifndef TRACE_KNOWN_H
#define TRACE_KNOWN_H

#include <stdbool.h>

enum { KNOWN_DIGEST_SIZE = 16 };

struct known;

/* NULL when memory is out. */
struct known *known_create(void);
void known_destroy(struct known *known);
/* Was the digest (KNOWN_DIGEST_SIZE bytes, evenly distributed) added? */
bool known_has(const struct known *known, const unsigned char *digest);
void known_add(struct known *known, const unsigned char *digest);

#endif
