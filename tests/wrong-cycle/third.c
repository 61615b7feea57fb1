#include "tests/wrong-cycle/circle.h"

int circle_third(int steps)
{
    return steps > 0 ? circle_first(steps - 1) : 0;
}
