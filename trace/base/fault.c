#include "trace/base/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

static fault_taker *_Atomic taker;
static struct sigaction earliest; /* before the taker first stood there */
static struct sigaction previous; /* before it stood there last */
/* Who had the signal before may pass it on to us: of two libraries of clerk's each does. Then the
 * facts are the same and the frame is another one; both are the same where whom it was passed on to
 * left by longjmp, and another fault came. A handler cannot wait for the memory that other models
 * of thread-local storage allocate. */
static _Thread_local struct {
    const siginfo_t *facts;
    const void *frame;
} passed_on __attribute__((tls_model("initial-exec")));

#if defined(__aarch64__)
/* The syndrome register, in the list of records that the kernel puts after the registers; 0 = not
 * there, as in qemu's emulation. */
static uint64_t syndrome_of(const ucontext_t *state)
{
    const unsigned char *list = state->uc_mcontext.__reserved;
    for (size_t left = sizeof state->uc_mcontext.__reserved; left >= sizeof(struct esr_context);) {
        struct esr_context record;
        memcpy(&record, list, sizeof record);
        if (record.head.magic == ESR_MAGIC)
            return record.esr;
        if (record.head.magic == 0 || record.head.size == 0 || record.head.size > left)
            return 0;
        list += record.head.size;
        left -= record.head.size;
    }
    return 0;
}
#endif

enum fault_access fault_access_of(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *state = context;
    return state->uc_mcontext.gregs[REG_ERR] & 2 ? FAULT_WRITE : FAULT_READ;
#elif defined(__aarch64__)
    /* Arm Architecture Reference Manual, ESR_EL1: the class of data aborts, and WnR. */
    const uint64_t syndrome = syndrome_of(context);
    return syndrome >> 26 != 0x24 ? FAULT_USE : syndrome & 1 << 6 ? FAULT_WRITE : FAULT_READ;
#else
    (void)context;
    return FAULT_USE;
#endif
}

static void *program_counter(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

size_t fault_trim(const void *context, void *const *walked, size_t count,
                  void *frames[FAULT_FRAMES])
{
    void *const here = program_counter(context);
    size_t from = 0;
    while (from < count && walked[from] != here)
        from++;
    size_t kept = 0;
    for (; from < count && kept < FAULT_FRAMES; from++)
        frames[kept++] = walked[from];
    if (kept == 0)
        frames[kept++] = here;
    return kept;
}

static void pass_on(const struct sigaction *to, int number, siginfo_t *facts, void *context)
{
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(number, facts, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(number);
    } else {
        /* The same fault comes again, and ends the program. */
        signal(number, SIG_DFL);
        if (facts->si_code <= 0) /* it was sent, and would not */
            raise(number);
    }
}

static void handle(int number, siginfo_t *facts, void *context)
{
    const int saved = errno;
    const void *frame = __builtin_frame_address(0);
    const bool again = passed_on.facts == facts && passed_on.frame != frame;
    fault_taker *const asked = atomic_load(&taker);
    const bool taken = !again && facts->si_code == SEGV_ACCERR && asked(facts->si_addr, context);
    errno = saved;
    if (taken)
        return;
    if (!again) {
        passed_on.facts = facts;
        passed_on.frame = frame;
    }
    pass_on(again ? &earliest : &previous, number, facts, context);
    if (!again)
        passed_on.facts = NULL;
}

void fault_stand_first(fault_taker *asked)
{
    struct sigaction now;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGSEGV, NULL, &now) != 0 ||
        ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle))
        return;
    if (!atomic_load(&taker))
        earliest = now;
    atomic_store(&taker, asked);
    previous = now;
    action.sa_mask = now.sa_mask;
    action.sa_flags |= now.sa_flags & SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
}
