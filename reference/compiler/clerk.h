/* For kernels: what must hold where, told to clerk.
 *
 *     clerk_assert(e)   e is not 0 here; if it is, clerk says so, and the work-item ends
 *     clerk_assume(e)   the same is taken for granted: what would follow if it were 0 is not looked
 *                       at, and clerk says that there was such a case
 *
 * OpenCL C and C++ for OpenCL, of any version. Other compilers than that of clerk's reference
 * device, which finds this file by itself, make nothing of them: `e` is not evaluated there. The
 * file needs nothing else and may be copied. */
#ifndef REFERENCE_COMPILER_CLERK_H
#define REFERENCE_COMPILER_CLERK_H

#ifdef __CLERK__
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noreturn)) void __clerk_assert_failed(void);
__attribute__((noreturn)) void __clerk_assume_failed(void);
#ifdef __cplusplus
}
#endif
#define clerk_assert(e) ((e) ? (void)0 : __clerk_assert_failed())
#define clerk_assume(e) ((e) ? (void)0 : __clerk_assume_failed())
#else
#define clerk_assert(e) ((void)0)
#define clerk_assume(e) ((void)0)
#endif

#endif
