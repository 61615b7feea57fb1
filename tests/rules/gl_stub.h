/* An OpenGL of the program's own, for those over the stub driver: a few objects by their names. It
 * is found as a driver's would be: by the name of its functions. */
#ifndef TESTS_RULES_GL_STUB_H
#define TESTS_RULES_GL_STUB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GL_EXPORT __attribute__((visibility("default")))

/* A texture whose faces differ. */
enum { GL_STUB_CUBE = 2 };

/* What is 0 is not there. */
static struct gl_stub {
    void *context;       /* current */
    const char *version; /* NULL: the context was lost */
    int64_t buffer_sizes[4];
    int texture_widths[4], renderbuffer_widths[4];
    unsigned errors; /* calls that OpenGL would refuse */
} gl_stub = {.context = &gl_stub,
             .version = "4.6 (stub)",
             .buffer_sizes = {0, 64, 64},
             .texture_widths = {0, 8, 8},
             .renderbuffer_widths = {0, 8}};

GL_EXPORT void *eglGetCurrentContext(void);
/* A variable, as programs have them for what they load themselves: nobody is to call it. */
GL_EXPORT extern void *(*glXGetCurrentContext)(void);
GL_EXPORT unsigned char glIsBuffer(unsigned name);
GL_EXPORT unsigned char glIsTexture(unsigned name);
GL_EXPORT unsigned char glIsRenderbuffer(unsigned name);
GL_EXPORT const char *glGetString(unsigned name);
GL_EXPORT void glGetNamedBufferParameteri64v(unsigned name, unsigned what, int64_t *value);
GL_EXPORT void glGetTextureLevelParameteriv(unsigned name, int level, unsigned what, int *value);
GL_EXPORT void glGetNamedRenderbufferParameteriv(unsigned name, unsigned what, int *value);

void *(*glXGetCurrentContext)(void);

void *eglGetCurrentContext(void)
{
    return gl_stub.context;
}

/* Without a current context a call leads nowhere; one that was lost says 0 to everything. */
static bool gl_stub_answers(void)
{
    if (!gl_stub.context)
        abort();
    return gl_stub.version != NULL;
}

unsigned char glIsBuffer(unsigned name)
{
    return gl_stub_answers() && gl_stub.buffer_sizes[name] != 0;
}

unsigned char glIsTexture(unsigned name)
{
    return gl_stub_answers() && gl_stub.texture_widths[name] != 0;
}

unsigned char glIsRenderbuffer(unsigned name)
{
    return gl_stub_answers() && gl_stub.renderbuffer_widths[name] != 0;
}

const char *glGetString(unsigned name)
{
    enum { GL_VERSION = 0x1F02 };
    return gl_stub_answers() && name == GL_VERSION ? gl_stub.version : NULL;
}

/* Since OpenGL 4.5. */
static void gl_stub_need_names(void)
{
    if (!gl_stub_answers() || strncmp(gl_stub.version, "4.6", 3) != 0)
        gl_stub.errors++;
}

void glGetNamedBufferParameteri64v(unsigned name, unsigned what, int64_t *value)
{
    enum { GL_BUFFER_SIZE = 0x8764 };
    gl_stub_need_names();
    if (what == GL_BUFFER_SIZE)
        *value = gl_stub.buffer_sizes[name];
}

void glGetTextureLevelParameteriv(unsigned name, int level, unsigned what, int *value)
{
    enum { GL_TEXTURE_WIDTH = 0x1000 };
    gl_stub_need_names();
    if (name == GL_STUB_CUBE)
        gl_stub.errors++;
    *value = what == GL_TEXTURE_WIDTH ? gl_stub.texture_widths[name] >> level : 1;
}

void glGetNamedRenderbufferParameteriv(unsigned name, unsigned what, int *value)
{
    enum { GL_RENDERBUFFER_WIDTH = 0x8D42 };
    gl_stub_need_names();
    *value = what == GL_RENDERBUFFER_WIDTH ? gl_stub.renderbuffer_widths[name] : 1;
}

#endif
