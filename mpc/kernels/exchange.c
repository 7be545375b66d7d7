/* Products with an opened comparison, and the exchange of two positions that it decides.

   c = e xor λ is the comparison; e is an element's bit of the plane, xor the sign of its word. With
   the opened z = y + r and dealt shares of λ and of λ·r,
   c·y = e·y + (1 - 2e)·(λ·z - λ·r). */

#include "vectors.h"

/* (1 - 2e)·x is x xor -e, plus e */
static inline ALWAYS word chosen(word e, word y, word z, word bit, word product)
{
    word every_bit = -e;
    return ((bit * z - product) ^ every_bit) + e + (every_bit & y);
}

/* out: a share of c·y for each of n elements. */
void choose(const word *plane, const word *signed_words, const word *z, const word *y,
    const word *bit, const word *product, word *restrict out, size m, size n)
{
    for (size row = 0; row * m < n; row++) {
        size first = row * m, stop = n - first < m ? n : first + m;
        for (size k = first; k < stop; k++) {
            word e = (plane[k - first] >> row & 1) ^ signed_words[k] >> 63;
            out[k] = chosen(e, y[k], z[k], bit[k], product[k]);
        }
    }
}

/* out: upper - lower, of rows that begin `stride` numbers after each other. */
#define SUBTRACT(name, number)                                                                 \
    void name(const number *upper, const number *lower, number *restrict out, size rows,       \
        size run, size stride)                                                                 \
    {                                                                                          \
        for (; rows > 0; rows--, upper += stride, lower += stride, out += run)                 \
            for (size c = 0; c < run; c++)                                                     \
                out[c] = upper[c] - lower[c];                                                  \
    }

SUBTRACT(subtract, word)
SUBTRACT(subtract_halves, half)

/* larger: upper - c·y, and smaller: lower + c·y, for y = upper - lower. The positions lie in rows
   that begin `stride` words after each other; the first one belongs to the element `first` of the
   block. What is written may be what is read. */
void exchange(const word *plane, const word *signed_words, const word *z, const word *bit,
    const word *product, const word *upper, const word *lower, word *larger, word *smaller,
    size m, size first, size rows, size run, size stride)
{
    size row = first / m, column = first % m, k = first;
    for (; rows > 0; rows--) {
        for (size c = 0; c < run;) {
            size stop = run - c < m - column ? run : c + m - column;
#pragma GCC ivdep
            for (size i = c; i < stop; i++) {
                size l = k + i - c;
                word e = (plane[column + i - c] >> row & 1) ^ signed_words[l] >> 63;
                word y = upper[i] - lower[i], t = chosen(e, y, z[l], bit[l], product[l]);
                word high = upper[i] - t, low = lower[i] + t;
                larger[i] = high;
                smaller[i] = low;
            }
            k += stop - c;
            column += stop - c;
            c = stop;
            if (column == m) {
                column = 0;
                row++;
            }
        }
        upper += stride, lower += stride, larger += stride, smaller += stride;
    }
}

/* The same mod 2^32, with a number e for each element: 0 or 1. */
void exchange_halves(const half *e, const half *z, const half *bit, const half *product,
    const half *upper, const half *lower, half *larger, half *smaller, size rows, size run,
    size stride)
{
    for (; rows > 0; rows--) {
#pragma GCC ivdep
        for (size c = 0; c < run; c++) {
            half every_bit = -e[c], y = upper[c] - lower[c];
            half t = ((bit[c] * z[c] - product[c]) ^ every_bit) + e[c] + (every_bit & y);
            half high = upper[c] - t, low = lower[c] + t;
            larger[c] = high;
            smaller[c] = low;
        }
        e += run, z += run, bit += run, product += run;
        upper += stride, lower += stride, larger += stride, smaller += stride;
    }
}
