/* A shared object to code that can be called. */
#ifndef REFERENCE_NATIVE_LOAD_H
#define REFERENCE_NATIVE_LOAD_H

#include "reference/vm/native.h"
#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Loads what native_generate's text was compiled to. It is never unloaded. */
enum status native_load(const uint8_t *bytes, size_t size, vm_native_run **run,
                        struct error *error);

#endif
