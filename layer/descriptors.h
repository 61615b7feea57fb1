/* What file descriptors of the process stand for: whether one is still what it was when it was
 * marked, in the shapes of host_descriptor_find and host_descriptor_mark (checkers/host/host.h). */
#ifndef LAYER_DESCRIPTORS_H
#define LAYER_DESCRIPTORS_H

#include "checkers/host/host.h"

host_descriptor_find descriptors_find;
host_descriptor_mark descriptors_mark;

#endif
