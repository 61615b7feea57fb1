/* A library that takes its time to be loaded: it calls each of its 4,096 functions by a slot of its
 * own, and another library might have a function of that name. It frees what it is given. */
#include <stdlib.h>

#define FOUR(each, name)                                                                           \
    each(name##0) each(name##1) each(name##2) each(name##3) /* its digits, in fours */
#define FOUR_2(each, name)                                                                         \
    FOUR(each, name##0) FOUR(each, name##1) FOUR(each, name##2) FOUR(each, name##3)
#define FOUR_3(each, name)                                                                         \
    FOUR_2(each, name##0) FOUR_2(each, name##1) FOUR_2(each, name##2) FOUR_2(each, name##3)
#define FOUR_4(each, name)                                                                         \
    FOUR_3(each, name##0) FOUR_3(each, name##1) FOUR_3(each, name##2) FOUR_3(each, name##3)
#define FOUR_5(each, name)                                                                         \
    FOUR_4(each, name##0) FOUR_4(each, name##1) FOUR_4(each, name##2) FOUR_4(each, name##3)
#define ALL(each)                                                                                  \
    FOUR_5(each, slot_0) FOUR_5(each, slot_1) FOUR_5(each, slot_2) FOUR_5(each, slot_3)

#define DEFINE(name)                                                                               \
    void name(void);                                                                               \
    void name(void)                                                                                \
    {                                                                                              \
    }
#define CALL(name) name();

ALL(DEFINE)

void free_there(void *block);
void free_there(void *block)
{
    free(block);
    ALL(CALL)
}
