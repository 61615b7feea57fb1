#include "viewer-cli/verb.h"

#include "trace/base/alloc.h"
#include "trace/base/process.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the dynamic linker loads for a program depends on its file's class: clerk's libraries have
 * its own. */
#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
enum { OWN_CLASS = ELFCLASS64 };
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
enum { OWN_CLASS = ELFCLASS32 };
#endif

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    return pread(file, bytes, size, (off_t)offset) == (ssize_t)size;
}

static bool read_header(const char *path, elf_header *header)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_elf = file >= 0 && read_at(file, header, sizeof *header, 0) &&
                        memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
    if (file >= 0)
        close(file);
    return is_elf;
}

/* A program that names no dynamic linker loads no libraries, so no loader and no layer. */
static bool is_static(const char *path, const elf_header *header)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool names_linker = file < 0;
    for (unsigned i = 0; i < header->e_phnum && !names_linker; ++i) {
        elf_segment segment;
        names_linker = !read_at(file, &segment, sizeof segment,
                                header->e_phoff + (uint64_t)i * header->e_phentsize) ||
                       segment.p_type == PT_INTERP;
    }
    if (file >= 0)
        close(file);
    return !names_linker;
}

static bool has_other_rights(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && (((facts.st_mode & S_ISUID) && facts.st_uid != getuid()) ||
                                       ((facts.st_mode & S_ISGID) && facts.st_gid != getgid()));
}

static const char *find_reason(const char *path)
{
    elf_header own;
    elf_header header;
    if (!read_header(path, &header) || !read_header("/proc/self/exe", &own))
        return NULL;
    if (header.e_ident[EI_CLASS] != OWN_CLASS || header.e_machine != own.e_machine)
        return "is for another kind of machine than clerk and its layer";
    if (has_other_rights(path))
        return "runs with other rights than yours, and such programs do not get clerk's settings";
    return is_static(path, &header) ? "is statically linked, so it loads no layer" : NULL;
}

bool hindrance_describe(const char *program, struct text *text)
{
    char *path = process_find_program(program);
    const char *reason = path ? find_reason(path) : NULL;
    if (reason)
        text_format(text, "(%s %s)", path, reason);
    alloc_free(path);
    return reason != NULL;
}
