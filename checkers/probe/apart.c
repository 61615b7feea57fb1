#include "checkers/probe/apart.h"

bool apart_holds(const struct apart *apart, const struct apart_launch *launch, bool is_local)
{
    (void)launch, (void)is_local;
    return apart->is_known && apart->form_count == 0;
}
