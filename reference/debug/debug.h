/* The debugger's engine in the process that is debugged: it stands in launches, on the thread that
 * executes them, answers what a front end asks through a socket (trace/debug/requests.h), and lets
 * them go on.
 *
 * A launch is asked before each instruction whose site has a stop (vm_debugger): stops are those of
 * breakpoints, and while something steps those of all statements. Variables are found by the debug
 * information of the program and by what the lowering has kept of them (vm_code.debug_variables);
 * expressions are evaluated for one work-item at a time. Nothing that is asked changes what the
 * launch does, but `set`.
 *
 *     session  the launch that runs, its stops, the requests
 *     sites    where statements begin, call chains
 *     breaks   breakpoints
 *     pause    what the front end asks while it runs
 *     move     when a step is done
 *     checkpoints, past, back  going back: past.h
 *     digest   one number for all of a moment
 *     items    where work-items stand: threads, lanes
 *     peek     bytes of variables and memory
 *     value    types and values, and their texts
 *     evaluate expressions
 *     look     what is shown of values
 *     target   bytes that are waited for
 *     watch    stops at their accesses
 *     who      who wrote them
 *     catches  stops at NaNs, undefined values, diverging lanes, and what else `catch` names
 *     answers  the parts of answers
 */
#ifndef REFERENCE_DEBUG_DEBUG_H
#define REFERENCE_DEBUG_DEBUG_H

#include "reference/sched/ndrange.h"
#include "trace/base/status.h"

struct debug_session;

/* A finding, as texts that are good during the call. */
struct debug_finding {
    const char *rule, *severity, *text;
};

/* `socket`: to the front end; the session closes it. -1, for tests: nobody asks, and if it `looks`
 * then at all variables of some lane at each statement. */
enum status debug_session_create(int socket, bool looks, struct debug_session **session,
                                 struct error *error);
/* NULL is fine. Not while a launch runs. */
void debug_session_destroy(struct debug_session *session);
/* What a launch is to be given: the debugger, and where its output goes. */
void debug_session_enter(struct debug_session *session, struct sched_launch *launch);
/* On the thread that executes: a checker has found something, where the launch is now; its whole
 * text may not be known yet. */
void debug_session_notice(struct debug_session *session, const struct debug_finding *finding);
/* It reports what it has found, in the order of the notices of each rule. */
void debug_session_find(struct debug_session *session, const struct debug_finding *finding);

#endif
