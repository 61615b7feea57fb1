/* What OpenGL says of its objects, in the shape of a host_gl_ask (checkers/host/host.h). */
#ifndef LAYER_GL_H
#define LAYER_GL_H

#include "checkers/host/host.h"

host_gl_ask gl_ask;

#endif
