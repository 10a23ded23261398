//! Numbers of tasks as job arrays write them: `1-3,7`.

use crate::error::{Error, Result};

/// Numbers in ascending order as job arrays write them: 1, 2, 3, 7 are `1-3,7`.
pub fn show_ids(numbers: &[u32]) -> String {
    let together = |one: &u32, next: &u32| one.checked_add(1) == Some(*next);
    let ranges = numbers.chunk_by(together).map(|range| match range {
        [.., last] if range.len() > 1 => format!("{}-{last}", range[0]),
        range => range[0].to_string(),
    });
    ranges.collect::<Vec<_>>().join(",")
}

/// The numbers that a text such as `1-3,7` means, in ascending order. None may be above `last`.
///
/// # Errors
/// The text is no list of numbers and ranges, or names a task that there is not.
pub fn parse_ids(text: &str, last: u32) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (Ok(from), Ok(to)) = (from.trim().parse::<u32>(), to.trim().parse::<u32>()) else {
            return Err(Error::input(format!("`{part}` is no number of a task; write numbers and ranges, such as 1-3,7")));
        };
        if from == 0 || from > to || to > last {
            return Err(Error::input(format!("`{part}`: the tasks are 1 to {last}; write numbers and ranges, such as 1-3,7")));
        }
        numbers.extend(from..=to);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[u32], text: &str) {
        assert_eq!(show_ids(numbers), text);
        assert_eq!(parse_ids(text, 99), Ok(numbers.to_vec()));
    }

    #[test]
    fn neighbours_become_ranges() {
        check(&[1], "1");
        check(&[1, 2], "1-2");
        check(&[1, 2, 3, 7], "1-3,7");
        check(&[2, 4, 6, 7, 8, 99], "2,4,6-8,99");
        assert_eq!(show_ids(&[]), "");
        assert_eq!(show_ids(&[u32::MAX]), "4294967295");
    }

    #[test]
    fn any_order_is_read() {
        assert_eq!(parse_ids("7, 2-3,3", 9), Ok(vec![2, 3, 7]));
    }

    #[test]
    fn what_names_no_task_is_refused() {
        for text in ["", "x", "1-", "1-3-5", "3-1", "0", "9-10", "1,,2", "4294967296"] {
            let error = parse_ids(text, 9).expect_err(text);
            assert!(error.to_string().contains("such as 1-3,7") && error.exit_code() == 2, "{error}");
        }
    }
}
