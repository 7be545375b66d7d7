/* Products with an opened comparison, and the exchange of two positions that it decides.

   c = e xor λ is the comparison; e is an element's bit of the plane, xor the sign of its word. With
   the opened z = y + r and dealt shares of λ and of λ·r,
   c·y = e·y + (1 - 2e)·(λ·z - λ·r). */

#include "vectors.h"

/* the lowest bits of both numbers of a word */
#define LOWEST 0x0000000100000001u

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

/* out: upper - lower is added, of rows that begin `stride` numbers after each other. */
#define ADD_DIFFERENCE(name, number)                                                           \
    void name(const number *upper, const number *lower, number *restrict out, size rows,       \
        size run, size stride)                                                                 \
    {                                                                                          \
        for (; rows > 0; rows--, upper += stride, lower += stride, out += run)                 \
            for (size c = 0; c < run; c++)                                                     \
                out[c] += upper[c] - lower[c];                                                 \
    }

ADD_DIFFERENCE(add_difference, word)
ADD_DIFFERENCE(add_difference_of_halves, half)

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

#define AT_ONCE 512

/* out: bits e of `count` words of two numbers each, from the word `first` of the block on. */
static inline ALWAYS void bits_of_halves(const word *planes, const word *signed_words, word *out,
    size m, size first, size count)
{
    size row = first / m, column = first % m;
    for (size c = 0; c < count; row++, column = 0) {
        size stop = count - c < m - column ? count : c + m - column;
        for (size k = column - c; c < stop; c++) {
            word lower = planes[k + c] >> row & 1, upper = planes[m + k + c] >> row & 1;
            out[c] = (lower | upper << 32) ^ (signed_words[first + c] >> 31 & LOWEST);
        }
    }
}

/* out: these bits of n words, of which the lower numbers have theirs in the first plane and the
   upper ones in the second. */
void bits_and_signs_of_halves(const word *planes, const word *signed_words, word *restrict out,
    size m, size n)
{
    bits_of_halves(planes, signed_words, out, m, 0, n);
}

/* out: a share of c·y for each of n words, where c compares numbers mod 2^32. */
void choose_by_halves(const word *planes, const word *signed_words, const word *z, const word *y,
    const word *bit, const word *product, word *restrict out, size m, size n)
{
    word both[AT_ONCE];
    const half *e = (const half *)both;
    for (size k = 0; k < n; k += 2 * AT_ONCE) {
        const size count = n - k < 2 * AT_ONCE ? n - k : 2 * AT_ONCE;
        bits_of_halves(planes, signed_words, both, m, k / 2, (count + 1) / 2);
        for (size i = 0; i < count; i++)
            out[k + i] = chosen(e[i], y[k + i], z[k + i], bit[k + i], product[k + i]);
    }
}

/* The exchange mod 2^32, of two numbers a word. */
void exchange_halves(const word *planes, const word *signed_words, const half *z, const half *bit,
    const half *product, const half *upper, const half *lower, half *larger, half *smaller,
    size m, size first, size rows, size run, size stride)
{
    word both[AT_ONCE + 1];
    const half *e = (const half *)both;
    for (size k = first; rows > 0; rows--) {
        for (size c = 0; c < run; c += 2 * AT_ONCE) {
            const size count = run - c < 2 * AT_ONCE ? run - c : 2 * AT_ONCE, odd = k & 1;
            bits_of_halves(planes, signed_words, both, m, k / 2, (odd + count + 1) / 2);
#pragma GCC ivdep
            for (size i = 0; i < count; i++) {
                half one = e[odd + i], every_bit = -one, y = upper[c + i] - lower[c + i];
                half t = ((bit[k + i] * z[k + i] - product[k + i]) ^ every_bit) + one
                    + (every_bit & y);
                half high = upper[c + i] - t, low = lower[c + i] + t;
                larger[c + i] = high;
                smaller[c + i] = low;
            }
            k += count;
        }
        upper += stride, lower += stride, larger += stride, smaller += stride;
    }
}
