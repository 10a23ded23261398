//! How much memory and disk space this program may still use, and the machine's processor. The answer is `None` where nobody tells; then no
//! run is refused for it.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of memory that a program could still get: the least of what the system and the program's control group have left, and of what its
/// SLURM job was given.
pub fn available_memory() -> Option<u64> {
    let given = memory_of_job(|name| std::env::var(name).ok());
    available_memory_below(Path::new("/")).into_iter().chain(given).min()
}

/// Bytes that are free on the disk of a folder. The folder need not exist yet.
#[cfg(unix)]
pub fn free_disk(folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let statistics = folder.ancestors().find_map(|folder| nix::sys::statvfs::statvfs(folder).ok())?;
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "these types differ between systems")]
    Some((statistics.blocks_available() as u64).saturating_mul(statistics.fragment_size() as u64))
}

/// Bytes that are free on the disk of a folder; unknown on this system.
#[cfg(not(unix))]
pub fn free_disk(_: &Path) -> Option<u64> {
    None
}

/// The name of the processor.
pub fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, name) = text.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(name.trim().into())
}

/// The memory that SLURM gave to this job on this machine, which it may hold without a control group. SLURM counts in MB of 2^20 bytes, and
/// 0 means all memory of the machine.
fn memory_of_job(variable: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |name: &str| variable(name)?.trim().parse::<u64>().ok().filter(|number| *number > 0);
    // The tasks of a job share the machine's cores and memory; each counts with its own.
    let cores = || number("SLURM_CPUS_PER_TASK").or_else(|| number("SLURM_CPUS_ON_NODE")).unwrap_or(1);
    let of_cores = || number("SLURM_MEM_PER_CPU").map(|megabytes| megabytes.saturating_mul(cores()));
    number("SLURM_MEM_PER_NODE").or_else(of_cores).map(|megabytes| megabytes.saturating_mul(1 << 20))
}

/// The memory of the system and of control groups, for a system whose `proc` and `sys` are below `root`.
fn available_memory_below(root: &Path) -> Option<u64> {
    let system = field(&fs::read_to_string(root.join("proc/meminfo")).ok()?, "MemAvailable:").map(|kilobytes| kilobytes * 1024);
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().filter_map(|line| group_folder(root, line)).filter_map(|folder| left_in_groups(root, &folder));
    groups.chain(system).min()
}

/// The folder of a control group that limits memory, from a line such as `0::/user` (version 2) or `4:memory:/user` (version 1).
fn group_folder(root: &Path, line: &str) -> Option<PathBuf> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let below = match controllers {
        "" => "sys/fs/cgroup",
        _ if controllers.split(',').any(|controller| controller == "memory") => "sys/fs/cgroup/memory",
        _ => return None,
    };
    Some(root.join(below).join(path.trim_start_matches('/')))
}

/// Bytes left in a group and all groups around it, which limit it too. In a container some of them cannot be seen.
fn left_in_groups(root: &Path, folder: &Path) -> Option<u64> {
    folder.ancestors().take_while(|folder| *folder != root.join("sys/fs")).filter_map(left_in_group).min()
}

/// The limit of a group less the memory that is really in use: cached files make room when memory is asked for.
fn left_in_group(folder: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let limit = read("memory.max").or_else(|| read("memory.limit_in_bytes"))?.trim().parse::<u64>().ok()?;
    let statistics = read("memory.stat").unwrap_or_default();
    let used = field(&statistics, "anon").or_else(|| field(&statistics, "total_rss")).unwrap_or(0);
    Some(limit.saturating_sub(used))
}

/// The number after a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut words = text.lines().map(str::split_ascii_whitespace).find(|words| words.clone().next() == Some(name))?;
    words.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    8000 kB\n");

    #[track_caller]
    fn check(files: &[(&str, &str)], expect: Option<u64>) {
        let root = tempfile::tempdir().expect("a folder");
        for (name, content) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("inside")).and_then(|()| fs::write(path, content)).expect("a file");
        }
        assert_eq!(available_memory_below(root.path()), expect);
    }

    #[test]
    fn the_system_says_what_is_available() {
        check(&[MEMINFO], Some(8_192_000));
        check(&[("proc/meminfo", "MemTotal: 9000 kB\n")], None);
        check(&[], None);
    }

    #[test]
    fn control_groups_of_both_versions_take_their_share() {
        let version_2 = ("proc/self/cgroup", "0::/user/job\n");
        check(&[MEMINFO, version_2], Some(8_192_000));
        check(&[MEMINFO, version_2, ("sys/fs/cgroup/user/job/memory.max", "max\n")], Some(8_192_000));
        check(&[MEMINFO, version_2, ("sys/fs/cgroup/user/job/memory.max", "5000\n")], Some(5_000));
        check(
            &[MEMINFO, version_2, ("sys/fs/cgroup/user/memory.max", "4000"), ("sys/fs/cgroup/user/memory.stat", "anon 1000\nfile 3\n")],
            Some(3_000),
        );
        // Inside of a container the group's own folder is the root of what is seen.
        check(&[MEMINFO, version_2, ("sys/fs/cgroup/memory.max", "6000")], Some(6_000));
        let version_1 = ("proc/self/cgroup", "9:cpu:/\n4:memory:/job\n0::/\n");
        check(&[MEMINFO, version_1, ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000")], Some(7_000));
        check(&[MEMINFO, version_1, ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712")], Some(8_192_000));
    }

    #[test]
    fn a_slurm_job_has_what_it_was_given() {
        let check = |variables: &[(&str, &str)], megabytes: Option<u64>| {
            let value = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.to_string());
            assert_eq!(memory_of_job(value), megabytes.map(|megabytes| megabytes << 20), "{variables:?}");
        };
        let (node, cpu) = (("SLURM_MEM_PER_NODE", "4096"), ("SLURM_MEM_PER_CPU", "1000"));
        check(&[], None);
        check(&[node], Some(4096));
        check(&[node, cpu], Some(4096));
        check(&[("SLURM_MEM_PER_NODE", "0")], None);
        check(&[("SLURM_MEM_PER_NODE", "much")], None);
        check(&[cpu], Some(1000));
        check(&[cpu, ("SLURM_CPUS_ON_NODE", "8")], Some(8000));
        check(&[cpu, ("SLURM_CPUS_ON_NODE", "8"), ("SLURM_CPUS_PER_TASK", "2")], Some(2000));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory_and_a_disk() {
        assert!(available_memory().is_some_and(|bytes| bytes > 1_000_000));
        assert!(free_disk(Path::new("no/such/folder")).is_some());
        assert!(processor().is_none_or(|name| !name.is_empty()));
    }
}
