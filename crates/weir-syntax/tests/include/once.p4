#pragma once
#include "guarded.p4"
const int once = 1;
