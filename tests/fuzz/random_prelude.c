#include "tests/fuzz/random_prelude.h"

#include "tests/fuzz/random_expression.h"
#include "tests/fuzz/random_kernel.h"

/* clang-format off */
static const char pragmas[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "#ifdef cl_khr_fp16\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n";

static const char macros[] =
    "#define MIX(hash, value) (rotate(hash, 7UL) * 0x9e3779b97f4a7c15UL ^ (ulong)(value))\n"
    "#define CLEAN(type, value) clean_##type(value)\n"
    "#define ANY(place) ((uint *)(place))\n"
    "#define LENGTH 8\n"
    "#ifdef WAIT_BY_BARRIER\n"
    "#define wait_group_events(count, events) barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#endif\n"
    "union bits { uint4 v; uchar c[16]; ushort s[8]; uint i[4]; ulong l[2]; };\n"
    "struct pair { uchar a; ulong b; ushort4 c; };\n";

static const char newer[] =
    "#if __OPENCL_C_VERSION__ >= 300\n"
    "#define TABLE global\n"
    "#define ATOMIC(op, memory, type, scope, p, v) atomic_fetch_##op##_explicit(\\\n"
    "    (volatile memory type *)(p), v, memory_order_relaxed, scope)\n"
    "#define COUNT(op, p, v) ATOMIC(op, global, atomic_uint, memory_scope_device, p, v)\n"
    "#define COUNT_INC(p) COUNT(add, p, 1)\n"
    "#define LOCAL_COUNT(op, p, v) ATOMIC(op, local, atomic_uint, memory_scope_work_group, p, v)\n"
    "#define LOCAL_COUNT_64(op, p, v) ATOMIC(op, local, atomic_ulong, memory_scope_work_group, p, v)\n"
    "void COUNT_BY_EXCHANGE(volatile global uint *p, uint v)\n"
    "{\n"
    "    volatile global atomic_uint *place = (volatile global atomic_uint *)p;\n"
    "    uint old = atomic_load_explicit(place, memory_order_relaxed, memory_scope_device);\n"
    "    while (!atomic_compare_exchange_strong_explicit(place, &old, old + v, memory_order_relaxed,\n"
    "                                                    memory_order_relaxed, memory_scope_device))\n"
    "        ;\n"
    "}\n"
    "#define GROUP_reduce(name, type, x) work_group_reduce_##name((type)(x))\n"
    "#define GROUP_scan_inclusive(name, type, x) work_group_scan_inclusive_##name((type)(x))\n"
    "#define GROUP_scan_exclusive(name, type, x) work_group_scan_exclusive_##name((type)(x))\n"
    "#define GROUP_any(x) (work_group_any(x) != 0)\n"
    "#define GROUP_all(x) (work_group_all(x) != 0)\n"
    "#define GROUP_broadcast(type, x, l) work_group_broadcast((type)(x), l)\n"
    "global uint own2_all[LENGTH * ITEMS];\n"
    "#define OWN_PLACES uint own0[LENGTH]; local uint own1_all[LENGTH * ITEMS / 3]; \\\n"
    "    local uint *own1 = own1_all + LENGTH * lid; global uint *own2 = own2_all + LENGTH * id\n"
    "#else\n"
    "#define TABLE constant\n"
    "#define COUNT(op, p, v) atomic_##op(p, v)\n"
    "#define COUNT_INC(p) atomic_inc(p)\n"
    "#define LOCAL_COUNT(op, p, v) atomic_##op(p, v)\n"
    "#define LOCAL_COUNT_64(op, p, v) atom_##op(p, v)\n"
    "void COUNT_BY_EXCHANGE(volatile global uint *p, uint v)\n"
    "{\n"
    "    uint old = atomic_or(p, 0), seen;\n"
    "    while ((seen = atomic_cmpxchg(p, old, old + v)) != old)\n"
    "        old = seen;\n"
    "}\n"
    "#define FOLD(type, name, first, next) type fold_##name##_##type(type x, local ulong *wide, uint end)\\\n"
    "{\\\n"
    "    type y = first;\\\n"
    "    wide[get_local_id(0)] = (ulong)x;\\\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\\\n"
    "    for (uint i = 0; i < end; i++) {\\\n"
    "        const type z = (type)wide[i];\\\n"
    "        y = next;\\\n"
    "    }\\\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\\\n"
    "    return y;\\\n"
    "}\n"
    "#define FOLDS(type, least, most) FOLD(type, add, 0, y + z) FOLD(type, min, most, min(y, z)) \\\n"
    "    FOLD(type, max, least, max(y, z)) FOLD(type, last, 0, z)\n"
    "FOLDS(int, INT_MIN, INT_MAX) FOLDS(uint, 0, UINT_MAX)\n"
    "FOLDS(long, LONG_MIN, LONG_MAX) FOLDS(ulong, 0, ULONG_MAX)\n"
    "#define GROUP_reduce(name, type, x) fold_##name##_##type(x, wide, size)\n"
    "#define GROUP_scan_inclusive(name, type, x) fold_##name##_##type(x, wide, lid + 1)\n"
    "#define GROUP_scan_exclusive(name, type, x) fold_##name##_##type(x, wide, lid)\n"
    "#define GROUP_any(x) fold_max_int((x) != 0, wide, size)\n"
    "#define GROUP_all(x) fold_min_int((x) != 0, wide, size)\n"
    "#define GROUP_broadcast(type, x, l) fold_last_##type(x, wide, (l) + 1)\n"
    "#define OWN_PLACES uint own0[LENGTH], own1[LENGTH], own2[LENGTH]\n"
    "#endif\n"
    "TABLE const uint table[16] = {3, 1u << 31, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 0xfffffff0u};\n"
    "TABLE const uint *TABLE const entry = table + 5;\n"
    "TABLE const struct pair pairs[4] = {{1, 2, {3, 4, 5, 6}}, {7, 8, {9, 1, 2, 3}}, {.b = ~0UL}};\n"
    "uint touch(uint *place, uint i, uint v)\n"
    "{\n"
    "    const uint old = place[i & 7];\n"
    "    place[i & 7] = old * 5 + v;\n"
    "    vstore3(vload3(0, place + 1) ^ (uint3)(v, i, 1), 0, place + 4);\n"
    "    ((uchar *)place)[v & 31] ^= i;\n"
    "    return old + place[(i + 3) & 7];\n"
    "}\n";

/* A half's exponent is clamped to those of its finite values; below, bits have fixed weights. */
static const char halves[] =
    "#ifdef cl_khr_fp16\n"
    "#define HALF_FROM(n, a) convert_float##n(convert_half##n(a))\n"
    "#define HALF_TO(n, type, mode, a) convert_##type##_sat##mode(convert_half##n(a))\n"
    "#define HALF_1(n, f, a) convert_float##n(f(convert_half##n(a)))\n"
    "#define HALF_2(n, op, a, b) convert_float##n(convert_half##n(a) op convert_half##n(b))\n"
    "#define HALF_FMA(n, a, b, c) convert_float##n(\\\n"
    "    fma(convert_half##n(a), convert_half##n(b), convert_half##n(c)))\n"
    "#else\n"
    "#define ROUND(n) float##n round_half##n(double##n x)\\\n"
    "{\\\n"
    "    const int##n e = clamp(ilogb(x), -14, 20) - 10;\\\n"
    "    const float##n y = convert_float##n(ldexp(rint(ldexp(x, -e)), e));\\\n"
    "    return select(y, copysign((float##n)(INFINITY), y), fabs(y) > 65504.0f);\\\n"
    "}\n"
    "ROUND() ROUND(2) ROUND(3) ROUND(4) ROUND(8) ROUND(16)\n"
    "#define HALF_FROM(n, a) round_half##n(convert_double##n(a))\n"
    "#define HALF_TO(n, type, mode, a) convert_##type##_sat##mode(HALF_FROM(n, a))\n"
    "#define HALF_1(n, f, a) HALF_FROM(n, f(HALF_FROM(n, a)))\n"
    "#define WIDE(n, a) convert_double##n(HALF_FROM(n, a))\n"
    "#define HALF_2(n, op, a, b) round_half##n(WIDE(n, a) op WIDE(n, b))\n"
    "#define HALF_FMA(n, a, b, c) round_half##n(fma(WIDE(n, a), WIDE(n, b), WIDE(n, c)))\n"
    "#endif\n";
/* clang-format on */

static void put_name_for(struct text *source, const char *pattern, const char *name)
{
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '$')
            text_append(source, name);
        else
            text_append_char(source, *pattern);
    }
}

void random_prelude(struct text *source)
{
    text_append(source, pragmas);
    text_format(source, "#define ITEMS %d\n", RANDOM_ITEMS);
    text_append(source, macros);
    text_append(source, newer);
    text_append(source, halves);
    for (uint32_t b = FLOAT; b <= DOUBLE; b++) {
        for (uint32_t w = 3; w < sizeof random_widths; w++)
            put_name_for(source,
                         random_widths[w] == 1
                             ? "$ clean_$($ x) { return isnan(x) ? ($)(0) : x; }\n"
                             : "$ clean_$($ x) { return select(x, ($)(0), isnan(x)); }\n",
                         name_of((struct type){(enum base)b, random_widths[w]}));
    }
    for (uint32_t b = 0; b < BASE_COUNT; b++)
        put_name_for(source,
                     "#ifdef NUMBERS_IN_MEMORY\n"
                     "$ number_$($ x) { volatile $ y = x; return y; }\n"
                     "#else\n"
                     "#define number_$(x) (($)(x))\n"
                     "#endif\n"
                     "$ hide_$($ x) { return number_$(x); }\n",
                     name_of((struct type){(enum base)b, 1}));
}
