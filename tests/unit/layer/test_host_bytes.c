#include "layer/host_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void addresses_end_somewhere(void **state)
{
    (void)state;
    uint64_t size;
    struct effect effect = {.memory = INTPTR_MAX - 99, .bytes = rectangle_linear(80, 16)};
    assert_true(host_bytes_span(&effect, &size));
    assert_int_equal(size, 16);
    effect.bytes.first = 90;
    assert_false(host_bytes_span(&effect, &size));
    effect.bytes.row_size = 0;
    assert_true(host_bytes_span(&effect, &size));
    assert_int_equal(size, 0);
    effect = (struct effect){.memory = UINT64_MAX - 3, .bytes = rectangle_linear(0, 16)};
    assert_false(host_bytes_span(&effect, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_end_somewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
