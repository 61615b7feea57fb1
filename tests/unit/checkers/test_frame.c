#include "checkers/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *name, *file;
    uint32_t line, column;
    bool is_own;
} frames[] = {
    {"sum at reduce.cl:30:5", "sum", "reduce.cl", 30, 5, true},
    {"sum at <source>:30:5", "sum", NULL, 0, 0, true},
    {"main (app.c:12)", "main", "app.c", 12, 0, true},
    {"main+0x52 (/home/me/app+0x1139)", "main", NULL, 0, 0, true},
    {"f(int (*)(int), char)+0x5 (/home/me/app+0x1)", "f(int (*)(int), char)", NULL, 0, 0, true},
    {"f(int (*)(int)) (a b.cpp:7)", "f(int (*)(int))", "a b.cpp", 7, 0, true},
    {"0x52 (/home/me/app+0x52)", "0x52", NULL, 0, 0, true},
    {"?", "?", NULL, 0, 0, true},
    {"", "", NULL, 0, 0, true},
    {"clear::screen() (app.cpp:3)", "clear::screen()", "app.cpp", 3, 0, true},
    {"f(cl::Buffer) (app.cpp:3)", "f(cl::Buffer)", "app.cpp", 3, 0, true},
    {"cl::Queue::finish() const+0x8 (/home/me/app+0x9)", "cl::Queue::finish() const", NULL, 0, 0,
     false},
    {"int cl::detail::get<int>(int) (x.hpp:3)", "int cl::detail::get<int>(int)", "x.hpp", 3, 0,
     false},
    {"f (/opt/sdk/include/CL/opencl.hpp:3)", "f", "/opt/sdk/include/CL/opencl.hpp", 3, 0, false},
    {"f (third_party/opencl.hpp:3)", "f", "third_party/opencl.hpp", 3, 0, false},
    {"f (/home/me/my_opencl.hpp:3)", "f", "/home/me/my_opencl.hpp", 3, 0, true},
    {"PyEval_EvalCode+0x1 (/opt/lib/libpython3.12.so.1.0+0x2)", "PyEval_EvalCode", NULL, 0, 0,
     false},
    {"run (/opt/py/lib/python3.12/threading.py:9)", "run", "/opt/py/lib/python3.12/threading.py", 9,
     0, false},
    {"callbacks_main+0x4b (/opt/clerk/lib/libclerk_device.so+0x6)", "callbacks_main", NULL, 0, 0,
     false},
    {"f (/usr/include/c++/12/bits/invoke.h:61)", "f", "/usr/include/c++/12/bits/invoke.h", 61, 0,
     false},
    {"f+0x1 (/usr/lib/x86_64-linux-gnu/libfoo.so+0x2)", "f", NULL, 0, 0, false},
    {"__libc_start_call_main (csu/start.h:58)", "__libc_start_call_main", "csu/start.h", 58, 0,
     false},
};

static void frames_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i) {
        struct arena arena = {0};
        const struct frame frame = frame_parse(frames[i].text, &arena);
        assert_int_equal(frame.name_length, strlen(frames[i].name));
        assert_memory_equal(frame.name, frames[i].name, frame.name_length);
        assert_int_equal(frame.file != NULL, frames[i].file != NULL);
        if (frame.file)
            assert_string_equal(frame.file, frames[i].file);
        assert_int_equal(frame.line, frames[i].line);
        assert_int_equal(frame.column, frames[i].column);
        assert_int_equal(frame_is_own(frames[i].text), frames[i].is_own);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
