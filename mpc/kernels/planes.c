/* Transposes of bit matrices, and opened bits (mpc/bits.py has the layout of planes). */

#include "vectors.h"

static inline ALWAYS void transpose_rows(word *rows, size four, int unit, size m, size count)
{
    for (size group = 0; group < four; group++, rows += 4 * m) {
        vec moved[4];
        for (int row = 0; row < 4; row++)
            moved[row] = load(rows + row * m, count);
        transpose_four(moved, unit);
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

static inline ALWAYS void arrange_rows(const word *values, const word *masks, word *out,
    size groups, int unit, int first, int last, size m, size count)
{
    for (size group = 0; group < groups; group++) {
        vec moved[4];
        for (int row = 0; row < 4; row++)
            moved[row] = load(values + (4 * group + row) * m, count);
        transpose_four(moved, unit);
        for (int place = 0; place < 4; place++) {
            int wire = place < 3 ? first + place : last;
            size row = (wire * groups + group) * m;
            if (wire >= 0)
                store(out + row, moved[3 - place] ^ load(masks + row, count), count);
        }
    }
}

/* out: the four rows of each group, transposed by the digit whose unit is 4 or 16, xor masks: from
   the last row on, as the wires `first` to first + 2 and `last`, or as three if that is below 0. */
void arrange(const word *values, const word *masks, word *out, size groups, int unit, size m,
    int first, int last)
{
    if (unit == 4)
        FOR_EACH_VECTOR(m,
            arrange_rows(values + c, masks + c, out + c, groups, 4, first, last, m, count));
    else
        FOR_EACH_VECTOR(m,
            arrange_rows(values + c, masks + c, out + c, groups, 16, first, last, m, count));
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

/* out: the same for n <= 64 m words that hold two numbers each, of which the lower ones have their
   bits in the first plane and the upper ones in the second. */
void bits_and_signs_of_halves(const word *planes, const word *signed_words, word *restrict out,
    size m, size n)
{
    const word lowest = 0x0000000100000001u;
    for (size row = 0; row * m < n; row++) {
        size first = row * m, count = n - first < m ? n - first : m;
        for (size c = 0; c < count; c++) {
            word lower = planes[c] >> row & 1, upper = planes[m + c] >> row & 1;
            out[first + c] = (lower | upper << 32) ^ (signed_words[first + c] >> 31 & lowest);
        }
    }
}

/* A digest of the C files, from setup.py: a library of other files is not used. */
const word source_digest = SOURCE_DIGEST;
