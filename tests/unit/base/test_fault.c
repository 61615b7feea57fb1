/* What a signal handler is told of a fault. */
#include "trace/base/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__aarch64__)
/* As Linux writes them: other records come first. */
static enum fault_access told(uint64_t syndrome)
{
    ucontext_t context;
    const struct _aarch64_ctx first = {.magic = FPSIMD_MAGIC, .size = 528};
    const struct esr_context second = {.head = {.magic = ESR_MAGIC, .size = sizeof second},
                                       .esr = syndrome};
    memset(&context, 0, sizeof context);
    memcpy(context.uc_mcontext.__reserved, &first, sizeof first);
    if (syndrome)
        memcpy(context.uc_mcontext.__reserved + first.size, &second, sizeof second);
    return fault_access_of(&context);
}

static void the_syndrome_tells_writes_from_reads(void **state)
{
    (void)state;
    assert_int_equal(told(0x9200000f), FAULT_READ);
    assert_int_equal(told(0x9200004f), FAULT_WRITE);
    assert_int_equal(told(0x8200000f), FAULT_USE); /* of an instruction */
    assert_int_equal(told(0), FAULT_USE);
}
#endif

static char *volatile page;
static size_t page_size;
static volatile enum fault_access seen;

static bool take(const char *address, const void *context)
{
    if (address != page)
        return false;
    seen = fault_access_of(context);
    return mprotect(page, page_size, PROT_READ | PROT_WRITE) == 0;
}

static void an_access_is_told(void **state)
{
    (void)state;
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    fault_stand_first(take);
    *(volatile char *)page = 1;
    assert_int_equal(seen, CLERK_TEST_EMULATED ? FAULT_USE : FAULT_WRITE);
    mprotect(page, page_size, PROT_NONE);
    assert_int_equal(*(volatile char *)page, 1);
    assert_int_equal(seen, CLERK_TEST_EMULATED ? FAULT_USE : FAULT_READ);
    munmap(page, page_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(__aarch64__)
        cmocka_unit_test(the_syndrome_tells_writes_from_reads),
#endif
        cmocka_unit_test(an_access_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
