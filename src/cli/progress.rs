//! Progress on a terminal, or in a log.

use super::{ProgressStyle, RunArgs};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use rankguard::run::Progress;
use rankguard::scenario::Scenario;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Bar positions: progress is a share, whatever the run counts in.
const WHOLE: u64 = 10_000;

/// A plain line at least this often, and at every tenth of the way.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

pub enum Display {
    Bar {
        bar: ProgressBar,
        begun: Instant,
    },
    /// When the last line was printed, and how many tenths were done.
    Plain {
        begun: Instant,
        last: Mutex<(Instant, u32)>,
    },
    Nothing,
}

impl Display {
    pub fn new(args: &RunArgs, scenario: &Scenario) -> Self {
        let style = match args.progress {
            _ if args.quiet => ProgressStyle::None,
            ProgressStyle::Auto if std::io::stderr().is_terminal() => ProgressStyle::Bar,
            ProgressStyle::Auto => ProgressStyle::Plain,
            chosen => chosen,
        };
        let begun = Instant::now();
        match style {
            ProgressStyle::Bar => {
                let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
                let template = format!("{} {{bar:24}} {{percent:>3}} %  {{msg}}  {{eta}} left", scenario.name);
                bar.set_style(BarStyle::with_template(&template).expect("the template is right"));
                Display::Bar { bar, begun }
            }
            ProgressStyle::Plain => Display::Plain { begun, last: Mutex::new((begun, 0)) },
            ProgressStyle::None | ProgressStyle::Auto => Display::Nothing,
        }
    }

    pub fn show(&self, progress: &Progress) {
        match self {
            Display::Bar { bar, begun } => {
                bar.set_message(message(progress, begun.elapsed()));
                bar.set_position((progress.done * WHOLE as f64) as u64);
            }
            Display::Plain { begun, last } => {
                let mut last = last.lock().expect("nothing panics here");
                let tenths = (progress.done * 10.0) as u32;
                if tenths > last.1 || last.0.elapsed() >= PLAIN_EVERY {
                    *last = (Instant::now(), tenths);
                    let elapsed = begun.elapsed();
                    let left = elapsed.mul_f64((1.0 / progress.done.max(1e-6) - 1.0).clamp(0.0, 1e9));
                    eprintln!("{:>3.0} %  {}  about {:.0} s left", 100.0 * progress.done, message(progress, elapsed), left.as_secs_f64());
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

fn message(progress: &Progress, elapsed: Duration) -> String {
    let rate = progress.n_events as f64 / elapsed.as_secs_f64().max(1e-9);
    let ndcg = progress.ndcg.map_or(String::new(), |ndcg| format!("  nDCG {ndcg:.3}"));
    format!("{}  {} searches  {rate:.0} events/s{ndcg}", progress.now, progress.n_searches)
}
