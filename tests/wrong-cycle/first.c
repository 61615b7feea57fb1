#include "tests/wrong-cycle/circle.h"

int circle_first(int steps)
{
    return steps > 0 ? circle_second(steps - 1) : 0;
}
