//! What the tests of several algorithms share.

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): the same cases in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }
}

/// Computes hashes as a worker does: at most `most` lanes at a time, and one more lane at each
/// boundary, so that lanes are at different places. Each hash comes with the work until the next one
/// joins.
pub(crate) fn serve<H, L>(
    hashes: &[(H, u64)],
    most: usize,
    start: impl Fn(&H) -> L,
    remaining: impl Fn(&L) -> u64,
    advance: impl Fn(&mut [&mut L], u64),
    mut finish: impl FnMut(&H, L),
) {
    let mut waiting = hashes.iter();
    let mut active: Vec<(&H, L)> = Vec::new();
    loop {
        let next = if active.len() < most { waiting.next() } else { None };
        let until_the_next = next.map(|(hash, work)| {
            active.push((hash, start(hash)));
            *work
        });
        let Some(least) = active.iter().map(|(_, lane)| remaining(lane)).min() else { return };
        let work = until_the_next.unwrap_or(least).min(least);
        let mut lanes: Vec<_> = active.iter_mut().map(|(_, lane)| lane).collect();
        advance(&mut lanes, work);
        for (hash, lane) in active.extract_if(.., |(_, lane)| remaining(lane) == 0) {
            finish(hash, lane);
        }
    }
}
