/* What a front end of the debugger (a terminal, an editor's adapter) and the engine in the debugged
 * process say to each other: this page, the names of the requests (requests.def) and of the reasons
 * to stop. Both sides are of one build: DEBUG_VERSION tells others.
 *
 * Transport: a stream socket. A message is one JSON object in UTF-8 (RFC 8259) behind its length in
 * bytes, 4 bytes, the lowest first, at most DEBUG_MESSAGE_MAX. The front end asks, the engine
 * answers, one after the other; the front end may write further requests before it has the answer.
 * The engine says nothing unasked. It listens while the process stands at a stop, which first is
 * the beginning of the first launch: until then requests wait. A request that resumes is answered
 * at the next stop. Where the process ends, or can go no further, the engine closes the socket.
 * Only `pause` is seen while the process runs; it has no answer of its own, and ends the request
 * that resumed.
 *
 *     {"request": NAME, ...}   ->   {"ok": true, ...}  or  {"ok": false, "error": SENTENCE}
 *
 * A number "id" of a request comes back in its answer. What an answer does not know is left out.
 * Unknown members of requests are ignored. Numbers above 2^53 are strings of digits.
 *
 * POSITION  "1:25200": launch and executed operations, the only clock. Launches have the numbers of
 *           the calls that enqueued them, as traces have them; where calls have none, from 1 on.
 * PLACE     {"function", "file", "line", "column"}: file as compilers were told it ("<source>" of a
 *           program that is a string); `source` gives its text.
 * ITEM      [x, y, z], a global id, as findings have it; in requests also a linear number of the
 *           focus group, or [x], [x, y].
 * FOCUS     {"launch": 1, "program" (the number of the kernel's, of those that the process
 *           has made), "kernel", "group": [x, y, z], "item": ITEM, "local": [x, y, z],
 *           "vector": 0, "lane": 3, "frame": 0, "state": STATE, "place": PLACE}: what all that is
 *           shown is shown for. STATE is "active" (at the instruction), "waiting" (to enter a
 *           block), "barrier", "spin", "ended", "not begun" or "elsewhere" (its group's turn is
 *           before or after).
 * STOP      {"reason": REASON, "text": a sentence, "position": POSITION, "focus": FOCUS,
 *           "breakpoints": [numbers], "watches": [numbers], "finding": FINDING}. REASON: "launch"
 * (one begins), "end" (one has ended), "exit" (the process ends: nothing more is answered),
 * "breakpoint", "step", "finding", "barrier", "watch", "pause", "goto", "nan", "undefined",
 * "divergence". FINDING   {"rule", "severity", "text", "place": PLACE}; the text is the whole
 * report. VALUE     {"name", "type", "value": text, "state": STATE, "address": text, "watch":
 * "write" or "both" (accesses that can be watched), "children": count, "reference": number}, STATE:
 * "defined", "undefined", "partly" or "unknown". A value is never a stale one; what is not known
 * says why in "value". With children it can be expanded: `variables`. References are good until the
 * process goes on. RANGES    "0-31, 40": items as linear local ids.
 *
 * Requests that resume have a STOP for an answer: {"ok": true, "stop": STOP, "output": text}, where
 * `output` is what kernels printed meanwhile, and was not asked for by `output` before.
 *
 * Each request, with its members and those of its answer, is a row of requests.def.
 *
 * Going back (`reverse-...`, `goto`): a STOP before now, as it was when it was now, with settings
 * as they are today; what kernels print and findings tell is not told again. Where nothing stops
 * before, it is the launch's beginning, with a text that says so. Values that were changed are
 * changed whenever that moment is passed. Of several processes that do this one answers at a time,
 * through the one socket.
 *
 * An engine that cannot do one yet answers with "ok": false and a sentence; `hello` lists those
 * that it can. */
#ifndef TRACE_DEBUG_REQUESTS_H
#define TRACE_DEBUG_REQUESTS_H

enum { DEBUG_VERSION = 1, DEBUG_MESSAGE_MAX = 1 << 20 };

/* The device's extension function by which a process is debugged: from now on launches are those
 * of the debugger at the other end of the socket, which the device closes in the end; programs are
 * built for it, so call it before any is. Returns 0, or CL_INVALID_VALUE for another version. A
 * socket of -1 does nothing but build programs for debugging. */
#define DEBUG_SET_FUNCTION "clSetDebuggerCLERK"
typedef int debug_set_function(unsigned version, int socket);

enum debug_request {
#define REQUEST(symbol, name, members, answer) DEBUG_REQUEST_##symbol,
#include "trace/debug/requests.def"
#undef REQUEST
    DEBUG_REQUEST_COUNT
};

/* Its name in messages. */
const char *debug_request_name(enum debug_request request);
/* DEBUG_REQUEST_COUNT for a name that is none. */
enum debug_request debug_request_find(const char *name);

#endif
