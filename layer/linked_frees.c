/* The functions that free memory, of the layer. The program and its libraries were linked with the
 * C library's before the layer came, so their tables of functions are changed: where the address of
 * free stands, or will once it is called, ours is put. This is done as memory is lent, so that most
 * programs stay as they are, and again for libraries that have been loaded since.
 *
 * The layer's own table, which is left alone and is complete (it is linked with -z now), says what
 * the address of free is. A slot that has another address, of an allocator that its library brings
 * along, is left alone too. */
#include "layer/frees.h"

#include "trace/base/clock.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, DATA_SLOT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, DATA_SLOT = R_AARCH64_GLOB_DAT };
#else
#error "the relocations that name a function are known for x86-64 and AArch64"
#endif

static void free_seen(void *block)
{
    frees_block(block);
    free(block);
}

static void *realloc_seen(void *block, size_t size)
{
    const uintptr_t before = (uintptr_t)block;
    const size_t lent = frees_resizing(block);
    void *moved = realloc(block, size);
    frees_resized(before, lent, moved, size);
    return moved;
}

static int munmap_seen(void *address, size_t size)
{
    frees_pages(address, size);
    return munmap(address, size);
}

enum { FREE, REALLOC, MUNMAP, FUNCTIONS };
static const struct {
    const char *name;
    uintptr_t seen;
} functions[FUNCTIONS] = {[FREE] = {"free", (uintptr_t)free_seen},
                          [REALLOC] = {"realloc", (uintptr_t)realloc_seen},
                          [MUNMAP] = {"munmap", (uintptr_t)munmap_seen}};

static uintptr_t real[FUNCTIONS]; /* 0 = not known: no slot has it */

/* ---- a library ---- */

struct table {
    const ElfW(Rela) * list;
    size_t count;
};

struct library {
    const struct dl_phdr_info *info;
    const char *names;
    const ElfW(Sym) * symbols;
    struct table calls, data;
    uintptr_t first, last;        /* its bytes */
    uintptr_t sealed, sealed_end; /* whole pages, which cannot be written once it is loaded */
};

/* Most loaders have made addresses of what a library's file has as offsets. */
static const void *address_in(const struct dl_phdr_info *info, ElfW(Addr) value)
{
    return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static void add_segment(struct library *library, const ElfW(Phdr) * segment)
{
    const uintptr_t first = library->info->dlpi_addr + segment->p_vaddr;
    const uintptr_t last = first + segment->p_memsz - 1;
    if (segment->p_type == PT_GNU_RELRO) {
        library->sealed = page_of(first);
        library->sealed_end = page_of(last + 1);
    } else if (segment->p_type == PT_LOAD) {
        library->first = library->first == 0 || first < library->first ? first : library->first;
        library->last = last > library->last ? last : library->last;
    }
}

static void read_dynamic(struct library *library, const ElfW(Dyn) * entry)
{
    const struct dl_phdr_info *info = library->info;
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_STRTAB:
            library->names = address_in(info, entry->d_un.d_ptr);
            break;
        case DT_SYMTAB:
            library->symbols = address_in(info, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            library->calls.list = address_in(info, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            library->calls.count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELA:
            library->data.list = address_in(info, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            library->data.count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
}

/* False: it has no such tables. */
static bool read_library(struct library *library, const struct dl_phdr_info *info)
{
    *library = (struct library){.info = info};
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        add_segment(library, segment);
        if (segment->p_type == PT_DYNAMIC)
            read_dynamic(library, (const ElfW(Dyn) *)(info->dlpi_addr + segment->p_vaddr));
    }
    return library->names && library->symbols;
}

static bool has_address(const struct library *library, uintptr_t address)
{
    return address >= library->first && address <= library->last;
}

/* A library that has a function of that name itself has another one, unless it is the right one's.
 */
static bool is_function(const struct library *library, const ElfW(Sym) * symbol, size_t function)
{
    return strcmp(library->names + symbol->st_name, functions[function].name) == 0 &&
           (symbol->st_shndx == SHN_UNDEF || has_address(library, real[function]));
}

typedef void slot_visit(const struct library *library, size_t function, uintptr_t *slot);

/* A library is seen before the loader has done with it, which may still write its slots, in another
 * thread, and seals them at the end. To add nothing to a number is to write it: the kernel tells
 * whether that may be done, and disturbs nobody who writes there. */
static bool is_sealed(const struct library *library)
{
    uint32_t none = 0;
    const int add_nothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
    const int saved = errno;
    const long result =
        syscall(SYS_futex, &none, FUTEX_WAKE_OP_PRIVATE, 0, NULL, library->sealed, add_nothing);
    const bool sealed = result < 0 && errno == EFAULT;
    errno = saved;
    return sealed;
}

/* Every slot that has, or is to have, the address of one of the functions. */
static void visit_slots(const struct library *library, const struct table *table, slot_visit *visit)
{
    for (size_t i = 0; table->list && i < table->count; i++) {
        const ElfW(Rela) *slot = &table->list[i];
        const uint32_t type = ELF64_R_TYPE(slot->r_info);
        if (type != JUMP_SLOT && type != DATA_SLOT)
            continue;
        const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(slot->r_info)];
        for (size_t f = 0; f < FUNCTIONS; f++) {
            if (is_function(library, symbol, f))
                visit(library, f, (uintptr_t *)(library->info->dlpi_addr + slot->r_offset));
        }
    }
}

/* ---- all libraries ---- */

static void note_real(const struct library *library, size_t function, uintptr_t *slot)
{
    (void)library;
    real[function] = __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static void put(const struct library *library, uintptr_t *slot, uintptr_t address)
{
    void *page = (void *)page_of((uintptr_t)slot);
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    const bool sealed = (uintptr_t)slot >= library->sealed && (uintptr_t)slot < library->sealed_end;
    if (sealed && mprotect(page, size, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(slot, address, __ATOMIC_RELAXED);
    if (sealed)
        mprotect(page, size, PROT_READ);
}

/* Of the libraries that are looked at: one is not yet ready, and must not be changed. */
static bool any_unready;

/* An address in the library itself is that of code which looks for the function at its first call;
 * an offset in it is what the loader will make that address of. */
static void change(const struct library *library, size_t function, uintptr_t *slot)
{
    const uintptr_t now = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (real[function] != 0 && (now == real[function] || has_address(library, now)))
        put(library, slot, functions[function].seen);
    else if (now <= library->last - library->first)
        any_unready = true;
}

/* The loader frees what is its own, and an allocator that is not the C library's calls munmap while
 * it must not be called. */
static bool is_left_alone(const struct library *library)
{
    return has_address(library, (uintptr_t)frees_watch) ||
           has_address(library, (uintptr_t)&_r_debug) ||
           (has_address(library, real[FREE]) && !has_address(library, real[MUNMAP]));
}

static int learn_real(struct dl_phdr_info *info, size_t size, void *user)
{
    struct library library;
    (void)size;
    (void)user;
    if (!read_library(&library, info) || !has_address(&library, (uintptr_t)frees_watch))
        return 0;
    visit_slots(&library, &library.calls, note_real);
    return 1;
}

static int change_library(struct dl_phdr_info *info, size_t size, void *user)
{
    struct library library;
    (void)size;
    (void)user;
    if (!read_library(&library, info) || is_left_alone(&library))
        return 0;
    if (library.sealed < library.sealed_end && !is_sealed(&library)) {
        any_unready = true;
        return 0;
    }
    visit_slots(&library, &library.calls, change);
    visit_slots(&library, &library.data, change);
    return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_adds;
    return 1;
}

/* Of loads, as the loader counts them. */
struct progress {
    _Atomic uint64_t done;  /* so many: all that were changed */
    _Atomic uint64_t tried; /* so many, of which some were not ready */
    _Atomic uint64_t again; /* when to try them again: nanoseconds */
    uint64_t since;         /* when they were tried first */
};

/* With so many loads. What was not ready is tried again, each time after twice as long. */
static void change_all(struct progress *progress, uint64_t loaded)
{
    const uint64_t now = clock_monotonic_ns();
    any_unready = false;
    dl_iterate_phdr(change_library, NULL);
    if (progress->tried != loaded)
        progress->since = now;
    progress->again = now + (now - progress->since);
    progress->tried = loaded;
    if (!any_unready)
        progress->done = loaded;
}

static bool is_due(struct progress *progress, uint64_t loaded)
{
    return progress->done != loaded &&
           (progress->tried != loaded || clock_monotonic_ns() >= progress->again);
}

void frees_watch(void *user)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct progress progress;
    uint64_t loaded = 0;
    (void)user;
    dl_iterate_phdr(count_loaded, &loaded);
    if (!is_due(&progress, loaded))
        return;
    if (pthread_mutex_trylock(&mutex) != 0)
        return; /* another thread does it, or did when it forked this process */
    if (real[FREE] == 0)
        dl_iterate_phdr(learn_real, NULL);
    change_all(&progress, loaded);
    pthread_mutex_unlock(&mutex);
}
