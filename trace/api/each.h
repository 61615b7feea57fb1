/* The preprocessor's "for each parameter": how a row of trace/api/cl_api.def becomes a parameter
 * list, an argument list or a table. API_EACH(view, function, tuple...) is a comma-separated list
 * of view(function, type, name, role, flags, kind, family, element, count, actual, fixed), one per
 * tuple; at most 16 tuples. */
#ifndef TRACE_API_EACH_H
#define TRACE_API_EACH_H

#define API_UNPACK(...)      __VA_ARGS__
#define API_APPLY(view, ...) view(__VA_ARGS__)
#define API_JOIN(a, b)       API_JOIN_(a, b)
#define API_JOIN_(a, b)      a##b

/* clang-format off */
#define API_COUNT_OF(...) API_COUNT_OF_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define API_COUNT_OF_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count

#define API_EACH(view, function, ...) \
    API_JOIN(API_EACH_, API_COUNT_OF(__VA_ARGS__))(view, function, __VA_ARGS__)
#define API_EACH_1(v, f, p) API_APPLY(v, f, API_UNPACK p)
#define API_EACH_2(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_1(v, f, __VA_ARGS__)
#define API_EACH_3(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_2(v, f, __VA_ARGS__)
#define API_EACH_4(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_3(v, f, __VA_ARGS__)
#define API_EACH_5(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_4(v, f, __VA_ARGS__)
#define API_EACH_6(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_5(v, f, __VA_ARGS__)
#define API_EACH_7(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_6(v, f, __VA_ARGS__)
#define API_EACH_8(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_7(v, f, __VA_ARGS__)
#define API_EACH_9(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_8(v, f, __VA_ARGS__)
#define API_EACH_10(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_9(v, f, __VA_ARGS__)
#define API_EACH_11(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_10(v, f, __VA_ARGS__)
#define API_EACH_12(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_11(v, f, __VA_ARGS__)
#define API_EACH_13(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_12(v, f, __VA_ARGS__)
#define API_EACH_14(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_13(v, f, __VA_ARGS__)
#define API_EACH_15(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_14(v, f, __VA_ARGS__)
#define API_EACH_16(v, f, p, ...) API_APPLY(v, f, API_UNPACK p), API_EACH_15(v, f, __VA_ARGS__)

/* The views that several files use. */
#define API_VIEW_DECLARE(function, type, name, ...) type name
#define API_VIEW_NAME(function, type, name, ...) name
#define API_VIEW_TYPE(function, type, ...) type
#define API_VIEW_WORD(function, type, name, ...) (uint64_t)(name)
#define API_VIEW_INDEX(function, type, name, ...) API_##function##_##name
#define API_VIEW_FROM_WORD(function, type, name, ...) (type)words[API_##function##_##name]
/* clang-format on */

#endif
