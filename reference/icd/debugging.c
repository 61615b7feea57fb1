/* clSetDebuggerCLERK, and what the debugger is told by the device. */
#include "reference/icd/debugging.h"

#include "checkers/rule.h"
#include "reference/debug/debug.h"
#include "reference/icd/exports.h"
#include "trace/api/settings.h"
#include "trace/base/visible.h"
#include "trace/debug/handover.h"
#include "trace/debug/requests.h"

#include <CL/cl.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before any program is built, or launch made: so it is read unlocked. */
static bool is_on;
static struct debug_session *session;
static pid_t debugged; /* the session's process: what that forks is not debugged */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(int socket, bool looks)
{
    struct error error;
    if (debug_session_create(socket, looks, &session, &error) != STATUS_OK)
        visible_tell("clerk: the debugger: %s\n", error.text);
    debugged = getpid();
}

/* Whoever started the program may have a debugger for the first process that comes here. */
static void take_debugger(void)
{
    const char *path = getenv(DEBUG_HANDOVER_VARIABLE);
    const int socket = path && *path ? debug_handover_take(path) : -1;
    is_on |= socket >= 0;
    if (socket >= 0)
        start(socket, true);
}

static void init(void)
{
    const char *value = setting_value(SETTING_DEBUGGING);
    const bool stops = strcmp(value, "stops") == 0;
    is_on |= strcmp(value, "off") != 0;
    if ((stops || strcmp(value, "passes") == 0) && !session)
        start(-1, stops);
    if (!is_on)
        take_debugger();
}

bool debugging_is_on(void)
{
    pthread_once(&once, init);
    return is_on;
}

int clerk_set_debugger(unsigned version, int socket)
{
    if (version != DEBUG_VERSION)
        return CL_INVALID_VALUE;
    is_on = true;
    if (socket >= 0)
        start(socket, true);
    return CL_SUCCESS;
}

void debugging_enter(struct sched_launch *launch)
{
    pthread_once(&once, init);
    if (session && debugged == getpid())
        debug_session_enter(session, launch);
}

static void notice(void *user, enum rule_index rule)
{
    const struct rule *of = rule_get(rule);
    const struct debug_finding told = {
        .rule = of->id, .severity = severity_name(of->severity), .text = of->claim};
    (void)user;
    debug_session_notice(session, &told);
}

kernel_checker_notice *debugging_notice(void)
{
    pthread_once(&once, init);
    return session ? notice : NULL;
}

void debugging_find(const struct finding *finding)
{
    if (!session)
        return;
    struct text text = TEXT_INIT;
    const struct rule *rule = rule_get(finding->rule);
    finding_print_text(finding, false, 0, &text);
    const struct debug_finding told = {
        .rule = rule->id, .severity = severity_name(rule->severity), .text = text.bytes};
    debug_session_find(session, &told);
    text_release(&text);
}

/* Who asks learns by the end of the socket that there is nothing more. */
__attribute__((destructor)) static void end(void)
{
    if (debugged != getpid())
        return;
    debug_session_destroy(session);
    session = NULL;
}
