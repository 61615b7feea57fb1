/* Not a part of clerk: see tests/wrong-arrow/trace/base/wrong.c. */
#ifndef TESTS_WRONG_ARROW_LAYER_SESSION_H
#define TESTS_WRONG_ARROW_LAYER_SESSION_H
#endif
