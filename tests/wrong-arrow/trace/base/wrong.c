/* Not a part of clerk: an arrow that tests/architecture.cmake must refuse. */
#include "layer/session.h"
