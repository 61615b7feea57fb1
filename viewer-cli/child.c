#include "viewer-cli/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

static volatile sig_atomic_t child_id;

/* A terminal signals the whole foreground group, so the program has it already; what was sent to
 * clerk alone is passed on. */
static void forward_signal(int number, siginfo_t *facts, void *context)
{
    (void)context;
    const int saved = errno;
    if (child_id > 0 && facts->si_code != SI_KERNEL)
        kill((pid_t)child_id, number);
    errno = saved;
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { FORWARDED_COUNT = sizeof forwarded / sizeof *forwarded };

enum status child_start(struct child *child, char **arguments, char **environment,
                        struct error *error)
{
    struct sigaction action = {.sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t blocked;
    sigset_t before;
    sigset_t defaults;
    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    sigemptyset(&defaults);
    for (size_t i = 0; i < FORWARDED_COUNT; ++i)
        sigaddset(&blocked, forwarded[i]);
    /* Until the id is known no signal may be lost. */
    sigprocmask(SIG_BLOCK, &blocked, &before);
    for (size_t i = 0; i < FORWARDED_COUNT; ++i) {
        struct sigaction old;
        sigaction(forwarded[i], NULL, &old);
        /* nohup and the like: what was ignored stays so, here and in the program. */
        if (old.sa_handler == SIG_IGN)
            continue;
        sigaddset(&defaults, forwarded[i]);
        sigaction(forwarded[i], &action, NULL);
    }
    posix_spawnattr_t attributes;
    pid_t id = 0;
    sigset_t of_program = before;
    sigdelset(&of_program, SIGXFSZ); /* main blocks it for clerk */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &of_program);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int refused = posix_spawnp(&id, arguments[0], NULL, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    child_id = refused ? 0 : id;
    child->id = id;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!refused)
        return STATUS_OK;
    errno = refused;
    return error_set_errno(error, "cannot start '%s'", arguments[0]);
}

enum status child_wait(struct child *child, struct error *error)
{
    int status;
    pid_t waited;
    while ((waited = waitpid((pid_t)child_id, &status, 0)) < 0 && errno == EINTR)
        continue;
    child_id = 0;
    if (waited < 0)
        return error_set_errno(error, "cannot wait for the program");
    if (WIFSIGNALED(status)) {
        child->signal = WTERMSIG(status);
        child->exit_status = 128 + child->signal;
    } else {
        child->exit_status = WEXITSTATUS(status);
    }
    return STATUS_OK;
}
