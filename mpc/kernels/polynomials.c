/* Numbers in fixed point, in units of 2^-62, from -2^62 to 2^62. */

#include "vectors.h"

#define UNIT_BITS 62

typedef int64_t whole;

/* floor(a·b / 2^62), in the same time for all numbers */
static inline ALWAYS whole scaled(whole a, whole b)
{
    return (whole)((__int128)a * b >> UNIT_BITS);
}

/* out: the scaled products of n pairs. */
void scaled_product(const whole *a, const whole *b, whole *restrict out, size n)
{
    for (size k = 0; k < n; k++)
        out[k] = scaled(a[k], b[k]);
}

/* out: for each of n numbers the polynomial in its row, at x. Rows have `terms` coefficients, that
   of the highest power last. */
void polynomials(const whole *coefficients, const whole *rows, const whole *x, whole *restrict out,
    size terms, size n)
{
    for (size k = 0; k < n; k++) {
        const whole *own = coefficients + rows[k] * terms;
        whole value = own[terms - 1];
        for (size power = terms - 1; power-- > 0;)
            value = scaled(value, x[k]) + own[power];
        out[k] = value;
    }
}
