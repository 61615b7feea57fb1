/* ASSERT states an invariant of our own; it is on in every build. The condition has no side
 * effects. A failed ASSERT is a bug of clerk's: it prints where and aborts. */
#ifndef TRACE_BASE_ASSERT_H
#define TRACE_BASE_ASSERT_H

void assert_failed(const char *condition, const char *file, int line)
    __attribute__((noreturn, cold));

#define ASSERT(condition)                                                                          \
    (__builtin_expect(!!(condition), 1) ? (void)0 : assert_failed(#condition, __FILE__, __LINE__))

#endif
