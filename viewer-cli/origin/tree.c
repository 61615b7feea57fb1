#include "viewer-cli/origin/tree.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory that is to be listed. */
struct waiting {
    struct waiting *next;
    const char *path;
    unsigned depth;
};

struct walk {
    struct tree *tree;
    struct waiting *first, **end;
    dev_t device;
    size_t entry_count;
    size_t known_count; /* files of the directories before, which may lie in this one */
};

/* ---- what counts ---- */

static bool has_ending(const char *name, const char *const *endings)
{
    for (; *endings; ++endings)
        if (path_has_extension(name, *endings))
            return true;
    return false;
}

static bool is_kernel_file(const char *name)
{
    static const char *const endings[] = {".cl", ".clh", ".ocl", ".opencl", ".clcpp", NULL};
    return has_ending(name, endings);
}

static bool is_host_file(const char *name)
{
    static const char *const endings[] = {".h",   ".hpp", ".hh",  ".hxx", ".inc", ".c",
                                          ".cpp", ".cc",  ".cxx", ".py",  NULL};
    return has_ending(name, endings);
}

bool tree_is_source(const char *name)
{
    return is_kernel_file(name) || is_host_file(name);
}

/* Trees that tools make, in which sources are copies. */
static bool is_made(const char *name)
{
    static const char *const names[] = {"node_modules", "__pycache__", "CMakeFiles", NULL};
    for (const char *const *made = names; *made; ++made)
        if (strcmp(name, *made) == 0)
            return true;
    return name[0] == '.' || strncmp(name, SCRATCH_PREFIX, sizeof SCRATCH_PREFIX - 1) == 0;
}

static bool is_build_tree(int directory)
{
    return faccessat(directory, "CMakeCache.txt", F_OK, 0) == 0 ||
           faccessat(directory, "CACHEDIR.TAG", F_OK, 0) == 0;
}

bool tree_is_built(const char *directory)
{
    char path[PATH_MAX];
    bool is_built = false;
    for (char *slash = realpath(directory, path); slash && !is_built;) {
        const int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        is_built = opened >= 0 && is_build_tree(opened);
        if (opened >= 0)
            close(opened);
        slash = strrchr(path, '/');
        if (slash == path)
            break;
        *slash = 0;
    }
    return is_built;
}

/* ---- the walk ---- */

static const char *show(const struct tree *tree, const char *path)
{
    const size_t length = tree->current ? strlen(tree->current) : 0;
    return length > 1 && strncmp(path, tree->current, length) == 0 && path[length] == '/'
               ? path + length + 1
               : path;
}

static bool is_known(const struct walk *walk, const char *path)
{
    for (size_t i = 0; i < walk->known_count; ++i)
        if (strcmp(walk->tree->files[i].path, path) == 0)
            return true;
    return false;
}

static void add_file(struct tree *tree, const char *path, bool has_literals)
{
    struct tree_file *files =
        alloc_grow(tree->files, tree->count, &tree->capacity, sizeof *tree->files);
    if (!files)
        return;
    tree->files = files;
    files[tree->count++] =
        (struct tree_file){.path = path, .shown = show(tree, path), .has_literals = has_literals};
}

static void wait_for(struct walk *walk, const char *path, unsigned depth)
{
    struct waiting *waiting = arena_alloc(walk->tree->arena, 1, sizeof *waiting);
    if (!waiting)
        return;
    *waiting = (struct waiting){.path = path, .depth = depth};
    *walk->end = waiting;
    walk->end = &waiting->next;
}

static void take_entry(struct walk *walk, const struct waiting *from, int directory,
                       const char *name)
{
    struct tree *tree = walk->tree;
    struct stat facts;
    if (is_made(name) || fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    const bool descends =
        S_ISDIR(facts.st_mode) && facts.st_dev == walk->device && from->depth < TREE_DEPTH_MAX;
    const bool is_source = S_ISREG(facts.st_mode) && facts.st_size > 0 &&
                           facts.st_size <= TREE_FILE_SIZE_MAX &&
                           tree->count < walk->known_count + TREE_FILES_MAX && tree_is_source(name);
    const char *path = descends || is_source
                           ? arena_format(tree->arena, "%s/%s",
                                          strcmp(from->path, "/") == 0 ? "" : from->path, name)
                           : NULL;
    if (path && descends)
        wait_for(walk, path, from->depth + 1);
    else if (path && !is_known(walk, path))
        add_file(tree, path, is_host_file(name));
}

static void list(struct walk *walk, const struct waiting *waiting)
{
    DIR *directory = opendir(waiting->path);
    const struct dirent *entry;
    if (directory && waiting->depth > 0 && is_build_tree(dirfd(directory))) {
        closedir(directory);
        return;
    }
    while (directory && walk->entry_count < TREE_ENTRIES_MAX &&
           (entry = readdir(directory)) != NULL) {
        ++walk->entry_count;
        take_entry(walk, waiting, dirfd(directory), entry->d_name);
    }
    if (directory)
        closedir(directory);
}

/* ---- the order ---- */

static size_t depth_of(const char *path)
{
    size_t depth = 0;
    for (; *path; ++path)
        depth += *path == '/';
    return depth;
}

static int compare_files(const void *left, const void *right)
{
    const struct tree_file *a = left;
    const struct tree_file *b = right;
    const size_t depth_a = depth_of(a->path);
    const size_t depth_b = depth_of(b->path);
    if (depth_a != depth_b)
        return depth_a < depth_b ? -1 : 1;
    const size_t length_a = strlen(a->path);
    const size_t length_b = strlen(b->path);
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    return strcmp(a->path, b->path);
}

void tree_add(struct tree *tree, const char *directory)
{
    char real[PATH_MAX];
    struct stat facts;
    const size_t before = tree->count;
    struct walk walk = {.tree = tree, .end = &walk.first, .known_count = before};
    if (!tree->current)
        tree->current = realpath(".", NULL);
    const char *root = realpath(directory, real) && stat(real, &facts) == 0
                           ? arena_string(tree->arena, real)
                           : NULL;
    if (!root)
        return;
    walk.device = facts.st_dev;
    wait_for(&walk, root, 0);
    for (const struct waiting *waiting = walk.first; waiting; waiting = waiting->next)
        list(&walk, waiting);
    if (tree->count > before)
        qsort(tree->files + before, tree->count - before, sizeof *tree->files, compare_files);
}

void tree_release(struct tree *tree)
{
    alloc_free(tree->files);
    free(tree->current);
}
