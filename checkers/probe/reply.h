/* What clerk_probe answers a request (request.h): facts, and the checked copy if it was asked for.
 */
#ifndef CHECKERS_PROBE_REPLY_H
#define CHECKERS_PROBE_REPLY_H

#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* `checked` NULL = there is none. */
void reply_pack(const struct facts *facts, const struct checked *checked, struct text *text);
/* False when the bytes are not what reply_pack gives, or memory is out; then there is nothing to
 * release. Where there is no copy, it is one of no parts. */
bool reply_unpack(const void *bytes, size_t size, struct facts *facts, struct checked *checked);

#endif
