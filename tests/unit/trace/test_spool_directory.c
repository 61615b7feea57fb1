#include "trace/spool_directory.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/clerk-test-spool-XXXXXX";
static char path[64];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/clerk-test-spool-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.spool", folder);
    return spool_directory_make(path, NULL) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    int directory;
    (void)state;
    if (spool_directory_open(path, &directory, NULL) == STATUS_OK) {
        spool_directory_remove(directory, path);
        close(directory);
    }
    return rmdir(folder);
}

static struct spool_writer writer_of(void)
{
    struct spool_writer writer;
    int directory;
    assert_int_equal(spool_directory_open(path, &directory, NULL), STATUS_OK);
    assert_true(spool_directory_writer(directory, &writer));
    close(directory);
    return writer;
}

/* Changes the first character after `word` in the file `process`. */
static void change(const char *word)
{
    char name[80], text[512] = "";
    snprintf(name, sizeof name, "%s/process", path);
    FILE *file = fopen(name, "r+");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    char *at = strstr(text, word);
    assert_non_null(at);
    at += strlen(word);
    *at = *at == '1' ? '2' : '1';
    rewind(file);
    assert_int_equal(fputs(text, file) >= 0, true);
    fclose(file);
}

static void its_maker_writes_and_is_running(void **state)
{
    (void)state;
    const struct spool_writer writer = writer_of();
    assert_int_equal(writer.process, getpid());
    assert_true(writer.is_running);
    assert_string_equal(writer.end, "");
}

/* The process has the same number and start time as one of before the machine was started. */
static void a_writer_of_an_earlier_boot_is_gone(void **state)
{
    (void)state;
    change("\nboot ");
    assert_false(writer_of().is_running);
}

static void a_process_that_began_at_another_time_is_another(void **state)
{
    (void)state;
    change("\nstart ");
    assert_false(writer_of().is_running);
}

static void how_recording_ended_is_noted(void **state)
{
    int directory;
    (void)state;
    assert_int_equal(spool_directory_open(path, &directory, NULL), STATUS_OK);
    spool_directory_note_end(directory, "stopped");
    close(directory);
    assert_string_equal(writer_of().end, "stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(its_maker_writes_and_is_running, setup, teardown),
        cmocka_unit_test_setup_teardown(a_writer_of_an_earlier_boot_is_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_process_that_began_at_another_time_is_another, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(how_recording_ended_is_noted, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
