/* Which destructors run at the end of a program, and of what. */
#include "reference/compiler/repairs.h"
#include "tests/unit/icd/unit.h"

#define FUNCTION(object)                                                                           \
    "define internal spir_func void @__dtor_" object "() #1 {\n"                                   \
    "  call spir_func void @_ZNU3AS41cD2Ev(ptr null)\n"                                            \
    "  ret void\n"                                                                                 \
    "}\n"
#define MADE(object) "  %6 = call spir_func i32 @atexit(ptr @__dtor_" object ") #2\n"

/* What the entry point has in it is `wanted`. */
static void check_entry_point(const char *ir, const char *wanted)
{
    static const char head[] = "define spir_kernel void @" REPAIR_FINALISER "() {\n";
    struct text repaired = TEXT_INIT;
    assert_true(repair_destructors(ir, &repaired));
    const char *body = strstr(repaired.bytes, head);
    assert_non_null(body);
    assert_string_equal(body + strlen(head), wanted);
    text_release(&repaired);
}

static void objects_end_in_reverse_order(void **state)
{
    (void)state;
    check_entry_point(MADE("one") MADE("two") FUNCTION("one") FUNCTION("two"),
                      "  call spir_func void @__dtor_two()\n"
                      "  call spir_func void @__dtor_one()\n"
                      "  ret void\n}\n");
}

/* A function that was never called has made none of its objects. */
static void static_ones_of_functions_end_if_they_were_made(void **state)
{
    (void)state;
    check_entry_point("@_ZZ1gvE1s = internal addrspace(1) global %struct.c zeroinitializer\n"
                      "@_ZGVZ1gvE1s = internal addrspace(1) global i8 0, align 1\n" //
                      MADE("one") MADE("_ZZ1gvE1s") FUNCTION("one") FUNCTION("_ZZ1gvE1s"),
                      "  %clerk.2.guard = load i8, ptr addrspace(1) @_ZGVZ1gvE1s\n"
                      "  %clerk.2.made = icmp ne i8 %clerk.2.guard, 0\n"
                      "  br i1 %clerk.2.made, label %clerk.2.end, label %clerk.2.next\n"
                      "clerk.2.end:\n"
                      "  call spir_func void @__dtor__ZZ1gvE1s()\n"
                      "  br label %clerk.2.next\n"
                      "clerk.2.next:\n"
                      "  call spir_func void @__dtor_one()\n"
                      "  ret void\n}\n");
    /* Private memory, as before version 19, is refused elsewhere. */
    check_entry_point("@_ZGVZ1gvE1s = internal global i8 0, align 1\n" //
                      MADE("_ZZ1gvE1s") FUNCTION("_ZZ1gvE1s"),
                      "  call spir_func void @__dtor__ZZ1gvE1s()\n"
                      "  ret void\n}\n");
}

static void none_are_none(void **state)
{
    (void)state;
    struct text repaired = TEXT_INIT;
    assert_false(repair_destructors("define spir_kernel void @f() {\n  ret void\n}\n", &repaired));
    text_release(&repaired);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_end_in_reverse_order),
        cmocka_unit_test(static_ones_of_functions_end_if_they_were_made),
        cmocka_unit_test(none_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
