#include "layer/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OWN_SIZE = 512 << 10 };

void room_init(struct room *room)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    *room = (struct room){.low = 0, .size = UINTPTR_MAX};
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
        *room = (struct room){.low = (uintptr_t)low, .size = size};
    pthread_attr_destroy(&attributes);
}

void room_release(struct room *room)
{
    if (room->own)
        munmap(room->own, OWN_SIZE);
    room->own = NULL;
}

/* The lowest page is for nobody. */
static char *make_stack(void)
{
    void *pages = mmap(NULL, OWN_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    mprotect(pages, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    return pages;
}

/* Its frame is found by the frame pointer, so unwinders pass from one stack to the other. */
void room_switch(void *top, void (*function)(void *user), void *user)
    __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl room_switch\n"
        ".hidden room_switch\n"
        ".type room_switch, @function\n"
        "room_switch:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    mov %rdi, %rsp\n"
        "    mov %rdx, %rdi\n"
        "    call *%rsi\n"
        "    mov %rbp, %rsp\n"
        "    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size room_switch, . - room_switch\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl room_switch\n"
        ".hidden room_switch\n"
        ".type room_switch, %function\n"
        "room_switch:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register x29\n"
        "    mov sp, x0\n"
        "    mov x0, x2\n"
        "    blr x1\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa sp, 16\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size room_switch, . - room_switch\n");
#else
#error "the way to another stack is written for x86-64 and AArch64"
#endif

void room_call(struct room *room, void (*function)(void *user), void *user)
{
    if (!room->own && !room->used)
        room->own = make_stack();
    if (room->used || !room->own) {
        function(user);
        return;
    }
    room->used = true;
    room_switch(room->own + OWN_SIZE, function, user);
    room->used = false;
}

bool room_is_switch(uintptr_t address)
{
    enum { MOST = 64 }; /* bytes of it */
    return address - (uintptr_t)room_switch < MOST;
}

static bool is_on_stack(const struct room *room, const void *frame)
{
    return room->low != 0 && (uintptr_t)frame - room->low < room->size;
}

/* A handler's own stack may be a part of the thread's. */
static bool is_on_handlers_stack(void)
{
    stack_t stack;
    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) != 0;
}

bool room_was_left(const struct room *room, const void *inner, const void *here)
{
    return is_on_stack(room, inner) && is_on_stack(room, here) &&
           (uintptr_t)here >= (uintptr_t)inner && !is_on_handlers_stack();
}
