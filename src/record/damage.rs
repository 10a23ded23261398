//! Protects readers from damaged files. The Parquet library checks much of its input, but some bytes that no writer would write make it
//! panic.
//! Here such a panic becomes the error of a file that cannot be read.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Calls `read`, and returns a panic as a problem of the file. After such a panic nothing that `read` has touched may be used.
pub fn catch<T, E: ToString>(read: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    QUIET.call_once(be_quiet_while_reading);
    IS_READING.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    IS_READING.set(false);
    match read {
        Ok(read) => read.map_err(|problem| problem.to_string()),
        Err(_) => Err("it is damaged".into()),
    }
}

/// Suppresses the message of a panic that `catch` catches. All other panics are printed as before.
fn be_quiet_while_reading() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_READING.get() {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_problem_of_the_file() {
        assert_eq!(catch(|| Ok::<_, String>(3)), Ok(3));
        assert_eq!(catch(|| Err::<(), _>("it is short")), Err("it is short".into()));
        assert_eq!(catch(|| -> Result<(), String> { panic!("index out of bounds") }), Err("it is damaged".into()));
        assert!(!IS_READING.get());
    }
}
