#include "layer/in_flight.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* All processes of a run share it. It is never unmapped: threads may end after the session. */
static struct in_flight *file;

static void drop_own(void)
{
    const uint32_t process = (uint32_t)getpid();
    for (size_t i = 0; file && i < IN_FLIGHT_THREADS; i++)
        if (atomic_load(&file[i].process) == process)
            atomic_store(&file[i].process, 0);
}

void in_flight_open(void)
{
    const size_t size = IN_FLIGHT_THREADS * sizeof *file;
    const char *path = getenv(IN_FLIGHT_FILE);
    const int descriptor = path && !file ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat facts;
    if (descriptor >= 0) {
        /* An access beyond the end of the file would end the program. */
        if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
            (size_t)facts.st_size == size) {
            void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
            file = mapped == MAP_FAILED ? NULL : mapped;
        }
        close(descriptor);
    }
    drop_own();
}

void in_flight_close(void)
{
    drop_own();
}

struct in_flight *in_flight_take(uint32_t thread)
{
    const uint32_t process = (uint32_t)getpid();
    for (size_t i = 0; file && i < IN_FLIGHT_THREADS; i++) {
        struct in_flight *free = &file[i];
        uint32_t nobody = 0;
        if (atomic_load_explicit(&free->process, memory_order_relaxed) != 0 ||
            !atomic_compare_exchange_strong(&free->process, &nobody, process))
            continue;
        free->thread = thread;
        free->stack = free->call = 0;
        atomic_store(&free->unchecked, 0);
        free->frames[0] = '\0';
        atomic_store(&free->entry, API_ENTRY_UNKNOWN);
        return free;
    }
    return NULL;
}

void in_flight_leave(struct in_flight *thread)
{
    if (thread && atomic_load(&thread->process) == (uint32_t)getpid())
        atomic_store(&thread->process, 0);
}

void in_flight_note_stack(struct in_flight *thread, struct stack_table *stacks)
{
    const uint64_t stack = stack_capture(stacks);
    if (stack == thread->stack)
        return;
    const char *frames = stack_locate(stacks, stack);
    size_t used = 0;
    /* Whole lines, as many as there is room for. */
    for (const char *end; frames && (end = strchr(frames + used, '\n')) != NULL &&
                          (size_t)(end + 1 - frames) < sizeof thread->frames;)
        used = (size_t)(end + 1 - frames);
    thread->stack = 0;
    if (used > 0)
        memcpy(thread->frames, frames, used);
    thread->frames[used] = '\0';
    thread->stack = stack;
}
