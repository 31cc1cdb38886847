// zlib's own header.
#pragma once

#include <zlib.h>
