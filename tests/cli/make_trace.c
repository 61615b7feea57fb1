/* Records the sample run into the file named, as a program under the layer would. With "kill"
 * after it the process is killed in the middle of a call. */
#include "tests/unit/trace/sample.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct spool *spool = NULL;
    struct error error;
    if (argc < 2)
        return 2;
    if (spool_open(&(struct spool_options){.path = argv[1]}, &spool, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    sample_run(spool);
    if (argc > 2 && strcmp(argv[2], "kill") == 0) {
        struct api_call call = sample_call(SAMPLE_RUN_CALLS + 1, 1, API_ENTRY_clFinish);
        sample_handle(&call, API_clFinish_command_queue, 0x40);
        spool_call_begin(spool, &call);
        kill(getpid(), SIGKILL);
    }
    spool_close(spool);
    return 0;
}
