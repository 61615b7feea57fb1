#include "trace/api/mutable_config.h"

#include "trace/base/arena.h"
#include "trace/base/size.h"

#include <string.h>

enum { LIST_LIMIT = 1 << 16, VALUE_LIMIT = 256 << 20, DIMENSIONS_MAX = 3 };

static uint64_t padded(uint64_t size)
{
    return size_align(size, sizeof(uint64_t));
}

/* ---- packing ---- */

/* At first only the size is found, and whether all can be read. */
struct packer {
    unsigned char *to; /* NULL while it is only counted */
    uint64_t size, room;
    api_readable_function *readable;
    void *user;
    bool failed;
};

static void put(struct packer *packer, const void *bytes, uint64_t size)
{
    /* Another thread may write the program's sizes meanwhile. */
    packer->failed |= packer->to && packer->room - packer->size < padded(size);
    if (packer->to && size && !packer->failed)
        memcpy(packer->to + packer->size, bytes, size);
    packer->size += packer->failed ? 0 : padded(size);
}

static void put_number(struct packer *packer, uint64_t number)
{
    put(packer, &number, sizeof number);
}

/* Of the program's memory. */
static bool can_read(struct packer *packer, const void *bytes, uint64_t size)
{
    if (!packer->to && (size > VALUE_LIMIT || !packer->readable(packer->user, bytes, size)))
        packer->failed = true;
    return !packer->failed;
}

static void put_value(struct packer *packer, uint64_t name, uint64_t size, const void *value)
{
    put_number(packer, name);
    put_number(packer, size);
    put_number(packer, value != NULL);
    if (value && can_read(packer, value, size))
        put(packer, value, size);
}

/* Both kinds of elements are a name or index, a size and an address. */
#define SAME_LAYOUT(one, other)                                                                    \
    _Static_assert(offsetof(cl_mutable_dispatch_arg_khr, one) ==                                   \
                       offsetof(cl_mutable_dispatch_exec_info_khr, other),                         \
                   #one " is not in the place of " #other)
SAME_LAYOUT(arg_index, param_name);
SAME_LAYOUT(arg_size, param_value_size);
SAME_LAYOUT(arg_value, param_value);

static void put_list(struct packer *packer, const void *elements, uint32_t count, bool are_pointers)
{
    const cl_mutable_dispatch_arg_khr *list = elements;
    if (count > LIST_LIMIT || (count && !can_read(packer, list, count * sizeof *list))) {
        packer->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count && !packer->failed; i++) {
        if (are_pointers)
            put_value(packer, list[i].arg_index, sizeof list[i].arg_value, &list[i].arg_value);
        else
            put_value(packer, list[i].arg_index, list[i].arg_size, list[i].arg_value);
    }
}

static void put_sizes(struct packer *packer, const size_t *sizes, uint32_t work_dim)
{
    if (!sizes)
        return;
    if (work_dim == 0 || work_dim > DIMENSIONS_MAX)
        packer->failed = true;
    else if (can_read(packer, sizes, work_dim * sizeof *sizes))
        put(packer, sizes, work_dim * sizeof *sizes);
}
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes are words");

static void put_part(struct packer *packer, const struct api_mutable_config *config)
{
    put_list(packer, config->arg_list, config->num_args, false);
    put_list(packer, config->arg_svm_list, config->num_svm_args, true);
    put_list(packer, config->exec_info_list, config->num_exec_infos, false);
    put_sizes(packer, config->global_work_offset, config->work_dim);
    put_sizes(packer, config->global_work_size, config->work_dim);
    put_sizes(packer, config->local_work_size, config->work_dim);
}

/* Out of a table: of several `address ? one : NULL` gcc 12 makes one operation on a vector, and
 * takes all ones, which is how processors say true, for the pointer. */
static const void *forgotten(const void *address)
{
    static const void *const instead[] = {NULL, (const void *)(uintptr_t)1};
    return instead[address != NULL];
}

/* Where the program keeps its lists says nothing. */
static void forget_addresses(struct api_mutable_config *config)
{
    config->arg_list = forgotten(config->arg_list);
    config->arg_svm_list = forgotten(config->arg_svm_list);
    config->exec_info_list = forgotten(config->exec_info_list);
    config->global_work_offset = forgotten(config->global_work_offset);
    config->global_work_size = forgotten(config->global_work_size);
    config->local_work_size = forgotten(config->local_work_size);
}

static void put_all(struct packer *packer, const struct api_mutable_config *configs, uint32_t count)
{
    put(packer, configs, count * sizeof *configs);
    for (uint32_t i = 0; i < count && !packer->failed; i++)
        put_part(packer, &configs[i]);
}

void *api_mutable_configs_pack(const struct api_mutable_config *configs, uint32_t count,
                               api_readable_function *readable, void *user, struct arena *arena,
                               uint64_t *size)
{
    struct packer packer = {.readable = readable, .user = user};
    put_all(&packer, configs, count);
    void *bytes = packer.failed ? NULL : arena_alloc(arena, 1, packer.size);
    if (!bytes)
        return NULL;
    *size = packer.size;
    packer = (struct packer){.to = bytes, .room = *size};
    put_all(&packer, configs, count);
    for (uint32_t i = 0; i < count; i++)
        forget_addresses((struct api_mutable_config *)bytes + i);
    return packer.failed ? NULL : bytes;
}

/* ---- unpacking ---- */

struct unpacker {
    const unsigned char *at;
    uint64_t left;
    struct arena *arena;
    bool failed;
};

/* A copy of the next bytes, in the arena. */
static void *get(struct unpacker *unpacker, uint64_t size)
{
    void *bytes = NULL;
    if (!unpacker->failed && size <= unpacker->left && padded(size) <= unpacker->left)
        bytes = arena_copy(unpacker->arena, unpacker->at, size);
    unpacker->failed |= !bytes;
    if (bytes) {
        unpacker->at += padded(size);
        unpacker->left -= padded(size);
    }
    return bytes;
}

static uint64_t get_number(struct unpacker *unpacker)
{
    const uint64_t *number = get(unpacker, sizeof *number);
    return number ? *number : 0;
}

/* Room for a list whose elements take at least three words each. */
static void *make_list(struct unpacker *unpacker, uint64_t count, size_t size)
{
    void *list = NULL;
    if (!unpacker->failed && count <= unpacker->left / (3 * sizeof(uint64_t)))
        list = arena_alloc(unpacker->arena, count, size);
    unpacker->failed |= !list;
    return list;
}

static const void *get_value(struct unpacker *unpacker, uint64_t *name, size_t *size)
{
    *name = get_number(unpacker);
    *size = get_number(unpacker);
    return get_number(unpacker) ? get(unpacker, *size) : NULL;
}

static const void *get_list(struct unpacker *unpacker, uint32_t count, bool are_pointers)
{
    cl_mutable_dispatch_arg_khr *list = make_list(unpacker, count, sizeof *list);
    for (uint32_t i = 0; i < count && !unpacker->failed; i++) {
        uint64_t index;
        list[i].arg_value = get_value(unpacker, &index, &list[i].arg_size);
        list[i].arg_index = (cl_uint)index;
        if (!are_pointers)
            continue;
        unpacker->failed |= !list[i].arg_value || list[i].arg_size != sizeof(uint64_t);
        if (!unpacker->failed)
            memcpy(&list[i].arg_value, list[i].arg_value, sizeof list[i].arg_value);
    }
    return count ? list : NULL;
}

static const size_t *get_sizes(struct unpacker *unpacker, const size_t *was, uint32_t work_dim)
{
    unpacker->failed |= was && (work_dim == 0 || work_dim > DIMENSIONS_MAX);
    return was ? get(unpacker, work_dim * sizeof(size_t)) : NULL;
}

struct api_mutable_config *api_mutable_configs_unpack(const struct api_value *value,
                                                      struct arena *arena)
{
    struct unpacker unpacker = {.at = value->data, .left = value->size, .arena = arena};
    if (value->kind != API_VALUE_BYTES || !value->data)
        return NULL;
    struct api_mutable_config *configs = get(&unpacker, value->count * sizeof *configs);
    for (uint32_t i = 0; i < value->count && !unpacker.failed; i++) {
        struct api_mutable_config *config = &configs[i];
        config->arg_list = get_list(&unpacker, config->num_args, false);
        config->arg_svm_list = get_list(&unpacker, config->num_svm_args, true);
        config->exec_info_list = get_list(&unpacker, config->num_exec_infos, false);
        config->global_work_offset =
            get_sizes(&unpacker, config->global_work_offset, config->work_dim);
        config->global_work_size = get_sizes(&unpacker, config->global_work_size, config->work_dim);
        config->local_work_size = get_sizes(&unpacker, config->local_work_size, config->work_dim);
    }
    return unpacker.failed || unpacker.left ? NULL : configs;
}
