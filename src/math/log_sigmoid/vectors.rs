//! Differences of log σ with instructions of AVX2 and AVX-512: the same operations on the same values as in the plain function, so the same
//! bits. Several registers of values go through each step together, because each step waits for the one before it. What the compiler makes of
//! the plain function takes 1.4 times as long on a Zen 5.

use super::{ARTANH, EXPM1, ROUND};
use std::f64::consts::{LN_2, LOG2_E};

/// Writes the functions for one size of registers: `wide` holds f64, `narrow` as many f32. The names are those of its instructions.
macro_rules! vectors {
    (
        $(#[$attribute:meta])* $module:ident: $features:literal, $lanes:literal lanes, $together:literal registers together,
        $wide:ident, $narrow:ident, [$set1:ident, $add:ident, $sub:ident, $mul:ident, $min:ident, $and:ident, $andnot:ident, $or:ident],
        [$widen:ident, $round:ident, $divide:ident, $set1_narrow:ident],
        [$as_whole:ident, $of_whole:ident, $shift:ident, $add_whole:ident, $set1_whole:ident]
    ) => {
        $(#[$attribute])*
        pub mod $module {
            use super::*;
            use std::arch::x86_64::*;

            /// The number of registers in a block.
            const TOGETHER: usize = $together;
            /// The number of values in a block.
            const BLOCK: usize = TOGETHER * $lanes;
            type Wide = [$wide; TOGETHER];

            /// `out[p] = log σ(a_scale · a[p]) − log σ(b_scale · b[p])`.
            #[target_feature(enable = $features)]
            pub fn differences(a: &[f32], a_scale: f64, b: &[f32], b_scale: f64, out: &mut [f64]) {
                let ((a, a_rest), (b, b_rest), (out, out_rest)) = (a.as_chunks(), b.as_chunks(), out.as_chunks_mut());
                for ((a, b), out) in a.iter().zip(b).zip(out) {
                    *out = block(a, a_scale, b, b_scale);
                }
                let (mut a, mut b) = ([0.0; BLOCK], [0.0; BLOCK]);
                a[..a_rest.len()].copy_from_slice(a_rest);
                b[..b_rest.len()].copy_from_slice(b_rest);
                out_rest.copy_from_slice(&block(&a, a_scale, &b, b_scale)[..out_rest.len()]);
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn block(a: &[f32; BLOCK], a_scale: f64, b: &[f32; BLOCK], b_scale: f64) -> [f64; BLOCK] {
                let (a, b) = (scaled(a, a_scale), scaled(b, b_scale));
                let z = half_ratios(a, b);
                let artanh = polynomial(ARTANH, each(|i| $mul(z[i], z[i])));
                let negative = |x| $min(x, $set1(0.0));
                bytemuck::cast(each(|i| $add($sub(negative(a[i]), negative(b[i])), $mul($mul($set1(2.0), z[i]), artanh[i]))))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn scaled(values: &[f32; BLOCK], scale: f64) -> Wide {
                let values: [$narrow; TOGETHER] = bytemuck::cast(*values);
                each(|i| $mul($set1(scale), $widen(values[i])))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn half_ratios(a: Wide, b: Wide) -> Wide {
                let (a, b) = (each(|i| abs(a[i])), each(|i| abs(b[i])));
                let apart = each(|i| $sub(a[i], b[i]));
                let (p, scale) = exp_neg_parts(each(|i| $min(a[i], b[i])));
                let e = each(|i| $add(scale[i], $mul(scale[i], p[i])));
                let (p, scale) = exp_neg_parts(each(|i| abs(apart[i])));
                let u = each(|i| $add($mul(scale[i], p[i]), $sub(scale[i], $set1(1.0))));
                let reciprocals = reciprocals(each(|i| $add($set1(2.0), $mul(e[i], $add($set1(2.0), u[i])))));
                let sign = $set1(-0.0);
                each(|i| $or($andnot(sign, $mul($mul(e[i], u[i]), reciprocals[i])), $and(sign, apart[i])))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn exp_neg_parts(a: Wide) -> (Wide, Wide) {
                let a = each(|i| $min($set1(708.0), a[i]));
                let exponents = each(|i| $sub($set1(ROUND), $mul(a[i], $set1(LOG2_E))));
                let r = each(|i| $sub($mul($sub($set1(ROUND), exponents[i]), $set1(LN_2)), a[i]));
                let p = polynomial(EXPM1, r);
                let power = |exponent| $of_whole($add_whole($shift::<52>($as_whole(exponent)), $set1_whole(1023 << 52)));
                (each(|i| $mul(r[i], p[i])), each(|i| power(exponents[i])))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn reciprocals(x: Wide) -> Wide {
                let near = each(|i| $widen($divide($set1_narrow(1.0), $round(x[i]))));
                each(|i| $mul(near[i], $sub($set1(2.0), $mul(x[i], near[i]))))
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn polynomial<const N: usize>(coefficients: [f64; N], x: Wide) -> Wide {
                let mut values = [$set1(coefficients[N - 1]); TOGETHER];
                for c in coefficients[..N - 1].iter().rev() {
                    values = each(|i| $add($mul(values[i], x[i]), $set1(*c)));
                }
                values
            }

            #[target_feature(enable = $features)]
            #[inline]
            fn abs(x: $wide) -> $wide {
                $andnot($set1(-0.0), x)
            }

            #[inline(always)]
            fn each(value: impl Fn(usize) -> $wide) -> Wide {
                std::array::from_fn(value)
            }
        }
    };
}

vectors! {
    /// Four f64 at once.
    avx2: "avx2", 4 lanes, 8 registers together,
    __m256d, __m128,
    [_mm256_set1_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_min_pd, _mm256_and_pd, _mm256_andnot_pd, _mm256_or_pd],
    [_mm256_cvtps_pd, _mm256_cvtpd_ps, _mm_div_ps, _mm_set1_ps],
    [_mm256_castpd_si256, _mm256_castsi256_pd, _mm256_slli_epi64, _mm256_add_epi64, _mm256_set1_epi64x]
}

vectors! {
    /// Eight f64 at once.
    avx512: "avx512f,avx512bw,avx512dq,avx512vl", 8 lanes, 8 registers together,
    __m512d, __m256,
    [_mm512_set1_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_min_pd, _mm512_and_pd, _mm512_andnot_pd, _mm512_or_pd],
    [_mm512_cvtps_pd, _mm512_cvtpd_ps, _mm256_div_ps, _mm256_set1_ps],
    [_mm512_castpd_si512, _mm512_castsi512_pd, _mm512_slli_epi64, _mm512_add_epi64, _mm512_set1_epi64]
}
