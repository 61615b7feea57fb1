/* The memory that all devices share. */
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "trace/api/settings.h"

struct vm_memory *icd_memory(void)
{
    static struct vm_memory *memory;
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&making);
    if (!memory && vm_memory_create(&memory, NULL) == STATUS_OK) {
        if (setting_is_set(SETTING_WATCH_SVM))
            vm_memory_watch_shared(memory);
        if (limits_personality()->separate)
            vm_memory_separate(memory);
        if (limits_share_system())
            vm_memory_share_system(memory);
    }
    struct vm_memory *result = memory;
    pthread_mutex_unlock(&making);
    return result;
}
