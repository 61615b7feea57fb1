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

static bool read_header(int file, elf_header *header)
{
    return read_at(file, header, sizeof *header, 0) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* A program that names no dynamic linker loads no libraries, so no loader and no layer. */
static bool is_static(int file, const elf_header *header)
{
    bool names_linker = false;
    for (unsigned i = 0; i < header->e_phnum && !names_linker; ++i) {
        elf_segment segment;
        names_linker = !read_at(file, &segment, sizeof segment,
                                header->e_phoff + (uint64_t)i * header->e_phentsize) ||
                       segment.p_type == PT_INTERP;
    }
    return !names_linker;
}

static bool has_other_rights(int file)
{
    struct stat facts;
    return fstat(file, &facts) == 0 && (((facts.st_mode & S_ISUID) && facts.st_uid != getuid()) ||
                                        ((facts.st_mode & S_ISGID) && facts.st_gid != getgid()));
}

static const char *find_reason(int file, int own_file)
{
    elf_header own;
    elf_header header;
    if (!read_header(file, &header) || !read_header(own_file, &own))
        return NULL;
    if (header.e_ident[EI_CLASS] != OWN_CLASS || header.e_machine != own.e_machine)
        return "is for another kind of machine than clerk and its layer";
    if (has_other_rights(file))
        return "runs with other rights than yours, and such programs do not get clerk's settings";
    return is_static(file, &header) ? "is statically linked, so it loads no layer" : NULL;
}

bool hindrance_describe(const char *program, struct text *text)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };
    char *path = process_find_program(program);
    const int file = path ? open(path, FLAGS) : -1;
    const int own_file = open("/proc/self/exe", FLAGS);
    const char *reason = find_reason(file, own_file);
    if (file >= 0)
        close(file);
    if (own_file >= 0)
        close(own_file);
    if (reason)
        text_format(text, "(%s %s)", path, reason);
    alloc_free(path);
    return reason != NULL;
}
