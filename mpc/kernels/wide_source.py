"""What is compiled for processors that work on 64 bytes at once, and have AES for so many.

All functions are compiled a second time for these processors, and one exists for them only: the
keystream of AES-128 in counter mode, as `cryptography` gives it elsewhere. It has no table and no
branch that a key or a word decides, so its time does not tell them.
"""

from __future__ import annotations

from ppaurora.mpc.kernels.prelude import named

WIDE_BEGIN = """\
#if defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 9)

#include <cpuid.h>
#include <immintrin.h>

#undef EXPORTED
#define EXPORTED __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,aes,vaes")))

/* found: 1 where the processor and the system have all of these, else 0 */
void wide_processor(word *found)
{
    unsigned a, b, c = 0, d;
    *found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("aes") && __get_cpuid_count(7, 0, &a, &b, &c, &d)
        && (c >> 9 & 1);
}
"""

WIDE_END = """\
#endif
"""

KEYSTREAM = """\
/* the next of the eleven round keys [FIPS 197, 5.2] */
static inline ALWAYS EXPORTED __m128i ${NAME}_next(__m128i key, __m128i assist)
{
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, _mm_shuffle_epi32(assist, 0xff));
}

#define ROUND(i, constant) \\
    round = ${NAME}_next(round, _mm_aeskeygenassist_si128(round, constant)); \\
    keys[i] = _mm512_broadcast_i32x4(round)

static inline ALWAYS EXPORTED void ${NAME}_expand(__m512i *keys, const unsigned char *key)
{
    __m128i round = _mm_loadu_si128((const __m128i *)key);
    keys[0] = _mm512_broadcast_i32x4(round);
    ROUND(1, 0x01); ROUND(2, 0x02); ROUND(3, 0x04); ROUND(4, 0x08); ROUND(5, 0x10);
    ROUND(6, 0x20); ROUND(7, 0x40); ROUND(8, 0x80); ROUND(9, 0x1b); ROUND(10, 0x36);
}

/* the words of so many times four blocks; *counters, which holds four numbers, goes on */
static inline ALWAYS EXPORTED void ${NAME}_blocks(const __m512i *keys, __m512i *counters,
    __m512i *words, int fours)
{
    const __m512i big_endian = _mm512_broadcast_i32x4(
        _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
    const __m512i four = _mm512_broadcast_i32x4(_mm_set_epi64x(4, 0));
    for (int i = 0; i < fours; i++) {
        words[i] = _mm512_xor_si512(_mm512_shuffle_epi8(*counters, big_endian), keys[0]);
        *counters = _mm512_add_epi64(*counters, four);
    }
    for (int round = 1; round < 10; round++)
        for (int i = 0; i < fours; i++)
            words[i] = _mm512_aesenc_epi128(words[i], keys[round]);
    for (int i = 0; i < fours; i++)
        words[i] = _mm512_aesenclast_epi128(words[i], keys[10]);
}

static inline ALWAYS EXPORTED __m512i ${NAME}_combined(int how, __m512i words, __m512i stream)
{
    switch (how) {
    case 1: return _mm512_xor_si512(words, stream);
    case 2: return _mm512_add_epi64(words, stream);
    case 3: return _mm512_sub_epi64(words, stream);
    default: return stream;
    }
}

/* the words of `out` in `lanes`, of the next four blocks */
static inline ALWAYS EXPORTED void ${NAME}_few(const __m512i *keys, __m512i *counters,
    const word *words, word *out, unsigned lanes, int how)
{
    __m512i stream;
    ${NAME}_blocks(keys, counters, &stream, 1);
    __m512i given = how ? _mm512_maskz_loadu_epi64(lanes, words) : stream;
    _mm512_mask_storeu_epi64(out, lanes, ${NAME}_combined(how, given, stream));
}

static inline ALWAYS unsigned ${NAME}_lanes(size count)
{
    return count < LANES ? (1u << count) - 1 : (1u << LANES) - 1;
}

static inline ALWAYS EXPORTED void ${NAME}_all(const unsigned char *key, word first,
    const word *words, word *out, size count, int how)
{
    __m512i keys[11], stream[8];
    word block = first / 2;
    __m512i counters = _mm512_set_epi64(block + 3, 0, block + 2, 0, block + 1, 0, block, 0);
    size c = 0;
    ${NAME}_expand(keys, key);
    if (first & 1) {
        unsigned behind = ${NAME}_lanes(count + 1) & ~1u;
        ${NAME}_few(keys, &counters, words - 1, out - 1, behind, how);
        c = LANES - 1;
    }
    for (; c + 8 * LANES <= count; c += 8 * LANES) {
        ${NAME}_blocks(keys, &counters, stream, 8);
        for (int i = 0; i < 8; i++) {
            size at = c + i * LANES;
            __m512i given = how ? _mm512_loadu_si512(words + at) : stream[i];
            _mm512_storeu_si512(out + at, ${NAME}_combined(how, given, stream[i]));
        }
    }
    for (; c < count; c += LANES)
        ${NAME}_few(keys, &counters, words + c, out + c, ${NAME}_lanes(count - c), how);
}

/* out: count words of the keystream from word number `first` on (how 0); or the given words xor
   (1), plus (2), or minus (3) those */
EXPORTED void $NAME(const unsigned char *key, word first, const word *words, word *out,
    size count, int how)
{
    switch (how) {
    case 0: ${NAME}_all(key, first, words, out, count, 0); break;
    case 1: ${NAME}_all(key, first, words, out, count, 1); break;
    case 2: ${NAME}_all(key, first, words, out, count, 2); break;
    case 3: ${NAME}_all(key, first, words, out, count, 3); break;
    }
}
"""
KEYSTREAM_NAME = named("keystream", KEYSTREAM)
