/* Transposes of bit matrices, and opened bits (mpc/bits.py has the layout of planes). */

#include "vectors.h"

static inline ALWAYS void transpose_rows(word *rows, size four, int unit, size m, size count)
{
    for (size group = 0; group < four; group++, rows += 4 * m) {
        vec moved[4];
        for (int row = 0; row < 4; row++)
            moved[row] = load(rows + row * m, count);
        transpose_four(moved, 1, unit);
        for (int row = 0; row < 4; row++)
            store(rows + row * m, moved[row], count);
    }
}

/* In place: `four` times four rows of m words, by the digit whose unit is 4 or 16. */
void transpose(word *rows, size four, int unit, size m)
{
    if (unit == 4)
        FOR_EACH_VECTOR(m, transpose_rows(rows + c, four, 4, m, count));
    else
        FOR_EACH_VECTOR(m, transpose_rows(rows + c, four, 16, m, count));
}

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
