#include "viewer-cli/diff/cmd_diff.h"

#include "trace/api/entry.h"
#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"

#include <string.h>

#include "trace/base/hash.h"

struct pair {
    uint64_t a, b;
    UT_hash_handle hh;
};

/* An allocation of shared virtual memory in both runs. */
struct range {
    uint64_t a, b, size;
};

struct diff_pairs {
    struct pair *pairs; /* by a */
    struct arena arena; /* of them */
    struct range *ranges;
    size_t range_count, range_capacity;
    /* How large the driver says that the binary of a program is. */
    struct binary_size {
        uint64_t a, b;
    } * binary_sizes;
    size_t binary_size_count, binary_size_capacity;
};

struct diff_pairs *diff_pairs_create(void)
{
    return alloc_zero(1, sizeof(struct diff_pairs));
}

void diff_pairs_destroy(struct diff_pairs *pairs)
{
    if (!pairs)
        return;
    HASH_CLEAR(hh, pairs->pairs);
    arena_release(&pairs->arena);
    alloc_free(pairs->ranges);
    alloc_free(pairs->binary_sizes);
    alloc_free(pairs);
}

static struct pair *pair_find(const struct diff_pairs *pairs, uint64_t a)
{
    struct pair *pair;
    HASH_FIND(hh, pairs->pairs, &a, sizeof a, pair);
    return pair;
}

/* A pair that memory has no room for is made anew when it is next seen. */
static void pair_set(struct diff_pairs *pairs, uint64_t a, uint64_t b)
{
    struct pair *pair = pair_find(pairs, a);
    if (pair) {
        pair->b = b;
        return;
    }
    pair = arena_alloc(&pairs->arena, 1, sizeof *pair);
    if (!pair)
        return;
    pair->a = a;
    pair->b = b;
    HASH_ADD(hh, pairs->pairs, a, sizeof pair->a, pair);
}

static void pair_forget(struct diff_pairs *pairs, uint64_t a)
{
    struct pair *pair = pair_find(pairs, a);
    if (pair)
        HASH_DEL(pairs->pairs, pair);
}

/* ---- handles ---- */

static uint64_t element(const struct api_value *value, size_t i)
{
    uint64_t result;
    memcpy(&result, (const unsigned char *)value->data + i * sizeof result, sizeof result);
    return result;
}

/* What is given out belongs together from now on: drivers use handles again. */
static bool created_agree(struct diff_pairs *pairs, uint64_t a, uint64_t b)
{
    if (a && b)
        pair_set(pairs, a, b);
    return !a == !b;
}

/* What is used was given out together; what no call of the recording gave out is paired at first
 * sight. */
static bool handles_agree(struct diff_pairs *pairs, uint64_t a, uint64_t b)
{
    const struct pair *pair = pair_find(pairs, a);
    return pair || !a || !b ? (pair ? pair->b == b : a == b) : created_agree(pairs, a, b);
}

void diff_pairs_forget(struct diff_pairs *pairs, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (info->return_role == API_ROLE_HANDLE)
        pair_forget(pairs, call->result.bits);
    for (uint32_t i = 0; i < info->parameter_count && i < call->argument_count; ++i)
        for (size_t at = 0; (info->parameters[i].role == API_ROLE_OUT_HANDLES ||
                             info->parameters[i].role == API_ROLE_OUT_EVENT) &&
                            at < call->arguments[i].size / sizeof(uint64_t);
             ++at)
            pair_forget(pairs, element(&call->arguments[i], at));
}

uint64_t diff_pairs_find(const struct diff_pairs *pairs, uint64_t a)
{
    const struct pair *pair = pair_find(pairs, a);
    return pair ? pair->b : 0;
}

/* Of an address that was given out again the last allocation counts. */
bool diff_addresses_agree(const struct diff_pairs *pairs, uint64_t a, uint64_t b)
{
    for (size_t i = pairs->range_count; i-- > 0;)
        if (a - pairs->ranges[i].a < pairs->ranges[i].size)
            return b - pairs->ranges[i].b == a - pairs->ranges[i].a;
    return false;
}

/* A range that memory has no room for makes pointers into it differ. */
static void add_range(struct diff_pairs *pairs, uint64_t a, uint64_t b, uint64_t size)
{
    void *grown = alloc_grow(pairs->ranges, pairs->range_count, &pairs->range_capacity,
                             sizeof *pairs->ranges);
    if (!grown)
        return;
    pairs->ranges = grown;
    pairs->ranges[pairs->range_count++] = (struct range){a, b, size};
}

/* A number that may be a handle, or an address. */
static bool words_agree(const struct diff_pairs *pairs, uint64_t a, uint64_t b)
{
    const struct pair *pair = pair_find(pairs, a);
    return a == b || (pair && pair->b == b) || diff_addresses_agree(pairs, a, b);
}

/* ---- values ---- */

/* Lists of other lengths, as of platforms, belong together as far as they go. */
static bool lists_agree(struct diff_pairs *pairs, const struct api_value *a,
                        const struct api_value *b, enum api_role role)
{
    const bool are_created = role == API_ROLE_OUT_HANDLES || role == API_ROLE_OUT_EVENT;
    const uint64_t size = a->size < b->size ? a->size : b->size;
    bool agree = a->count == b->count && a->size == b->size;
    for (uint32_t i = 0; (agree || are_created) && (size_t)(i + 1) * 8 <= size; ++i) {
        const uint64_t x = element(a, i);
        const uint64_t y = element(b, i);
        agree &= are_created ? created_agree(pairs, x, y)
                 : role == API_ROLE_HANDLES || role == API_ROLE_WAIT_LIST
                     ? handles_agree(pairs, x, y)
                     : role == API_ROLE_ADDRESSES || words_agree(pairs, x, y);
    }
    return agree;
}

/* Equal bytes; or words, of which some are handles: kernel arguments, answers, descriptors. */
static bool bytes_agree(const struct diff_pairs *pairs, const struct api_value *a,
                        const struct api_value *b)
{
    if (a->size != b->size || a->count != b->count)
        return false;
    if (!a->size || memcmp(a->data, b->data, a->size) == 0)
        return true;
    for (size_t i = 0; i < a->size / 8; ++i)
        if (!words_agree(pairs, element(a, i), element(b, i)))
            return false;
    return a->size % 8 == 0;
}

static bool values_agree(struct diff_pairs *pairs, const struct api_value *a,
                         const struct api_value *b, enum api_role role)
{
    if (a->kind != b->kind || a->present != b->present)
        return false;
    switch (a->kind) {
    case API_VALUE_SCALAR:
        return a->bits == b->bits;
    case API_VALUE_HANDLE:
        return handles_agree(pairs, a->bits, b->bits);
    case API_VALUE_HANDLES:
    case API_VALUE_SIZES:
    case API_VALUE_PROPERTIES:
        return lists_agree(pairs, a, b, role);
    case API_VALUE_STRING:
    case API_VALUE_STRINGS:
    case API_VALUE_BYTES:
        return bytes_agree(pairs, a, b);
    case API_VALUE_NONE:
    case API_VALUE_POINTER:
        break;
    }
    return true;
}

/* What the bytes of an answer, or of a setting, are. */
static enum api_answer answer_of(const struct api_call *call, const struct api_entry_info *info,
                                 uint32_t index)
{
    const uint32_t name = api_entry_find_parameter(info, "param_name");
    if (name == API_PARAMETER_NONE || strcmp(info->parameters[index].name, "param_value") != 0)
        return API_ANSWER_NONE;
    const struct api_enumerant *enumerant = api_enumerant_find(
        (enum api_family)info->parameters[name].family, call->arguments[name].bits);
    return enumerant ? enumerant->answer : API_ANSWER_NONE;
}

/* ---- binaries ---- */

/* Two builds of one program give two binaries. Those that a program gives to the driver count as
 * equal where they are as large as the driver said of a program of both runs: then they are its. */
static void note_binary_sizes(struct diff_pairs *pairs, const struct api_value *a,
                              const struct api_value *b)
{
    for (size_t i = 0; i < a->size / 8 && i < b->size / 8; ++i) {
        void *grown = alloc_grow(pairs->binary_sizes, pairs->binary_size_count,
                                 &pairs->binary_size_capacity, sizeof *pairs->binary_sizes);
        if (!grown)
            return;
        pairs->binary_sizes = grown;
        pairs->binary_sizes[pairs->binary_size_count++] =
            (struct binary_size){element(a, i), element(b, i)};
    }
}

static bool sizes_agree(const struct diff_pairs *pairs, const struct api_value *a,
                        const struct api_value *b)
{
    bool agree = a->count == b->count && a->data && b->data;
    for (uint32_t i = 0; agree && i < a->count; ++i) {
        size_t at = 0;
        while (at < pairs->binary_size_count && (pairs->binary_sizes[at].a != element(a, i) ||
                                                 pairs->binary_sizes[at].b != element(b, i)))
            ++at;
        agree = at < pairs->binary_size_count;
    }
    return agree;
}

static bool arguments_agree(struct diff_pairs *pairs, const struct api_call *a,
                            const struct api_call *b, const struct api_entry_info *info,
                            uint32_t index)
{
    const struct api_value *x = &a->arguments[index];
    const struct api_value *y = &b->arguments[index];
    switch (a->entry) {
    case API_ENTRY_clGetEventProfilingInfo:
        if (index == API_clGetEventProfilingInfo_param_value)
            return true;
        break;
    case API_ENTRY_clGetDeviceAndHostTimer:
    case API_ENTRY_clGetHostTimer:
        return true;
    case API_ENTRY_clGetProgramInfo:
        if (index != API_clGetProgramInfo_param_value ||
            a->arguments[API_clGetProgramInfo_param_name].bits != CL_PROGRAM_BINARY_SIZES)
            break;
        note_binary_sizes(pairs, x, y);
        return x->size == y->size;
    case API_ENTRY_clCreateProgramWithBinary:
        if ((index == API_clCreateProgramWithBinary_lengths ||
             index == API_clCreateProgramWithBinary_binaries) &&
            sizes_agree(pairs, &a->arguments[API_clCreateProgramWithBinary_lengths],
                        &b->arguments[API_clCreateProgramWithBinary_lengths]))
            return true;
        break;
    default:
        break;
    }
    const enum api_answer answer = answer_of(a, info, index);
    if (answer == API_ANSWER_ADDRESSES)
        return x->present == y->present && x->size == y->size;
    if (answer != API_ANSWER_HANDLES || x->size != y->size || !x->data || !y->data)
        return values_agree(pairs, x, y, (enum api_role)info->parameters[index].role);
    for (size_t i = 0; i < x->size / 8; ++i)
        if (!handles_agree(pairs, element(x, i), element(y, i)))
            return false;
    return true;
}

static bool results_agree(struct diff_pairs *pairs, const struct api_call *a,
                          const struct api_call *b, enum api_role role)
{
    if (a->result.kind != b->result.kind)
        return false;
    const uint32_t size = api_entry_find_parameter(api_entry_get(a->entry), "size");
    const bool allocates = role == API_ROLE_POINTER && size != API_PARAMETER_NONE &&
                           a->entry != API_ENTRY_clEnqueueMapBuffer;
    if (allocates)
        add_range(pairs, a->result.bits, b->result.bits, a->arguments[size].bits);
    if (role == API_ROLE_HANDLE || allocates)
        return created_agree(pairs, a->result.bits, b->result.bits);
    if (role == API_ROLE_POINTER)
        return !a->result.bits == !b->result.bits;
    return a->result.bits == b->result.bits;
}

bool diff_calls_agree(struct diff_pairs *pairs, const struct api_call *a, const struct api_call *b,
                      const char **what)
{
    const struct api_entry_info *info = api_entry_get(a->entry);
    *what = NULL;
    for (uint32_t i = 0; i < info->parameter_count && i < a->argument_count; ++i) {
        if (i >= b->argument_count || !arguments_agree(pairs, a, b, info, i)) {
            *what = info->parameters[i].name;
            break;
        }
    }
    /* Also where an argument differs: what they created belongs together. */
    const bool same_result = results_agree(pairs, a, b, info->return_role);
    if (!*what && !same_result)
        *what = "result";
    if (!*what && (a->flags & ~(uint32_t)API_CALL_IN_CALLBACK) !=
                      (b->flags & ~(uint32_t)API_CALL_IN_CALLBACK))
        *what = "flags";
    return !*what;
}
