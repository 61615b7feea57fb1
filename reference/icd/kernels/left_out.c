#include "reference/icd/kernels/left_out.h"

#include "reference/icd/exports.h"
#include "reference/icd/kernels/repeats.h"
#include "trace/api/selection.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct selection *selection;

static void init(void)
{
    selection = selection_create();
}

bool left_out_is(const char *kernel)
{
    pthread_once(&once, init);
    return selection && selection_leaves_out(selection, kernel) != NULL;
}

void clerk_describe_left_out(sink_sentence *tell, void *user)
{
    struct text sentence = TEXT_INIT;
    if (selection && selection_describe(selection, &sentence) && !sentence.failed)
        tell(user, sentence.bytes);
    text_release(&sentence);
    repeats_describe(tell, user);
}
