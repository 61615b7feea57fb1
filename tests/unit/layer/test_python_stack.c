/* The frames of an interpreter that clerk does not know, for which this program stands: a CPython
 * of a later version, which begins what it tells debuggers as 3.13 does, and goes on with addresses
 * that lead nowhere. It is asked while this thread has its lock, and never read. */
#include "layer/python_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EXPORTED __attribute__((visibility("default")))

enum { WORDS = 64, LINE = 7 };
typedef struct _object object;

EXPORTED extern const unsigned long Py_Version;
const unsigned long Py_Version = 0x030e00f0;
/* "xdebugpy" (little-endian), the version, and whether it has no lock. */
EXPORTED extern const uint64_t _PyRuntime[WORDS];
const uint64_t _PyRuntime[WORDS] = {UINT64_C(0x7970677562656478), 0x030e00f0, 0,
                                    [3 ... WORDS - 1] = 1};

static uint64_t thread_state[WORDS];
static bool has_lock;
static int asked;

/* What an unknown layout would be read by: all of it leads nowhere. */
static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORDS; i++)
        thread_state[i] = 1;
    asked = 0;
    return 0;
}

#define FUNCTION(type, name, parameters, ...)                                                      \
    EXPORTED type name parameters;                                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

FUNCTION(int, Py_IsInitialized, (void), return 1;)
FUNCTION(void *, PyThreadState_GetUnchecked, (void), return has_lock ? thread_state : NULL;)
FUNCTION(void *, PyGILState_GetThisThreadState, (void), return thread_state;)
FUNCTION(object *, PyEval_GetFrame, (void), asked++; return (object *)&asked;)
FUNCTION(object *, PyFrame_GetBack, (object * frame), (void)frame; return NULL;)
FUNCTION(object *, PyFrame_GetCode, (object * frame), return frame;)
FUNCTION(int, PyFrame_GetLineNumber, (object * frame), (void)frame; return LINE;)
FUNCTION(object *, PyObject_GetAttrString, (object * of, const char *name), (void)name; return of;)
FUNCTION(const char *, PyUnicode_AsUTF8, (object * string), (void)string; return "app.py";)
FUNCTION(void, Py_IncRef, (object * of), (void)of;)
FUNCTION(void, Py_DecRef, (object * of), (void)of;)
FUNCTION(void, PyErr_Fetch, (object * *type, object **value, object **trace), (void)type;
         (void)value; (void)trace;)
FUNCTION(void, PyErr_Restore, (object * type, object *value, object *trace), (void)type;
         (void)value; (void)trace;)
FUNCTION(int, PyGC_Disable, (void), return 1;)
FUNCTION(int, PyGC_Enable, (void), return 1;)
FUNCTION(int, PyCode_Addr2Line, (object * code, int offset), (void)code; return offset;)

static void it_is_asked_with_its_lock(void **state)
{
    struct python_frame frames[PYTHON_FRAMES_MAX];
    struct arena arena = {0};
    (void)state;
    has_lock = true;
    assert_int_equal(python_stack_walk(frames), 1);
    assert_int_equal(asked, 1);
    assert_int_equal(frames[0].line, LINE);
    assert_non_null(strstr(python_stack_describe(&frames[0], &arena), "app.py:7)"));
    arena_release(&arena);
}

static void without_its_lock_nothing_is_known(void **state)
{
    struct python_frame frames[PYTHON_FRAMES_MAX];
    (void)state;
    has_lock = false;
    assert_int_equal(python_stack_walk(frames), 0);
    assert_int_equal(asked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_is_asked_with_its_lock, setup),
        cmocka_unit_test_setup(without_its_lock_nothing_is_known, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
