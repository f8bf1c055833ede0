#include <pthread.h>

#include "inject.h"

static int dead;

int rg_is_dead(void) { return dead; }

static void in_child(void) { dead = 1; }

void rg_watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }
