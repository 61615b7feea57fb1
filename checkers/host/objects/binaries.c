#include "checkers/host/objects/binaries.h"

#include "trace/base/alloc.h"
#include "trace/base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "trace/base/hash.h"

struct kept {
    const char *text;
    UT_hash_handle hh;
};

struct binary {
    uint64_t digest;
    const char *options; /* NULL: there are several */
    UT_hash_handle hh;
};

struct binary_table {
    pthread_mutex_t lock;
    struct arena arena;
    struct kept *kept;
    struct binary *binaries;
    atomic_bool any;
};

struct binary_table *binary_table_create(void)
{
    struct binary_table *table = alloc_zero(1, sizeof *table);
    if (table)
        pthread_mutex_init(&table->lock, NULL);
    return table;
}

void binary_table_destroy(struct binary_table *table)
{
    if (!table)
        return;
    HASH_CLEAR(hh, table->kept);
    HASH_CLEAR(hh, table->binaries);
    arena_release(&table->arena);
    pthread_mutex_destroy(&table->lock);
    alloc_free(table);
}

static const char *keep(struct binary_table *table, const char *options, size_t size)
{
    struct kept *kept;
    HASH_FIND(hh, table->kept, options, size, kept);
    if (kept)
        return kept->text;
    char *text = arena_alloc(&table->arena, 1, size + 1);
    kept = arena_alloc(&table->arena, 1, sizeof *kept);
    if (!text || !kept)
        return NULL;
    memcpy(text, options, size);
    text[size] = 0;
    kept->text = text;
    HASH_ADD_KEYPTR(hh, table->kept, kept->text, size, kept);
    return text; /* if it was not added the next one is another copy */
}

const char *binary_keep_options(struct binary_table *table, const char *options, size_t size)
{
    pthread_mutex_lock(&table->lock);
    const char *text = keep(table, options, size);
    pthread_mutex_unlock(&table->lock);
    return text;
}

void binary_note(struct binary_table *table, uint64_t digest, const char *options)
{
    struct binary *binary;
    pthread_mutex_lock(&table->lock);
    HASH_FIND(hh, table->binaries, &digest, sizeof digest, binary);
    if (binary) {
        if (binary->options && !binary_options_agree(binary->options, options))
            binary->options = NULL;
    } else if ((binary = arena_alloc(&table->arena, 1, sizeof *binary)) != NULL) {
        binary->digest = digest;
        binary->options = options;
        HASH_ADD(hh, table->binaries, digest, sizeof binary->digest, binary);
        atomic_store_explicit(&table->any, true, memory_order_relaxed);
    }
    pthread_mutex_unlock(&table->lock);
}

const char *binary_find(struct binary_table *table, uint64_t digest)
{
    struct binary *binary;
    pthread_mutex_lock(&table->lock);
    HASH_FIND(hh, table->binaries, &digest, sizeof digest, binary);
    const char *options = binary ? binary->options : NULL;
    pthread_mutex_unlock(&table->lock);
    return options;
}

bool binary_any(const struct binary_table *table)
{
    return atomic_load_explicit(&table->any, memory_order_relaxed);
}

/* ---- options ---- */

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t\r\n\v\f");
}

/* All whitespace is left out, so that "-DN" is "-D N": whoever means more by it than OpenCL does is
 * not told. */
bool binary_options_agree(const char *a, const char *b)
{
    for (a = skip_space(a), b = skip_space(b); *a && *a == *b;
         a = skip_space(a + 1), b = skip_space(b + 1))
        ;
    return *a == *b;
}
