//! Shows progress on a terminal, in a log, or to another program.

mod curve;
mod lines;

use super::print::tell;
use super::run::{ProgressStyle, Showing};
use curve::Curve;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use lines::Lines;
use rankguard::run::{Progress, Stage};
use rankguard::scenario::Scenario;
use rankguard::units::{Extent, count, counted};
use std::io::IsTerminal;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The positions of the bar; progress is a share of the run.
const WHOLE: u64 = 10_000;

/// The first pause between two plain lines. A line is printed at every tenth of the way, and after a pause that doubles from line to line.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub enum Display {
    Bar { bar: ProgressBar, begun: OnceLock<Begun>, curve: Mutex<Curve> },
    Plain { begun: OnceLock<Begun>, last: Mutex<Line> },
    Json { lines: Mutex<Lines>, stop: Extent },
    Nothing,
}

/// Where this process began: a run that was interrupted has come some way before.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    at: Instant,
    done: f64,
    n_events: u64,
}

impl Begun {
    fn with(progress: &Progress) -> Self {
        Self { at: Instant::now(), done: progress.done, n_events: progress.n_events }
    }
}

/// When the last line was printed, how many tenths were done then, and when the next one is due.
pub struct Line {
    at: Instant,
    tenths: u32,
    pause: Duration,
}

impl Display {
    pub fn new(show: Showing, scenario: &Scenario) -> Self {
        let style = match show.progress {
            _ if show.quiet => ProgressStyle::None,
            ProgressStyle::Auto if std::io::stderr().is_terminal() => ProgressStyle::Bar,
            ProgressStyle::Auto => ProgressStyle::Plain,
            chosen => chosen,
        };
        match style {
            ProgressStyle::Bar => {
                let bar = ProgressBar::with_draw_target(Some(WHOLE), ProgressDrawTarget::stderr());
                let template = format!("{} {{bar:24}} {{percent:>3}} %  {{elapsed}}  {{msg}}  {{eta}} left", scenario.name);
                bar.set_style(BarStyle::with_template(&template).expect("the template is right"));
                // One long turn reports nothing, but the time on the bar still runs.
                bar.enable_steady_tick(Duration::from_secs(1));
                Display::Bar { bar, begun: OnceLock::new(), curve: Mutex::default() }
            }
            ProgressStyle::Plain => {
                let last = Line { at: Instant::now(), tenths: 0, pause: FIRST_PAUSE };
                Display::Plain { begun: OnceLock::new(), last: Mutex::new(last) }
            }
            ProgressStyle::Json => Display::Json { lines: Mutex::default(), stop: scenario.stop },
            ProgressStyle::None | ProgressStyle::Auto => Display::Nothing,
        }
    }

    pub fn show(&self, progress: &Progress) {
        match self {
            Display::Bar { bar, begun, curve } => {
                let mut curve = curve.lock().expect("nothing panics here");
                curve.add(progress.evaluation);
                bar.set_message(message(progress, begun.get_or_init(|| Begun::with(progress)), &curve.draw()));
                bar.set_position((progress.done * WHOLE as f64) as u64);
            }
            Display::Plain { begun, last } => {
                let begun = begun.get_or_init(|| Begun::with(progress));
                let mut last = last.lock().expect("nothing panics here");
                let (tenths, is_due) = ((progress.done * 10.0) as u32, last.at.elapsed() >= last.pause);
                if tenths > last.tenths || is_due {
                    let pause = if is_due { (2 * last.pause).min(LONGEST_PAUSE) } else { last.pause };
                    *last = Line { at: Instant::now(), tenths, pause };
                    tell(&line(progress, begun));
                }
            }
            Display::Json { lines, stop } => lines.lock().expect("nothing panics here").add(progress, *stop),
            Display::Nothing => {}
        }
    }

    /// Ends the display, whether the run came to its end or not.
    pub fn end(&self, is_finished: bool) {
        match self {
            Display::Bar { bar, .. } => bar.finish_and_clear(),
            Display::Json { lines, .. } => lines.lock().expect("nothing panics here").end(is_finished),
            Display::Plain { .. } | Display::Nothing => {}
        }
    }
}

fn line(progress: &Progress, begun: &Begun) -> String {
    let left = match progress.done - begun.done {
        done if done < 1e-3 => String::new(),
        done => format!("  about {:.0} s left", begun.at.elapsed().as_secs_f64() * ((1.0 - progress.done) / done).max(0.0)),
    };
    format!("{:>3.0} %  {}{left}", 100.0 * progress.done, message(progress, begun, ""))
}

fn message(progress: &Progress, begun: &Begun, curve: &str) -> String {
    let elapsed = begun.at.elapsed().as_secs_f64();
    // At its beginning a speed means nothing.
    let rate = if elapsed < 1e-3 { 0.0 } else { (progress.n_events - begun.n_events) as f64 / elapsed };
    let curve = if curve.is_empty() { String::new() } else { format!(" {curve}") };
    let ndcg = progress.evaluation.map_or(String::new(), |last| format!("  nDCG {:.3}{curve}", last.ndcg));
    let stage = match progress.stage {
        Stage::Window => String::new(),
        Stage::Turns { done, of } => format!("  {} of {}", count(done), counted(of, "turn")),
        Stage::Queries { done, of } => format!("  evaluated on {} of {}", count(done), counted(of, "query")),
    };
    format!("{}  {}  {rate:.0} events/s{ndcg}{stage}", progress.now, counted(progress.n_searches, "search"))
}
