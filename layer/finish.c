/* The end of a program that ends normally: after its atexit handlers and, as the library was
 * loaded last, after most destructors of other libraries. The spool's own destructor has a lower
 * priority and comes later. */
#include "layer/session.h"

__attribute__((destructor)) static void finish(void)
{
    session_finish();
}
