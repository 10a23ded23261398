//! What a node does differently from others: how it makes its messages, how often it sends, when it is there and when it acts.

use crate::units::{Duration, VirtualTime};

/// One node's habits; the default is everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Habit {
    /// Whether it makes each message for its receiver, and when; otherwise it broadcasts one model.
    pub crafts: Option<CraftTime>,
    /// Broadcasts between two consecutive searches, evenly spaced.
    pub n_between: u32,
    pub never_leaves: bool,
    /// It is absent until this moment, and joins then for the first time; otherwise churn says who is there at the start.
    pub first_join: Option<VirtualTime>,
    /// When it acts in its own way, if not always.
    pub windows: Option<Windows>,
    /// Whether peer samplers of others prefer it.
    pub is_favored: bool,
}

/// The moment whose state a crafted message knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CraftTime {
    Send,
    Delivery,
}

/// How a node behaves in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// In its own way: most nodes honestly, attackers as such.
    Own,
    /// As ever, but it sends nothing.
    Silent,
    /// Like an honest node, whatever it is.
    Honest,
}

/// Periods of `on` and `off` in turn, the first of them beginning at `first`; before that it is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    pub first: Duration,
    pub on: Duration,
    pub off: Duration,
    /// While it is off.
    pub meanwhile: Conduct,
}

impl Habit {
    pub fn conduct(&self, now: VirtualTime) -> Conduct {
        match self.windows {
            Some(windows) if !windows.are_open(now) => windows.meanwhile,
            _ => Conduct::Own,
        }
    }
}

impl Windows {
    /// A window holds its first moment and not its last.
    fn are_open(&self, now: VirtualTime) -> bool {
        let period = self.on.ns().saturating_add(self.off.ns()).max(1);
        now.0.checked_sub(self.first.ns()).is_some_and(|since| since % period < self.on.ns())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_open_and_close() {
        let ns = Duration::from_ns;
        let windows = Windows { first: ns(10), on: ns(2), off: ns(3), meanwhile: Conduct::Silent };
        let habit = Habit { windows: Some(windows), ..Habit::default() };
        let open: Vec<u64> = (0..25).filter(|&at| habit.conduct(VirtualTime(at)) == Conduct::Own).collect();
        assert_eq!(open, [10, 11, 15, 16, 20, 21]);
        assert_eq!(habit.conduct(VirtualTime(12)), Conduct::Silent);
        assert_eq!(Habit::default().conduct(VirtualTime(12)), Conduct::Own);
    }
}
