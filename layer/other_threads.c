#include "layer/other_threads.h"

#include "layer/callbacks.h"
#include "layer/session.h"

#include <dirent.h>

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
    return callbacks_pending() == 0 && count_threads() == 1 + own;
}
