/* Files and paths. */
#include "tests/directory.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/clerk-file-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return directory_remove(directory);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const char bytes[] = "some\0bytes";
    char *path = path_join(directory, "f");
    void *read = NULL;
    size_t size = 0;
    assert_int_equal(file_write(path, "before", 6, NULL), STATUS_OK);
    assert_int_equal(file_write(path, bytes, sizeof bytes, NULL), STATUS_OK);
    assert_int_equal(file_read(path, 100, &read, &size, NULL), STATUS_OK);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(read, bytes, size);
    assert_int_equal(((char *)read)[size], 0);
    alloc_free(read);
    read = NULL;
    assert_int_equal(file_read(path, sizeof bytes, &read, &size, NULL), STATUS_OK);
    alloc_free(read);
    struct error error = {0};
    read = NULL;
    assert_int_equal(file_read(path, sizeof bytes - 1, &read, &size, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, path));
    assert_null(read);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    const mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(facts.st_mode & 0777, 0666 & ~mask);
    unlink(path);
    alloc_free(path);
}

/* Their size is 0 by stat. */
/* Neither replaced nor opened as private: what is not a regular file, or is another's too. */
static void what_is_no_file_stays(void **state)
{
    (void)state;
    char *file = path_join(directory, "f");
    char *link_path = path_join(directory, "link");
    char *pipe_path = path_join(directory, "pipe");
    void *read = NULL;
    size_t size = 0;
    struct stat facts;
    struct error error = {0};
    int descriptor;
    assert_int_equal(file_write_private(file, "mine", 4, NULL), STATUS_OK);
    assert_int_equal(stat(file, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(symlink("f", link_path), 0);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(file_write_private(link_path, "", 0, NULL), STATUS_INVALID);
    assert_int_equal(file_write_private(pipe_path, "", 0, NULL), STATUS_INVALID);
    assert_int_equal(file_read_private(link_path, 100, &read, &size, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "is a symbolic link"));
    assert_int_equal(file_read_private(pipe_path, 100, &read, &size, &error), STATUS_INVALID);
    assert_non_null(strstr(error.text, "is not a regular file"));
    assert_int_equal(
        file_open_private(AT_FDCWD, pipe_path, O_WRONLY, pipe_path, &descriptor, NULL, NULL),
        STATUS_INVALID);
    assert_int_equal(file_open_private(AT_FDCWD, "/no/such", O_RDONLY, "", &descriptor, NULL, NULL),
                     STATUS_NOT_FOUND);
    assert_int_equal(file_write(link_path, "through", 7, NULL), STATUS_OK);
    assert_int_equal(lstat(link_path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(file_read_private(file, 100, &read, &size, NULL), STATUS_OK);
    assert_string_equal(read, "through");
    alloc_free(read);
    assert_int_equal(chmod(file, 0620), 0);
    assert_int_equal(file_read_private(file, 100, &read, &size, NULL), STATUS_INVALID);
    unlink(link_path);
    unlink(pipe_path);
    unlink(file);
    alloc_free(link_path);
    alloc_free(pipe_path);
    alloc_free(file);
}

/* Whoever should write into it never comes, writes for ever, or comes late. */
static void what_does_not_end_is_told(void **state)
{
    (void)state;
    char *pipe_path = path_join(directory, "pipe");
    void *read = NULL;
    size_t size = 0;
    struct error error = {0};
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(setenv("CLERK_READ_SECONDS", "1", 1), 0);
    assert_int_equal(file_read(pipe_path, 100, &read, &size, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "within 1 seconds (CLERK_READ_SECONDS)"));
    assert_int_equal(file_read("/dev/random", 100, &read, &size, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'/dev/random' is larger than 100 bytes"));
    assert_int_equal(file_read("/dev/zero", SIZE_MAX / 4, &read, &size, &error),
                     STATUS_UNSUPPORTED);
    assert_int_equal(file_read("/dev/null", 100, &read, &size, &error), STATUS_OK);
    assert_int_equal(size, 0);
    alloc_free(read);
    assert_int_equal(setenv("CLERK_READ_SECONDS", "60", 1), 0);
    const pid_t child = fork();
    if (child == 0) {
        usleep(200000);
        const int end = open(pipe_path, O_WRONLY);
        usleep(200000);
        _exit(write(end, "late", 4) == 4 ? 0 : 1);
    }
    assert_int_equal(file_read(pipe_path, 100, &read, &size, &error), STATUS_OK);
    assert_int_equal(size, 4);
    assert_string_equal(read, "late");
    waitpid(child, NULL, 0);
    unsetenv("CLERK_READ_SECONDS");
    alloc_free(read);
    unlink(pipe_path);
    alloc_free(pipe_path);
}

static void files_of_the_kernel_are_read_to_their_end(void **state)
{
    (void)state;
    void *read = NULL;
    size_t size = 0;
    assert_int_equal(file_read("/proc/self/maps", 1 << 20, &read, &size, NULL), STATUS_OK);
    assert_true(size > 100);
    alloc_free(read);
}

static void failures_name_the_file(void **state)
{
    (void)state;
    void *read = NULL;
    size_t size = 0;
    struct error error = {0};
    assert_int_equal(file_read("/no/such/file", 10, &read, &size, &error), STATUS_IO);
    assert_non_null(strstr(error.text, "/no/such/file"));
    assert_int_equal(file_write("/no/such/file", "", 0, &error), STATUS_IO);
    assert_int_equal(file_read("/", 10, &read, &size, &error), STATUS_IO);
    assert_int_equal(directory_create_private("/proc/none/here", &error), STATUS_IO);
}

static void directories_are_made_with_their_parents(void **state)
{
    (void)state;
    char *path = path_join(directory, "a/b//c");
    assert_int_equal(directory_create_private(path, NULL), STATUS_OK);
    assert_int_equal(directory_create_private(path, NULL), STATUS_OK);
    assert_true(file_is_directory(path));
    assert_int_equal(directory_remove(path), 0);
    assert_false(file_exists(path));
    alloc_free(path);
    path = path_join(directory, "a/b");
    assert_int_equal(directory_remove(path), 0);
    alloc_free(path);
    path = path_join(directory, "a");
    assert_int_equal(directory_remove(path), 0);
    alloc_free(path);
}

static void check_path(char *path, const char *expected)
{
    assert_string_equal(path, expected);
    alloc_free(path);
}

static void paths_are_joined_and_parted(void **state)
{
    (void)state;
    check_path(path_join("a", "b"), "a/b");
    check_path(path_join("a/", "b"), "a/b");
    check_path(path_join("a", "/b"), "/b");
    check_path(path_join("", "b"), "b");
    check_path(path_directory("a/b"), "a");
    check_path(path_directory("b"), ".");
    check_path(path_directory("/b"), "/");
    assert_string_equal(path_base("a/b"), "b");
    assert_string_equal(path_base("b"), "b");
    assert_true(path_has_extension("a/b.spvasm", ".spvasm"));
    assert_false(path_has_extension("a/b.spvasm", ".spv"));
    assert_false(path_has_extension(".spv", ".spv"));
    char *self = path_self_directory();
    assert_true(file_is_directory(self));
    alloc_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_file_stays),
        cmocka_unit_test(what_does_not_end_is_told),
        cmocka_unit_test(files_of_the_kernel_are_read_to_their_end),
        cmocka_unit_test(failures_name_the_file),
        cmocka_unit_test(directories_are_made_with_their_parents),
        cmocka_unit_test(paths_are_joined_and_parted),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
