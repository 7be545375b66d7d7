/* Opened bits (mpc/bits.py has the layout of planes). */

#include "vectors.h"

/* out: for each of n <= 64 m elements its bit of the plane, xor the sign of its word. */
void bits_and_signs(const word *plane, const word *signed_words, word *restrict out, size m, size n)
{
    for (size row = 0; row * m < n; row++) {
        size first = row * m, count = n - first < m ? n - first : m;
        for (size c = 0; c < count; c++)
            out[first + c] = (plane[c] >> row & 1) ^ signed_words[first + c] >> 63;
    }
}

/* A digest of the C files, from setup.py: a library of other files is not used. */
const word source_digest = SOURCE_DIGEST;
