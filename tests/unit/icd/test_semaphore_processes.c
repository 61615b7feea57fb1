/* cl_khr_external_semaphore_opaque_fd: semaphores that processes share. The other process is a fork
 * that runs this program anew, with the end of a socket as its argument. */
#include "tests/unit/icd/fixture.h"

#include "tests/rules/functions.h"
#include "trace/api/foreign.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, PATIENCE = 30 /* seconds */ };

static const cl_semaphore_properties_khr exportable[] = {CL_SEMAPHORE_TYPE_KHR,
                                                         CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                         CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                         CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                         0 /* the end of that list */,
                                                         0};

static char *self;

static int setup(void **state)
{
    fixture_setup(state);
    find_functions(((struct fixture *)*state)->platform);
    return 0;
}

static cl_semaphore_khr make(const struct fixture *fixture)
{
    cl_int result;
    cl_semaphore_khr made =
        f.clCreateSemaphoreWithPropertiesKHR(fixture->context, exportable, &result);
    CHECK(result);
    return made;
}

static int export(const struct fixture *fixture, cl_semaphore_khr semaphore)
{
    int descriptor = -1;
    size_t size = 0;
    CHECK(f.clGetSemaphoreHandleForTypeKHR(semaphore, fixture->device,
                                           CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof descriptor,
                                           &descriptor, &size));
    assert_int_equal(size, sizeof descriptor);
    assert_true(descriptor >= 0);
    return descriptor;
}

static cl_semaphore_khr import(const struct fixture *fixture, int descriptor, cl_int *result)
{
    const cl_semaphore_properties_khr properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        (cl_semaphore_properties_khr)descriptor, 0};
    return f.clCreateSemaphoreWithPropertiesKHR(fixture->context, properties, result);
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore)
{
    cl_semaphore_payload_khr value = 7;
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof value, &value, NULL));
    return value;
}

static cl_int status_of(cl_event event)
{
    cl_int status;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* ---- descriptors on their way ---- */

static void send_descriptor(int socket, int descriptor)
{
    char byte = 1;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec text = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control.room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    assert_int_equal(sendmsg(socket, &message, 0), 1);
    close(descriptor);
}

static int receive_descriptor(int socket)
{
    char byte;
    int descriptor;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec text = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control.room};
    assert_int_equal(recvmsg(socket, &message, 0), 1);
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static void tell(int socket, char what)
{
    assert_int_equal(write(socket, &what, 1), 1);
}

static void hear(int socket, char wanted)
{
    char what = 0;
    assert_int_equal(read(socket, &what, 1), 1);
    assert_int_equal(what, wanted);
}

/* ---- the other process ---- */

struct other {
    pid_t process;
    int socket;
};

static struct other start(const char *what)
{
    enum { WORDS_MAX = 8 };
    int ends[2];
    char number[16];
    char emulator[] = CLERK_TEST_EMULATOR; /* "" where the machine runs the program itself */
    char *arguments[WORDS_MAX + 4];
    size_t count = 0;
    struct other other;
    for (char *word = strtok(emulator, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        arguments[count++] = word;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    arguments[count++] = self;
    arguments[count++] = (char *)(uintptr_t)what;
    arguments[count++] = number;
    arguments[count] = NULL;
    assert_int_equal(posix_spawn(&other.process, arguments[0], NULL, NULL, arguments, environ), 0);
    close(ends[1]);
    other.socket = ends[0];
    return other;
}

static void finish(struct other other)
{
    int status;
    close(other.socket);
    assert_int_equal(waitpid(other.process, &status, 0), other.process);
    assert_int_equal(status, 0);
}

/* Waits for the one and signals the other, in turn; the first wait is there before the signal. */
static void take_turns(void **state)
{
    struct fixture *fixture = *state;
    const int socket = STDIN_FILENO;
    cl_int result;
    cl_semaphore_khr here = import(fixture, receive_descriptor(socket), &result);
    CHECK(result);
    cl_semaphore_khr there = import(fixture, receive_descriptor(socket), &result);
    CHECK(result);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 1, &here, NULL, 0, NULL, NULL));
        CHECK(clFlush(fixture->queue));
        if (round == 0)
            tell(socket, 'w');
        CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &there, NULL, 0, NULL, NULL));
        CHECK(clFinish(fixture->queue));
    }
    hear(socket, 'e');
    CHECK(f.clReleaseSemaphoreKHR(here));
    CHECK(f.clReleaseSemaphoreKHR(there));
}

/* Has it, and ends, before anything is released or found to be left over. */
static void ends_without_a_signal(void **state)
{
    struct fixture *fixture = *state;
    cl_int result;
    assert_non_null(import(fixture, receive_descriptor(STDIN_FILENO), &result));
    tell(STDIN_FILENO, 'i');
    hear(STDIN_FILENO, 'e');
    _exit(EXIT_SUCCESS);
}

/* ---- this one ---- */

/* Where standard error leads from the start: the device says nothing by another one. */
static int words;

static off_t said_so_far(void)
{
    return lseek(words, 0, SEEK_CUR); /* it is shared with standard error */
}

static bool were_said(off_t since, const char *wanted)
{
    char text[4096] = "";
    const ssize_t size = pread(words, text, sizeof text - 1, since);
    return size > 0 && strstr(text, wanted) != NULL;
}

static void show_words(int where)
{
    char text[4096];
    off_t at = 0;
    for (ssize_t size; (size = pread(words, text, sizeof text, at)) > 0; at += size) {
        if (write(where, text, (size_t)size) != size)
            return;
    }
}

static void processes_take_turns(void **state)
{
    struct fixture *fixture = *state;
    const struct other other = start("take_turns");
    cl_semaphore_khr there = make(fixture), here = make(fixture);
    send_descriptor(other.socket, export(fixture, there));
    send_descriptor(other.socket, export(fixture, here));
    hear(other.socket, 'w');
    for (int round = 0; round < ROUNDS; round++) {
        cl_event waited;
        CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 1, &here, NULL, 0, NULL, &waited));
        CHECK(clFlush(fixture->queue));
        assert_int_equal(status_of(waited), CL_SUBMITTED);
        cl_command_queue second =
            clCreateCommandQueueWithProperties(fixture->context, fixture->device, NULL, NULL);
        CHECK(f.clEnqueueSignalSemaphoresKHR(second, 1, &there, NULL, 0, NULL, NULL));
        CHECK(clFinish(second));
        CHECK(clFinish(fixture->queue));
        assert_int_equal(status_of(waited), CL_COMPLETE);
        assert_int_equal(payload(here), 0);
        CHECK(clReleaseCommandQueue(second));
        CHECK(clReleaseEvent(waited));
    }
    tell(other.socket, 'e');
    finish(other);
    CHECK(f.clReleaseSemaphoreKHR(here));
    CHECK(f.clReleaseSemaphoreKHR(there));
}

static void a_wait_says_so_when_the_other_process_has_ended(void **state)
{
    struct fixture *fixture = *state;
    const struct other other = start("ends_without_a_signal");
    cl_semaphore_khr semaphore = make(fixture);
    cl_event waited;
    send_descriptor(other.socket, export(fixture, semaphore));
    hear(other.socket, 'i');
    const off_t since = said_so_far();
    CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, &waited));
    CHECK(clFlush(fixture->queue));
    for (int i = 0; i < 20; i++)
        pause_a_little();
    const bool too_early = were_said(since, "semaphore");
    tell(other.socket, 'e');
    finish(other);
    bool said = false;
    for (int i = 0; !said && i < PATIENCE * 50; i++) {
        pause_a_little();
        said = were_said(since, "no other process has a semaphore any more that a command waits "
                                "for, and it is not signalled: the command waits until this "
                                "program signals it, or releases it");
    }
    const cl_int still = status_of(waited);
    /* It may still signal it itself, but when it has released it. */
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
    const cl_int result = clWaitForEvents(1, &waited);
    assert_false(too_early);
    assert_true(said);
    assert_int_equal(still, CL_SUBMITTED);
    assert_int_equal(result, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_true(were_said(since, "released for the last time before it is signalled, and no other "
                                 "process has it"));
    CHECK(clReleaseEvent(waited));
}

/* As long as somebody has a descriptor, somebody may import it. */
static void a_descriptor_keeps_a_wait_waiting(void **state)
{
    struct fixture *fixture = *state;
    cl_semaphore_khr semaphore = make(fixture);
    cl_event waits[2];
    cl_int result;
    const int descriptor = export(fixture, semaphore);
    int last = export(fixture, semaphore);
    CHECK(f.clEnqueueWaitSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, &waits[0]));
    CHECK(clFlush(fixture->queue));
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
    for (int i = 0; i < 20; i++)
        pause_a_little();
    assert_int_equal(status_of(waits[0]), CL_SUBMITTED);
    cl_semaphore_khr again = import(fixture, descriptor, &result);
    CHECK(result);
    cl_command_queue other =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, NULL, &result);
    CHECK(f.clEnqueueSignalSemaphoresKHR(other, 1, &again, NULL, 0, NULL, NULL));
    CHECK(clFinish(other));
    CHECK(clWaitForEvents(1, &waits[0]));
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &again, NULL, 0, NULL, &waits[1]));
    CHECK(clFlush(other));
    CHECK(f.clReleaseSemaphoreKHR(again));
    assert_int_equal(fcntl(descriptor, F_GETFD), -1); /* it was the semaphore's */
    /* A duplicate is as good. */
    const int duplicate = dup(last);
    close(last);
    for (int i = 0; i < 20; i++)
        pause_a_little();
    assert_int_equal(status_of(waits[1]), CL_SUBMITTED);
    close(duplicate);
    assert_int_equal(clWaitForEvents(1, &waits[1]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseCommandQueue(other));
    CHECK(clReleaseEvent(waits[0]));
    CHECK(clReleaseEvent(waits[1]));
}

/* The same semaphore by two names, beside one of this process alone, and in a queue after others.
 */
static void what_is_imported_is_the_same_semaphore(void **state)
{
    struct fixture *fixture = *state;
    cl_semaphore_khr semaphore = make(fixture);
    cl_int result;
    cl_semaphore_khr again = import(fixture, export(fixture, semaphore), &result);
    CHECK(result);
    const cl_semaphore_properties_khr usual[] = {CL_SEMAPHORE_TYPE_KHR,
                                                 CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr own = f.clCreateSemaphoreWithPropertiesKHR(fixture->context, usual, &result);
    CHECK(result);
    cl_command_queue other =
        clCreateCommandQueueWithProperties(fixture->context, fixture->device, NULL, &result);
    cl_event gate = clCreateUserEvent(fixture->context, &result);
    cl_event waited;
    const cl_semaphore_khr both[] = {own, again};
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 2, both, NULL, 1, &gate, &waited));
    CHECK(clFlush(other));
    CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    pause_a_little();
    assert_int_equal(payload(again), 1); /* not before the rest has come */
    CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &own, NULL, 0, NULL, NULL));
    CHECK(clFinish(fixture->queue));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &waited));
    assert_int_equal(payload(semaphore), 0);
    assert_int_equal(payload(own), 0);
    CHECK(clReleaseEvent(waited));
    CHECK(clReleaseEvent(gate));
    /* A wait whose list has failed does not take the signal. */
    gate = clCreateUserEvent(fixture->context, &result);
    CHECK(f.clEnqueueSignalSemaphoresKHR(fixture->queue, 1, &semaphore, NULL, 0, NULL, NULL));
    CHECK(f.clEnqueueWaitSemaphoresKHR(other, 1, &again, NULL, 1, &gate, &waited));
    CHECK(clFinish(fixture->queue));
    CHECK(clSetUserEventStatus(gate, -5));
    assert_int_equal(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(payload(semaphore), 1);
    CHECK(clReleaseEvent(waited));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseCommandQueue(other));
    CHECK(f.clReleaseSemaphoreKHR(own));
    CHECK(f.clReleaseSemaphoreKHR(again));
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
}

static cl_int refused(const struct fixture *fixture, const cl_semaphore_properties_khr *properties)
{
    cl_int result;
    assert_null(f.clCreateSemaphoreWithPropertiesKHR(fixture->context, properties, &result));
    return result;
}

static void wrong_handles_are_refused(void **state)
{
    struct fixture *fixture = *state;
#define BINARY CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR
    const cl_semaphore_properties_khr several[] = {BINARY,
                                                   CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                   CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                   CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                   0,
                                                   0};
    const cl_semaphore_properties_khr other[] = {BINARY, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                 CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, 0};
    const cl_semaphore_properties_khr both[] = {
        BINARY, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        0,      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,    0,
        0};
    const cl_semaphore_properties_khr twice[] = {
        BINARY, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, 0};
    const cl_semaphore_properties_khr sync[] = {BINARY, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, 0};
    assert_int_equal(refused(fixture, several), CL_INVALID_VALUE);
    assert_int_equal(refused(fixture, other), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture, both), CL_INVALID_OPERATION);
    assert_int_equal(refused(fixture, twice), CL_INVALID_PROPERTY);
    assert_int_equal(refused(fixture, sync), CL_INVALID_DEVICE);
    /* What is none of ours stays the program's. */
    const int file = memfd_create("something", MFD_CLOEXEC);
    const int wrong[] = {-1, 12345, file};
    const off_t since = said_so_far();
    for (size_t i = 0; i < 3; i++) {
        cl_int result;
        assert_null(import(fixture, wrong[i], &result));
        assert_int_equal(result, CL_INVALID_PROPERTY);
    }
    assert_true(were_said(since, "descriptor 12345 is of no semaphore of the reference device"));
    assert_int_equal(close(file), 0);
    cl_semaphore_khr semaphore = make(fixture);
    int handle = -7;
    char small[2];
    size_t size = 0;
    cl_bool is_exportable = CL_FALSE;
    cl_external_semaphore_handle_type_khr type = 0;
    assert_int_equal(f.clGetSemaphoreHandleForTypeKHR(semaphore, fixture->device,
                                                      CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                      sizeof handle, &handle, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(f.clGetSemaphoreHandleForTypeKHR(semaphore, fixture->device,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof small, small, NULL),
                     CL_INVALID_VALUE);
    CHECK(f.clGetSemaphoreHandleForTypeKHR(semaphore, fixture->device,
                                           CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0, NULL, &size));
    assert_int_equal(size, sizeof(int));
    assert_int_equal(handle, -7);
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_EXPORTABLE_KHR, sizeof is_exportable,
                                  &is_exportable, NULL));
    assert_int_equal(is_exportable, CL_TRUE);
    CHECK(f.clGetSemaphoreInfoKHR(semaphore, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof type,
                                  &type, &size));
    assert_int_equal(size, sizeof type);
    assert_int_equal(type, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    CHECK(f.clReleaseSemaphoreKHR(semaphore));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_handles_are_refused),
        cmocka_unit_test(what_is_imported_is_the_same_semaphore),
        cmocka_unit_test(a_descriptor_keeps_a_wait_waiting),
        cmocka_unit_test(processes_take_turns),
        cmocka_unit_test(a_wait_says_so_when_the_other_process_has_ended),
    };
    const struct CMUnitTest turns[] = {cmocka_unit_test(take_turns)};
    const struct CMUnitTest ends[] = {cmocka_unit_test(ends_without_a_signal)};
    self = argv[0];
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    if (argc == 3 && dup2(atoi(argv[2]), STDIN_FILENO) == STDIN_FILENO) {
        close(atoi(argv[2]));
        return strcmp(argv[1], "take_turns") == 0
                   ? cmocka_run_group_tests(turns, setup, fixture_teardown)
                   : cmocka_run_group_tests(ends, setup, fixture_teardown);
    }
    const int standard_error = dup(STDERR_FILENO);
    words = memfd_create("words", MFD_CLOEXEC);
    dup2(words, STDERR_FILENO);
    const int result =
        cmocka_run_group_tests_name("icd_semaphore_processes", tests, setup, fixture_teardown);
    show_words(standard_error);
    return result;
}
