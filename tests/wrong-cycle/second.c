#include "tests/wrong-cycle/circle.h"

int circle_second(int steps)
{
    return steps > 0 ? circle_third(steps - 1) : 0;
}
