#include "layer/other_threads.h"

#include "layer/session.h"

#include <dirent.h>
#include <stdatomic.h>

static atomic_uint expected, by_themselves;

void other_call_expected(bool by_itself)
{
    atomic_fetch_add(&expected, 1);
    if (by_itself)
        atomic_fetch_add(&by_themselves, 1);
}

void other_call_over(bool by_itself)
{
    atomic_fetch_sub(&expected, 1);
    if (by_itself)
        atomic_fetch_sub(&by_themselves, 1);
}

bool other_call_comes(void)
{
    return atomic_load(&by_themselves) != 0;
}

/* Threads of the process; 0 = not known. */
static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned count = 0;
    if (!tasks)
        return 0;
    for (const struct dirent *task; (task = readdir(tasks));)
        count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

bool alone_in_process(void *user)
{
    const struct session *session = user;
    const unsigned own = session->spool ? 1 : 0; /* its writer */
    return atomic_load(&expected) == 0 && count_threads() == 1 + own;
}
