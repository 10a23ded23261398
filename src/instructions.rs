//! The instruction set that kernels run on. It decides how many lanes are computed at once, never a bit of a result.
//!
//! `kernel!` compiles a function several times, once per set, and each call takes the version for the set in
//! use: by default the best one that the processor has. Tests choose a smaller one with [`Instructions::use_at_most`], and users with the
//! environment variable `RANKGUARD_INSTRUCTIONS`.

use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that names the largest set to use: `baseline`, `avx2` or `avx512`.
pub const VARIABLE: &str = "RANKGUARD_INSTRUCTIONS";

/// A set of instructions. A larger one includes the smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Instructions {
    /// What every processor of the target has: SSE2 or NEON.
    Baseline,
    /// 256 bits at once.
    Avx2,
    /// 512 bits at once.
    Avx512,
}

/// Numbers that travel together between memory and cache.
pub(crate) const LINE: usize = 64 / size_of::<f32>();

/// The set in use plus 1, or 0 before the first call.
static IN_USE: AtomicU8 = AtomicU8::new(0);

impl Instructions {
    /// All sets, the smallest first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// The best set that this processor has.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if is_x86_feature_detected!("avx2") {
                return if has_512 { Self::Avx512 } else { Self::Avx2 };
            }
        }
        Self::Baseline
    }

    /// The set that kernels use.
    #[inline]
    pub fn in_use() -> Self {
        match IN_USE.load(Ordering::Relaxed) {
            1 => Self::Baseline,
            2 => Self::Avx2,
            3 => Self::Avx512,
            _ => Self::named().unwrap_or(Self::Avx512).use_at_most(),
        }
    }

    /// Lets kernels use this set from now on, or the best one that the processor has if that is smaller. Returns the set in use.
    ///
    /// This holds for the whole process. It may be called at any time, because results do not depend on it.
    pub fn use_at_most(self) -> Self {
        let set = self.min(Self::best());
        IN_USE.store(set as u8 + 1, Ordering::Relaxed);
        set
    }

    /// The name of the set, as the environment variable takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The set that the environment variable names.
    fn named() -> Option<Self> {
        let name = std::env::var(VARIABLE).ok()?;
        Self::ALL.into_iter().find(|set| set.name() == name)
    }
}

/// Asks the processor to fetch the memory around `values[i]`, or around the last value if `i` is beyond it, for a caller that will read it
/// soon. Nothing depends on it but time.
#[inline(always)]
#[allow(unsafe_code, reason = "the instruction takes an address")]
pub(crate) fn prefetch(values: &[f32], i: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = values.as_ptr().wrapping_add(i.min(values.len().saturating_sub(1)));
        // SAFETY: the instruction is a hint. It changes no memory, and no address makes it fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, i);
}

/// Compiles functions for every instruction set. Their bodies are plain safe Rust; whatever they call must be `#[inline(always)]` to be
/// compiled along with them. A body after `=> avx2` takes the place of the plain one on sets that have AVX2, where the compiler makes too little
/// of the plain one, and a body after `=> avx512` that of both on AVX-512; they must give the same bits.
macro_rules! kernel {
    (@body $plain:expr;;) => { $plain };
    (@body $plain:expr; $by_hand:block;) => { $by_hand };
    (@body $plain:expr; $($smaller:block)?; $by_hand:block) => { $by_hand };
    ($(
        $(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
        $(=> avx2 $avx2:block)?
        $(=> avx512 $avx512:block)?
    )+) => {$(
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments, reason = "a kernel takes slices, which no struct should hold")]
        #[allow(unsafe_code, reason = "calls a function of the same body, compiled for more instructions")]
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, reason = "as above")]
            fn body($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                #[allow(clippy::too_many_arguments, reason = "as above")]
                fn avx2($($argument: $type),*) $(-> $result)? {
                    $crate::instructions::kernel!(@body body($($argument),*); $($avx2)?;)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                #[allow(clippy::too_many_arguments, reason = "as above")]
                fn avx512($($argument: $type),*) $(-> $result)? {
                    $crate::instructions::kernel!(@body body($($argument),*); $($avx2)?; $($avx512)?)
                }
                match $crate::instructions::Instructions::in_use() {
                    // SAFETY: the set in use is never larger than the best one that the processor was found to have.
                    $crate::instructions::Instructions::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    $crate::instructions::Instructions::Avx2 => return unsafe { avx2($($argument),*) },
                    $crate::instructions::Instructions::Baseline => {}
                }
            }
            body($($argument),*)
        }
    )+};
}
pub(crate) use kernel;

#[cfg(test)]
mod tests {
    use super::*;

    kernel! {
        fn sum(values: &[f32], start: f32) -> f32 {
            values.iter().fold(start, |sum, value| sum + value)
        }
    }

    #[test]
    fn every_set_computes_the_same() {
        let values: Vec<f32> = (0..100).map(|i| 1.0 / (i as f32 + 0.3)).collect();
        let want = values.iter().fold(0.1, |sum, value| sum + value);
        for set in Instructions::ALL {
            assert!(set.use_at_most() <= Instructions::best());
            assert_eq!(sum(&values, 0.1), want, "{set:?}");
        }
        // Other tests choose sets too, so only the answer is looked at.
        assert_eq!(Instructions::Avx512.use_at_most(), Instructions::best());
    }
}
