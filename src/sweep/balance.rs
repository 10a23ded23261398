//! Divides runs into tasks of about equal cost.

use super::manifest::TaskSize;
use super::seeds::MAX_TASKS;

/// The runs of each task by their indices, in ascending order. The longest runs are dealt first, each to the task that has least to do so
/// far; of equals the first is taken, so equal costs always give equal tasks.
pub fn balance(costs: &[f64], size: TaskSize) -> Vec<Vec<usize>> {
    let n_tasks = n_tasks(costs, size);
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|a, b| costs[*b].total_cmp(&costs[*a]).then(a.cmp(b)));
    let mut tasks: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); n_tasks];
    for run in order {
        let (cost, runs) = tasks.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is at least one task");
        *cost += costs[run];
        runs.push(run);
    }
    tasks.into_iter().map(|(_, mut runs)| (runs.sort_unstable(), runs).1).filter(|runs| !runs.is_empty()).collect()
}

fn n_tasks(costs: &[f64], size: TaskSize) -> usize {
    let wanted = match size {
        TaskSize::Seconds(seconds) => (costs.iter().sum::<f64>() / seconds).ceil() as usize,
        TaskSize::Tasks(tasks) => tasks as usize,
    };
    wanted.clamp(1, costs.len().clamp(1, MAX_TASKS as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(costs: &[f64], size: TaskSize, expect: &[&[usize]]) {
        assert_eq!(balance(costs, size), expect);
    }

    #[test]
    fn long_runs_are_dealt_first() {
        check(&[1.0, 1.0, 4.0, 2.0], TaskSize::Tasks(2), &[&[2], &[0, 1, 3]]);
        check(&[3.0, 3.0, 3.0, 3.0], TaskSize::Tasks(2), &[&[0, 2], &[1, 3]]);
        check(&[5.0, 1.0], TaskSize::Tasks(7), &[&[0], &[1]]);
    }

    #[test]
    fn tasks_have_the_wanted_time() {
        check(&[100.0; 6], TaskSize::Seconds(300.0), &[&[0, 2, 4], &[1, 3, 5]]);
        check(&[100.0; 2], TaskSize::Seconds(1.0), &[&[0], &[1]]);
        check(&[0.1; 3], TaskSize::Seconds(600.0), &[&[0, 1, 2]]);
        assert_eq!(balance(&[10.0; 5_000], TaskSize::Seconds(1.0)).len(), 1_000);
    }

    proptest::proptest! {
        #[test]
        fn every_run_has_one_task(costs in proptest::collection::vec(0.01..100.0f64, 1..50), tasks in 1u32..20) {
            let mut dealt: Vec<usize> = balance(&costs, TaskSize::Tasks(tasks)).concat();
            dealt.sort_unstable();
            assert_eq!(dealt, (0..costs.len()).collect::<Vec<_>>());
        }
    }
}
