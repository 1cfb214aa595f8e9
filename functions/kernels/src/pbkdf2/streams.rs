//! The chains of several lanes, interleaved word by word: a kernel loads them into vectors.

use zeroize::Zeroize;

use super::chain::Chain;

/// Row `i` of each field holds word `i` of all streams. Idle streams hold zeros; the kernel
/// computes them too.
#[repr(C, align(64))]
pub(super) struct Streams<W, const WORDS: usize, const STREAMS: usize> {
    pub(super) inner: [[W; STREAMS]; WORDS],
    pub(super) outer: [[W; STREAMS]; WORDS],
    pub(super) last: [[W; STREAMS]; WORDS],
    pub(super) sum: [[W; STREAMS]; WORDS],
    /// The digest of the inner hash: the input of the outer hash.
    pub(super) between: [[W; STREAMS]; WORDS],
}

impl<W: Zeroize, const WORDS: usize, const STREAMS: usize> Zeroize for Streams<W, WORDS, STREAMS> {
    fn zeroize(&mut self) {
        let Self { inner, outer, last, sum, between } = self;
        for words in [inner, outer, last, sum, between] {
            words.zeroize();
        }
    }
}

impl<W: Copy + Default + Zeroize, const WORDS: usize, const STREAMS: usize> Streams<W, WORDS, STREAMS> {
    /// Makes idle streams.
    pub(super) fn idle() -> Self {
        let idle = [[W::default(); STREAMS]; WORDS];
        Self { inner: idle, outer: idle, last: idle, sum: idle, between: idle }
    }

    /// Copies a chain to a stream.
    pub(super) fn put(&mut self, stream: usize, chain: &Chain<[W; WORDS]>) {
        for word in 0..WORDS {
            self.inner[word][stream] = chain.inner[word];
            self.outer[word][stream] = chain.outer[word];
            self.last[word][stream] = chain.last[word];
            self.sum[word][stream] = chain.sum[word];
        }
    }

    /// Copies the words that the kernel changed back to the chain.
    pub(super) fn take(&self, stream: usize, chain: &mut Chain<[W; WORDS]>) {
        for word in 0..WORDS {
            chain.last[word] = self.last[word][stream];
            chain.sum[word] = self.sum[word][stream];
        }
    }
}

/// Defines a safe function for a kernel that enables features. It checks them by the `available` in
/// scope.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! safe {
    ($name:ident, $word:ty, $words:literal, $iterate:path, $available:path) => {
        /// Does `steps` iterations of PBKDF2 on every stream.
        pub(super) fn $name<const STREAMS: usize>(
            streams: &mut $crate::pbkdf2::streams::Streams<$word, $words, STREAMS>,
            steps: u64,
        ) {
            assert!($available(), "the path was not asked whether it is available");
            // SAFETY: the line above asked the processor for every feature that the kernel enables.
            unsafe { $iterate(streams, steps) }
        }
    };
}

#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub(super) use safe;
