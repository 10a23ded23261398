//! Shows the progress of a sweep: a bar on a terminal, elsewhere a plain line every 30 seconds and at every tenth of the way, or a JSON object
//! for every run that is over.

use crate::cli::print::tell;
use crate::cli::run::ProgressStyle;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use rankguard::sweep::SweepProgress;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const WHOLE: u64 = 10_000;
const PAUSE: Duration = Duration::from_secs(30);

pub enum Display {
    Bar {
        bar: ProgressBar,
        begun: Instant,
    },
    Plain {
        begun: Instant,
        last: Mutex<Line>,
    },
    /// How many runs were over when the last line was printed.
    Json {
        over: Mutex<Option<usize>>,
    },
    Nothing,
}

/// When the last line was printed, and how many tenths were done then.
pub struct Line {
    at: Instant,
    tenths: Option<u32>,
}

impl Display {
    pub fn new(name: &str, style: ProgressStyle, quiet: bool) -> Self {
        let begun = Instant::now();
        match style {
            _ if quiet => Display::Nothing,
            ProgressStyle::None => Display::Nothing,
            ProgressStyle::Json => Display::Json { over: Mutex::new(None) },
            ProgressStyle::Auto if !std::io::stderr().is_terminal() => Self::plain(begun),
            ProgressStyle::Plain => Self::plain(begun),
            ProgressStyle::Auto | ProgressStyle::Bar => {
                let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
                let template = format!("{name} {{bar:24}} {{percent:>3}} %  {{elapsed}}  {{msg}}");
                bar.set_style(BarStyle::with_template(&template).expect("the template is right"));
                bar.enable_steady_tick(Duration::from_secs(1));
                Display::Bar { bar, begun }
            }
        }
    }

    fn plain(begun: Instant) -> Self {
        Display::Plain { begun, last: Mutex::new(Line { at: begun, tenths: None }) }
    }

    pub fn show(&self, progress: &SweepProgress) {
        match self {
            Display::Bar { bar, begun } => {
                bar.set_message(message(progress, begun.elapsed()));
                bar.set_position((share(progress) * WHOLE as f64) as u64);
            }
            Display::Plain { begun, last } => {
                let mut last = last.lock().expect("nothing panics here");
                let tenths = (share(progress) * 10.0) as u32;
                // What was done before is known only after the first look, so the first line waits for it.
                let is_due = last.at.elapsed() >= PAUSE || last.tenths.is_some_and(|before| tenths > before);
                last.tenths.get_or_insert(tenths);
                if is_due {
                    *last = Line { at: Instant::now(), tenths: Some(tenths) };
                    tell(&format!("{:>3.0} %  {}", 100.0 * share(progress), message(progress, begun.elapsed())));
                }
            }
            Display::Json { over } => {
                let (mut before, now) = (over.lock().expect("nothing panics here"), progress.before + progress.done + progress.failed);
                if before.replace(now) != Some(now) {
                    tell(&data(progress).to_string());
                }
            }
            Display::Nothing => {}
        }
    }

    pub fn clear(&self) {
        if let Display::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

fn data(progress: &SweepProgress) -> Value {
    let SweepProgress { of, before, done, failed, elsewhere, running, .. } = *progress;
    let runs = json!({ "all": of, "done_before": before, "done": done, "failed": failed, "elsewhere": elsewhere, "running": running });
    json!({ "event": "sweep", "done": share(progress), "runs": runs })
}

/// The share of all runs that is over, one way or another.
fn share(progress: &SweepProgress) -> f64 {
    let SweepProgress { of, before, done, failed, elsewhere, under_way, .. } = *progress;
    ((before + done + failed + elsewhere) as f64 + under_way) / of.max(1) as f64
}

fn message(progress: &SweepProgress, elapsed: Duration) -> String {
    let SweepProgress { of, before, done, failed, running, .. } = *progress;
    let failed = if failed > 0 { format!("  {failed} failed") } else { String::new() };
    let left = left(progress, elapsed).map_or(String::new(), |left| format!("  about {left} left"));
    format!("{} of {of} runs done  {running} running{failed}{left}", before + done)
}

/// The remaining time, if the runs to come take as long as those of this process did.
fn left(progress: &SweepProgress, elapsed: Duration) -> Option<String> {
    let SweepProgress { of, before, done, failed, elsewhere, under_way, .. } = *progress;
    let over = (done + failed) as f64 + under_way;
    let to_come = of.saturating_sub(before + elsewhere) as f64 - over;
    let seconds = elapsed.as_secs_f64() / over * to_come.max(0.0);
    match seconds {
        _ if over < 1e-3 => None,
        seconds if seconds < 120.0 => Some(format!("{seconds:.0} s")),
        seconds if seconds < 7200.0 => Some(format!("{:.0} min", seconds / 60.0)),
        seconds => Some(format!("{:.1} h", seconds / 3600.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(progress: SweepProgress, share_of: f64, expect: &str) {
        assert_eq!((share(&progress), message(&progress, Duration::from_secs(60)).as_str()), (share_of, expect));
    }

    #[test]
    fn what_is_left_follows_from_what_was_done_now() {
        let some = SweepProgress { of: 100, before: 40, done: 10, running: 2, ..SweepProgress::default() };
        check(some, 0.5, "50 of 100 runs done  2 running  about 5 min left");
        check(SweepProgress { failed: 5, under_way: 0.0, ..some }, 0.55, "50 of 100 runs done  2 running  5 failed  about 3 min left");
        check(SweepProgress { elsewhere: 50, running: 0, ..some }, 1.0, "50 of 100 runs done  0 running  about 0 s left");
        check(SweepProgress { of: 10, running: 2, ..SweepProgress::default() }, 0.0, "0 of 10 runs done  2 running");
    }
}
