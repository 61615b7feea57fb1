/* What a kernel is certain to access: of each row the kernel, and what is known of its arguments.
 * What is known is tried, too: the kernel runs, and all bytes that it is certain to write differ
 * from what they were, and what it writes depends on each that it is certain to read. */
#include "tests/unit/icd/fixture.h"

#include "trace/api/clerk_queries.h"

enum { ITEMS = 10, OFFSET = 3, MARGIN = 128, HELD = 1024, ARGUMENTS_MAX = 5, LIMIT = 8 };

/* "0r4" is: through argument 0 each work-item reads its 4 bytes. Then "+4": from byte 4 on; "<#8":
 * those below 8; "<2", "<2s": those below argument 2, which is unsigned, signed; "/31": for ids
 * below 2^31; "a": by atomic operations. */
static const struct row {
    const char *parameters, *body, *known;
} rows[] = {
#define ID   "size_t i = get_global_id(0);\n"
#define INT  "int i = get_global_id(0);\n"
#define UINT "uint i = get_global_id(0);\n"
    /* What is certain of all work-items. */
    {"global int *a", "a[get_global_id(0)] = 0x5a5a5a5a;", "0w4/64"},
    {"global int *a", INT "a[i] = 0x5a5a5a5a;", "0w4/31"},
    {"global int *a", UINT "a[i] = 0x5a5a5a5a;", "0w4/32"},
    {"global int *a", "uchar i = get_global_id(0); a[i] = 0x5a5a5a5a;", "0w4/8"},
    {"global int *a, global int *b", ID "a[i] = b[i];", "0w4/64 1r4/64"},
    {"global int *a, constant int *b", INT "a[i] = b[i];", "0w4/31 1r4/31"},
    {"global int *a", ID "a[i] += 0x01010101;", "0r4/64 0w4/64"},
    {"global int *a, global float *b", INT "b[i] = a[i + 1] + a[i + 2];", "0r4+4/30 1w4/31"},
    {"global char *a, global char *b", ID "b[i] = a[i - 1];", "0r1-1/64 1w1/64"},
    {"global char *a, global char *b", INT "b[i] = a[i - 1];", "0r1-1/31 1w1/31"},
    {"global short *a", "(a + 5)[get_global_id(0)] = 7 * 257;", "0w2+10/64"},
    {"global double *a", ID "a[i] = 1.1e77;", "0w8/64"},
    {"global int4 *a", ID "a[i] = (int4)(-2);", "0w16/64"},
    {"global int *a", ID "vstore4((int4)(-2), i, a);", "0w16/64"},
    {"global int *a, global int4 *b", ID "b[i] = vload4(i, a);", "0r16/64 1w16/64"},
    {"global int *a", ID "vstore3((int3)(-2), i, a);", "0w12/64"},
    {"global half *a", ID "vstore_half(1.3f, i, a);", "0w2/64"},
    {"global int4 *a", ID "*(global int4 *)((global char *)a + 16 * i) = -2;", "0w16/64"},
    {"global int *a", "a += get_global_id(0); *a = 0x5a5a5a5a;", "0w4/64"},
    {"global int *a", ID "global int *p = a; p += 2; p[i] = 0x5a5a5a5a;", "0w4+8/64"},
    {"global int *a, global long *b", INT "a[i] = 0x5a5a5a5a; b[i] = -3; b[2 * i] = -3;",
     "0w4/31 1w8/31"},
    {"global int *a",
     INT "a[2 * i] = 0x5a5a5a5a; barrier(CLK_GLOBAL_MEM_FENCE); a[i] = 0x5a5a5a5a;", "0w4/31"},
    {"global int *a, int n", INT "for (int j = 0; j < n; j++) a[3 * j] = -2; a[i] = -2;", "0w4/31"},
    {"global int *a, int n", INT "int j = 0; do a[i] = -2; while (++j < n);", "0w4/31"},
    {"global int *a, int n", INT "if (n > 3) a[0] = 1; else a[1] = 2; a[i] = -2;", "0w4/31"},
    {"global int *a, int n",
     INT "switch (n) { case 1: a[0] = 1; break; case 2: a[1] = 2; } a[i] = -2;", "0w4/31"},
    {"global int *a", INT "a[i] = i > 3 ? -2 : -3;", "0w4/31"},
    {"volatile global int *a", ID "a[i] = -2;", "0w4/64"},
    {"global int *a", ID "put(a, i);", "0w4/64"},
    {"global int *a", ID "put_all(a, i, get_global_size(0));", ""},
    {"global struct pair *a", ID "a[i].x = 1;", ""},
    /* By atomic operations. */
    {"global int *a", ID "atomic_inc(a + i);", "0r4/64a 0w4/64a"},
    {"global int *a", ID "atomic_xchg(&a[i], -2);", "0r4/64a 0w4/64a"},
    {"global int *a", ID "atomic_cmpxchg(&a[i], 1, 2);", "0r4/64a"},
    {"global int *a", ID "atomic_inc(a + i); a[i + 1] = -2;", "0r4/64a 0w4+4/64"},
    {"global atomic_int *a", ID "atomic_store(&a[i], -2);", "0w4/64a"},
    {"global int *a", "atomic_inc(a);", ""},
    /* Below a limit. */
    {"global int *a, int n", INT "if (i < n) a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n", INT "if (n > i) a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n", INT "if (i >= n) return; a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n", INT "if (n <= i) return; a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n", INT "if (!(i < n)) return; a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n", INT "if (!(i >= n)) a[i] = -2; else a[i + 20] = 3;", "0w4<1s/31"},
    {"global int *a, int n", INT "while (i < n) { a[i] = -2; break; }", "0w4<1s/31"},
    {"global int *a, uint n", UINT "if (i < n) a[i] = -2;", "0w4<1/32"},
    {"global int *a, uint n", INT "if (i < n) a[i] = -2;", "0w4<1/31"},
    {"global int *a, int n", UINT "if (i < n) a[i] = -2;", "0w4<1/32"},
    {"global int *a, int n", ID "if (i < n) a[i] = -2;", "0w4<1s/64"},
    {"global int *a, uint n", ID "if (i < n) a[i] = -2;", "0w4<1/64"},
    {"global int *a, ulong n", ID "if (i < n) a[i] = -2;", "0w4<1/64"},
    {"global int *a, long n", INT "if (i < n) a[i] = -2;", "0w4<1s/31"},
    {"global int *a, ulong n", INT "if (i < n) a[i] = -2;", "0w4<1/31"},
    {"global int *a, ulong n", UINT "if (i < n) a[i] = -2;", "0w4<1/32"},
    {"global int *a", INT "if (i < 8) a[i] = -2;", "0w4<#8/31"},
    {"global int *a", ID "if (i < 8) a[i] = -2;", "0w4<#8/64"},
    {"global int *a", INT "if (i <= 7) a[i] = -2;", "0w4<#8/31"},
    {"global int *a", UINT "if (7 < i) return; a[i] = -2;", "0w4<#8/32"},
    {"global int *a", INT "if (i < -1) a[i] = -2;", ""},
    {"global int *a, global int *b, uint n", ID "if (i < n) b[i] = a[i]; a[i] = -2;",
     "0r4<2/64 0w4/64 1w4<2/64"},
    {"global int *a, global int *b, uint n",
     ID "if (i >= n) return; b[i] = 3; if (i < n) a[i] = -2;", "0w4<2/64 1w4<2/64"},
    {"global int *a, global int *b, uint n",
     ID "if (i < n) b[i] = -2; barrier(CLK_LOCAL_MEM_FENCE); if (i < n) a[i] = b[i];",
     "0w4<2/64 1r4<2/64 1w4<2/64"},
    {"global int *a, uint n", ID "if (i < n) put(a, i);", "0w4<1/64"},
    {"global int *a, uint n", ID "put_below(a, i, n);", "0w4<1/64"},
    {"global int *a, int n", INT "for (int j = 0; j < 3; j++) if (i < n) a[i] = -2;", ""},
    {"global int *a, int n", INT "int j = 0; do { if (i < n) a[i] = -2; } while (++j < 3);",
     "0w4<1s/31"},
    {"global int *a, int n, int m", INT "if (i < n || i < m) a[i] = -2;", "0w4<1s/31"},
    {"global int *a, int n, int m", INT "if (i < n) if (i < n) if (n > i) a[i] = -2;", "0w4<1s/31"},
    /* Not certain: another condition, or more than one. */
    {"global int *a, int n", INT "if (n == 3) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i != n) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i > n) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i < n - 1) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i <= n) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i + 1 < n) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (n < i) return; a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i > 0 && i < n) a[i] = -2;", ""},
    {"global int *a, int n", INT "if (i < n && i > 0) a[i] = -2;", ""},
    {"global int *a, int n, int m", INT "if (i < n && i < m) a[i] = -2;", ""},
    {"global int *a, int n, int m", INT "if (i >= n) return; if (m == 1) return; a[i] = -2;", ""},
    {"global int *a, int n", INT "n--; if (i < n) a[i] = -2;", ""},
    {"global int *a, short n", INT "if (i < n) a[i] = -2;", ""},
    {"global int *a, float n", INT "if (i < n) a[i] = -2;", ""},
    {"global int *a, int2 n", INT "if (i < n.x) a[i] = -2;", ""},
    {"global int *a, global int *n", INT "if (i < *n) a[i] = -2;", ""},
    {"global int *a, ulong n", INT "if (i < (int)n) a[i] = -2;", ""},
    {"global int *a, int n", ID "if (get_global_id(1) < n) a[i] = -2;", ""},
    {"global int *a, int n", ID "if (get_local_id(0) < n) a[i] = -2;", ""},
    {"global int *a, int n", INT "int j = i; if (n > 2) j++; if (j < n) a[i] = -2;", ""},
    {"global int *a", INT "if (a[i] == 3) return; a[i] = -2;", "0r4/31"},
    {"global int *a, int n", INT "for (int j = 0; j < n; j++) a[i] = -2;", ""},
    {"global int *a, int n", INT "while (n-- > 0) a[i] = -2;", ""},
    {"global int *a, int n", INT "for (; i < n; i += get_global_size(0)) a[i] = -2;", ""},
    {"global int *a, int n", INT "for (int j = 0;; j++) { if (j == n) break; a[i] = -2; }", ""},
    {"global int *a, int n", INT "switch (n) { case 1: a[i] = 1; break; case 2: a[1] = 2; }", ""},
    {"global int *a, int n", INT "switch (n) { case 1: return; default: break; } a[i] = -2;", ""},
    {"global int *a, int n", INT "if (n > 0) goto out; a[i] = -2; out: ;", ""},
    {"global int *a, global int *b, int n", INT "b[i] = n > 3 ? a[i] : 0;", "1w4/31"},
    {"global int *a, global int *b, int n", INT "b[i] = n > 3 && a[i] == 1;", "1w4/31"},
    {"global int *a, int n", INT "if (n > 1) put(a, i);", ""},
    {"global int *a, int n", ID "put_if(a, i, n);", ""},
    {"global int *a", INT "if (a[0] == 1) for (;;) ; else for (;;) a[i] = 1;", ""},
    /* Another address. */
    {"global int *a", ID "a[2 * i] = -2;", ""},
    {"global int *a", ID "a[i / 2] = -2;", ""},
    {"global int *a", ID "a[i & 3] = -2;", ""},
    {"global int *a", ID "a[-i] = -2;", ""},
    {"global int *a", ID "a[0] = -2;", ""},
    {"global int *a, int n", INT "a[i + n] = -2;", ""},
    {"global int *a", UINT "a[i - 1] = -2;", ""},
    {"global int *a", "a[get_local_id(0)] = -2;", ""},
    {"global int *a", "a[get_group_id(0)] = -2;", ""},
    {"global int *a", "a[get_global_id(1)] = -2;", ""},
    {"global int *a", "a[get_global_linear_id()] = -2;", ""},
    {"global int *a", "a[get_global_id(0) - get_global_offset(0)] = -2;", ""},
    {"global int *a, global int *b", ID "a[b[i] + 3 * i] = -2;", "1r4/64"},
    {"global int *a, int n", INT "if (n > 2) i++; a[i] = -2;", ""},
    {"global int *a, int n", INT "for (int j = 0; j < 2; j++, i += 4) a[i] = -2;", ""},
    {"global int *a, int n", INT "global int *p = n > 2 ? a : a + 4; p[i] = -2;", ""},
    {"global int *a, global int *b, int n", INT "global int *p = n > 2 ? a : b; p[i] = -2;", ""},
    {"global int *a, global int *b, int n", INT "global int *p = a; if (n > 2) p = b; p[i] = -2;",
     ""},
    {"global int *a, local int *b", ID "b[i] = 1;", ""},
    {"global int *a, int n", INT "int b[16]; b[i & 15] = 1; a[b[n]] = 2;", ""},
    {"global struct pair *a", ID "a[i].y = 1;", ""},
    {"global struct pair *a, global struct pair *b", ID "a[i] = b[i];", ""},
    {"global int4 *a", ID "a[i].y = 1;", ""},
    {"global int4 *a", ID "a[i].xy = 1;", ""},
    {"global int4 *a, int n", ID "a[i][n & 3] = 1;", ""},
    {"global int4 *a, global int *b, int n", ID "b[i] = a[i][n & 3];", "1w4/64"},
    {"global int4 *a, global int *b, int n", ID "b[i] = a[i].z;", "1w4/64"},
    {"global int3 *a", ID "a[i] = (int3)(-2);", ""},
    {"global int4 *a, global int2 *b", ID "b[i] = a[i].xy;", "1w8/64"},
    {"global int4 *a, global int2 *b", ID "b[i] = a[i].hi;", "1w8/64"},
    {"global int4 *a, global int4 *b", ID "b[i].xyz = a[i].xxx;", ""},
    {"global int4 *a, global int4 *b", ID "b[i] = a[i].wzyx;", "0r16/64 1w16/64"},
    {"global int4 *a, global int4 *b", ID "b[i] = (int4)(a[i].xyz, 5);", "1w16/64"},
    {"global int3 *a, global int *b", ID "b[i] = a[i].y;", "1w4/64"},
    {"global int4 *a, global int4 *b", ID "global int *p = (global int *)&a[i]; b[i] = p[1];",
     "1w16/64"},
    {"global int *a", INT "a[i] = 5; if (a[i] != 5) a[i] = 6;", "0r4/31 0w4/31"},
    {"global int3 *a, global int *b", ID "vstore3(a[i], i, b);", "1w12/64"},
    {"global char *a", ID "*(global int *)(a + i) = -2;", ""},
    {"global int *a", ID "*(global char *)(a + i) = -2;", ""},
    {"global int *a, local int *b",
     "event_t e = async_work_group_copy(b, a + get_global_id(0), 4, 0); wait_group_events(1, &e);",
     ""},
    {"global int *a", ID "prefetch(a + i, 1);", ""},
};

static const char helpers[] =
    "struct pair { int x, y; };\n"
    "void put(global int *p, size_t i) { p[i] = -2; }\n"
    "void put_below(global int *p, size_t i, uint n) { if (i >= n) return; p[i] = -2; }\n"
    "void put_if(global int *p, size_t i, int n) { if (n > 3) return; p[i] = -2; }\n"
    "void put_all(global int *p, size_t i, size_t n) { for (; i < n; i++) p[i] = -2; }\n";

/* ---- what is known, as text ---- */

static struct clerk_must ask(cl_kernel kernel, cl_uint argument, cl_uint query)
{
    struct clerk_must must;
    size_t size;
    CHECK(clGetKernelArgInfo(kernel, argument, query, sizeof must, &must, &size));
    assert_int_equal(size, sizeof must);
    return must;
}

static int print(char *text, size_t room, cl_uint argument, char access,
                 const struct clerk_must *must)
{
    char first[24] = "";
    char limit[24] = "";
    if (must->size == 0)
        return 0;
    if (must->first != 0)
        snprintf(first, sizeof first, "%+lld", (long long)must->first);
    if (must->limit_argument != UINT64_MAX) {
        assert_true(must->limit == UINT64_MAX);
        snprintf(limit, sizeof limit, "<%llu%s", (unsigned long long)must->limit_argument,
                 must->flags & CLERK_MUST_LIMIT_SIGNED ? "s" : "");
    } else if (must->limit != UINT64_MAX)
        snprintf(limit, sizeof limit, "<#%llu", (unsigned long long)must->limit);
    return snprintf(
        text, room, "%u%c%llu%s%s/%llu%s ", argument, access, (unsigned long long)must->size, first,
        limit, (unsigned long long)must->index_bits, must->flags & CLERK_MUST_ATOMIC ? "a" : "");
}

/* ---- what is known, tried ---- */

struct trial {
    const struct row *row;
    const struct fixture *fixture;
    cl_kernel kernel;
    cl_uint count;
    cl_mem mems[ARGUMENTS_MAX], parts[ARGUMENTS_MAX]; /* NULL: no buffer */
    unsigned char before[ARGUMENTS_MAX][HELD], after[ARGUMENTS_MAX][HELD];
};

/* Buffers have a margin before what they are used for. */
static void set_arguments(struct trial *trial)
{
    const cl_buffer_region region = {MARGIN, HELD - MARGIN};
    for (cl_uint i = 0; i < trial->count; i++) {
        cl_kernel_arg_address_qualifier address;
        cl_ulong size;
        cl_int result;
        const cl_long limit = LIMIT;
        CHECK(clGetKernelArgInfo(trial->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
                                 &address, NULL));
        CHECK(clGetKernelArgInfo(trial->kernel, i, CL_KERNEL_ARG_SIZE_CLERK, sizeof size, &size,
                                 NULL));
        if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
            CHECK(clSetKernelArg(trial->kernel, i, HELD, NULL));
        } else if (address == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
            CHECK(clSetKernelArg(trial->kernel, i, size, &limit));
        } else {
            trial->mems[i] = fixture_buffer(trial->fixture, HELD, NULL);
            trial->parts[i] = clCreateSubBuffer(trial->mems[i], 0, CL_BUFFER_CREATE_TYPE_REGION,
                                                &region, &result);
            CHECK(result);
            CHECK(clSetKernelArg(trial->kernel, i, sizeof(cl_mem), &trial->parts[i]));
        }
    }
}

/* From `before` to `after`. */
static void run(struct trial *trial)
{
    const size_t offset = OFFSET;
    const size_t items = ITEMS;
    cl_command_queue queue = trial->fixture->queue;
    for (cl_uint i = 0; i < trial->count; i++) {
        if (trial->mems[i])
            CHECK(clEnqueueWriteBuffer(queue, trial->mems[i], CL_TRUE, 0, HELD, trial->before[i], 0,
                                       NULL, NULL));
    }
    CHECK(clEnqueueNDRangeKernel(queue, trial->kernel, 1, &offset, &items, &items, 0, NULL, NULL));
    for (cl_uint i = 0; i < trial->count; i++) {
        if (trial->mems[i])
            CHECK(clEnqueueReadBuffer(queue, trial->mems[i], CL_TRUE, 0, HELD, trial->after[i], 0,
                                      NULL, NULL));
    }
}

/* The bytes of the buffer, [*start, *end), that are certain to be accessed. */
static void find_range(const struct clerk_must *must, size_t *start, size_t *end)
{
    const bool limited = must->limit_argument != UINT64_MAX;
    const uint64_t limit = limited ? LIMIT : must->limit;
    const uint64_t last = limit < OFFSET + ITEMS ? limit : OFFSET + ITEMS;
    *start = (size_t)(MARGIN + must->first + (int64_t)(must->size * OFFSET));
    *end = (size_t)(MARGIN + must->first + (int64_t)(must->size * last));
    assert_true(*start < *end && *end <= HELD);
}

static void start_with(struct trial *trial, cl_uint argument, int byte)
{
    memset(trial->before, 0, sizeof trial->before);
    memset(trial->before[argument], byte, HELD);
}

/* A byte that is written is another one than before, or the same whatever it was. Atomic operations
 * write the low byte of a number at least. */
static void try_write(struct trial *trial, cl_uint argument, const struct clerk_must *must)
{
    static unsigned char first[HELD];
    size_t start;
    size_t end;
    find_range(must, &start, &end);
    start_with(trial, argument, 0);
    run(trial);
    memcpy(first, trial->after[argument], HELD);
    start_with(trial, argument, 0xff);
    run(trial);
    for (size_t b = start; b < end; b += must->flags & CLERK_MUST_ATOMIC ? must->size : 1)
        if (first[b] == 0 && trial->after[argument][b] == 0xff)
            fail_msg("%s: byte %zu of argument %u is not written", trial->row->body, b, argument);
}

/* With another byte the kernel leaves other bytes, besides that one. */
static void try_read(struct trial *trial, cl_uint argument, const struct clerk_must *must)
{
    static unsigned char usual[ARGUMENTS_MAX][HELD];
    size_t start;
    size_t end;
    find_range(must, &start, &end);
    if (must->flags & CLERK_MUST_ATOMIC)
        return;
    start_with(trial, argument, 0);
    run(trial);
    memcpy(usual, trial->after, sizeof usual);
    for (size_t b = start; b < end; b++) {
        trial->before[argument][b] ^= 0x03;
        run(trial);
        trial->after[argument][b] ^= 0x03;
        if (memcmp(usual, trial->after, sizeof usual) == 0)
            fail_msg("%s: byte %zu of argument %u is not read", trial->row->body, b, argument);
        trial->before[argument][b] ^= 0x03;
    }
}

static bool check_row(const struct fixture *fixture, const struct row *row)
{
    char source[2048];
    char known[256] = "";
    int used = 0;
    snprintf(source, sizeof source, "%skernel void k(%s)\n{ %s }\n", helpers, row->parameters,
             row->body);
    cl_program program = fixture_program(fixture, source, "-cl-std=CL3.0");
    struct trial *trial = calloc(1, sizeof *trial);
    trial->fixture = fixture;
    trial->row = row;
    trial->kernel = fixture_kernel(program, "k");
    CHECK(clGetKernelInfo(trial->kernel, CL_KERNEL_NUM_ARGS, sizeof trial->count, &trial->count,
                          NULL));
    set_arguments(trial);
    for (cl_uint i = 0; i < trial->count; i++) {
        const struct clerk_must read = ask(trial->kernel, i, CL_KERNEL_ARG_MUST_READ_CLERK);
        const struct clerk_must write = ask(trial->kernel, i, CL_KERNEL_ARG_MUST_WRITE_CLERK);
        used += print(known + used, sizeof known - (size_t)used, i, 'r', &read);
        used += print(known + used, sizeof known - (size_t)used, i, 'w', &write);
        if (read.size != 0)
            try_read(trial, i, &read);
        if (write.size != 0)
            try_write(trial, i, &write);
    }
    known[used > 0 ? used - 1 : 0] = '\0';
    const bool as_expected = strcmp(known, row->known) == 0;
    if (!as_expected)
        print_error("k(%s)\n{ %s }\nis known to do '%s', not '%s'\n", row->parameters, row->body,
                    known, row->known);
    for (cl_uint i = 0; i < trial->count; i++) {
        if (trial->mems[i]) {
            CHECK(clReleaseMemObject(trial->parts[i]));
            CHECK(clReleaseMemObject(trial->mems[i]));
        }
    }
    CHECK(clReleaseKernel(trial->kernel));
    CHECK(clReleaseProgram(program));
    free(trial);
    return as_expected;
}

static void what_is_certain_is_so(void **state)
{
    size_t others = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        others += !check_row(*state, &rows[i]);
    assert_int_equal(others, 0);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    setenv("CLERK_CHECKS", "none", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_certain_is_so, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests_name("must", tests, NULL, NULL);
}
