/* Two processes that take turns by semaphores (cl_khr_external_semaphore_opaque_fd). With "twice"
 * the other one imports a descriptor a second time, which belongs to the driver by then. Without
 * such semaphores the program ends with status 77. */
#include "tests/replay/program.h"
#include "tests/rules/functions.h"
#include "trace/api/foreign.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static struct setup setup;
static volatile cl_uint *page; /* of both processes: what orders its use are the semaphores */

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
    expect(sendmsg(socket, &message, 0) == 1, "the descriptor is sent");
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
    expect(recvmsg(socket, &message, 0) == 1, "a descriptor comes");
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static cl_semaphore_khr export(int socket)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                      CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      0 /* the end of that list */,
                                                      0};
    cl_int status;
    int descriptor;
    cl_semaphore_khr made =
        f.clCreateSemaphoreWithPropertiesKHR(setup.context, properties, &status);
    check(status, "clCreateSemaphoreWithPropertiesKHR");
    check(f.clGetSemaphoreHandleForTypeKHR(made, setup.device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                           sizeof descriptor, &descriptor, NULL),
          "clGetSemaphoreHandleForTypeKHR");
    send_descriptor(socket, descriptor);
    return made;
}

static cl_semaphore_khr import(int descriptor)
{
    const cl_semaphore_properties_khr properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        (cl_semaphore_properties_khr)descriptor, 0};
    cl_int status;
    cl_semaphore_khr made =
        f.clCreateSemaphoreWithPropertiesKHR(setup.context, properties, &status);
    check(status, "clCreateSemaphoreWithPropertiesKHR");
    return made;
}

static void signal_and_flush(cl_semaphore_khr semaphore)
{
    check(f.clEnqueueSignalSemaphoresKHR(setup.queue, 1, &semaphore, NULL, 0, NULL, NULL),
          "clEnqueueSignalSemaphoresKHR");
    check(clFlush(setup.queue), "clFlush");
}

static void wait_for(cl_semaphore_khr semaphore)
{
    check(f.clEnqueueWaitSemaphoresKHR(setup.queue, 1, &semaphore, NULL, 0, NULL, NULL),
          "clEnqueueWaitSemaphoresKHR");
    check(clFinish(setup.queue), "clFinish");
}

static void take_turns(cl_semaphore_khr there, cl_semaphore_khr here)
{
    for (cl_uint round = 0; round < ROUNDS; round++) {
        page[0] = round + 20;
        signal_and_flush(there);
        wait_for(here);
        expect(page[1] == 2 * (round + 20), "what the other process answered");
    }
}

static void answer(cl_semaphore_khr there, cl_semaphore_khr here)
{
    for (cl_uint round = 0; round < ROUNDS; round++) {
        wait_for(there);
        page[1] = 2 * page[0];
        signal_and_flush(here);
    }
}

int main(int argc, char **argv)
{
    int ends[2], status = 0;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    expect(page != MAP_FAILED && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "the means");
    const pid_t other = fork();
    const bool is_other = other == 0;
    const int socket = ends[is_other];
    close(ends[!is_other]);
    setup_open(&setup);
    find_functions(setup.platform);
    if (!f.clGetSemaphoreHandleForTypeKHR)
        return 77;
    const int descriptor = is_other ? receive_descriptor(socket) : -1;
    cl_semaphore_khr there = is_other ? import(descriptor) : export(socket);
    cl_semaphore_khr here = is_other ? import(receive_descriptor(socket)) : export(socket);
    (is_other ? answer : take_turns)(there, here);
    if (is_other && argc > 1 && strcmp(argv[1], "twice") == 0)
        check(f.clReleaseSemaphoreKHR(import(descriptor)), "clReleaseSemaphoreKHR");
    check(f.clReleaseSemaphoreKHR(there), "clReleaseSemaphoreKHR");
    check(f.clReleaseSemaphoreKHR(here), "clReleaseSemaphoreKHR");
    setup_close(&setup);
    if (!is_other)
        expect(waitpid(other, &status, 0) == other && status == 0, "the other process is right");
    return 0;
}
