/* Three files that call each other in a circle, which tests/cycles.cmake must find. */
#ifndef TESTS_WRONG_CYCLE_CIRCLE_H
#define TESTS_WRONG_CYCLE_CIRCLE_H

int circle_first(int steps);
int circle_second(int steps);
int circle_third(int steps);

#endif
