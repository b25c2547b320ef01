//! The system calls that a script may make; every other one is unknown to it (`ENOSYS`).

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

/// Calls without conditions: memory, time, open files, waiting, what the process is.
const ALLOWED: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_capget,
    libc::SYS_chdir,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_fchdir,
    libc::SYS_fdatasync,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getitimer,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mkdirat,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_sigaltstack,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_umask,
    libc::SYS_uname,
    libc::SYS_wait4,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Older calls, which only this architecture has.
#[cfg(target_arch = "x86_64")]
const OLDER: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_getpgrp,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[c_long] = &[];

/// What may be done to an open file: copies, flags and locks, and not that a signal is sent for it.
const FCNTL: [i32; 8] = [
    libc::F_DUPFD,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_DUPFD_CLOEXEC,
];
/// What may be asked of a terminal or a pipe.
const IOCTL: [u64; 6] = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451];
/// The name of a thread.
const PRCTL: [i32; 2] = [libc::PR_SET_NAME, libc::PR_GET_NAME];
/// A file without a name, which no look into the scratch folder finds.
const UNNAMED_FILE: u64 = 0o20_000_000;
/// Namespaces of its own, where a script of the superuser might be one.
const NAMESPACES: u64 = 0x7e02_0080;

/// The filter of the process with this number.
///
/// # Errors
/// The architecture is none that is known.
pub(super) fn filter(process: u32) -> Result<BpfProgram, String> {
    let told = |error: seccompiler::BackendError| format!("seccomp: {error}");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(told)?;
    let rules = rules(u64::from(process)).map_err(told)?;
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(rules, unknown, SeccompAction::Allow, arch).map_err(told)?;
    filter.try_into().map_err(told)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(process: u64) -> Result<Rules, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq};
    let mut rules: Rules = ALLOWED.iter().chain(OLDER).map(|call| (*call, Vec::new())).collect();
    let one = |words: &[(u8, SeccompCmpOp, u64)]| {
        let conditions = words.iter().map(|(argument, op, value)| {
            let length =
                if *value == 0 && *argument == 2 { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
            SeccompCondition::new(*argument, length, op.clone(), *value)
        });
        SeccompRule::new(conditions.collect::<Result<_, _>>()?)
    };
    let any = |argument: u8, values: &mut dyn Iterator<Item = u64>| {
        values.map(|value| one(&[(argument, Eq, value)])).collect::<Result<Vec<_>, _>>()
    };
    rules.insert(libc::SYS_fcntl, any(1, &mut FCNTL.iter().map(|word| *word as u64))?);
    rules.insert(libc::SYS_ioctl, any(1, &mut IOCTL.iter().copied())?);
    rules.insert(libc::SYS_prctl, any(0, &mut PRCTL.iter().map(|word| *word as u64))?);
    // Threads, and no process.
    let thread = libc::CLONE_THREAD as u64;
    rules.insert(libc::SYS_clone, vec![one(&[(0, MaskedEq(thread | NAMESPACES), thread)])?]);
    // Signals to itself alone.
    rules.insert(libc::SYS_kill, vec![one(&[(0, Eq, process)])?]);
    rules.insert(libc::SYS_tgkill, vec![one(&[(0, Eq, process)])?]);
    // Its limits may be asked for, and not changed.
    rules.insert(libc::SYS_prlimit64, vec![one(&[(0, Eq, 0), (2, Eq, 0)])?]);
    rules.insert(libc::SYS_openat, vec![one(&[(2, MaskedEq(UNNAMED_FILE), 0)])?]);
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_open, vec![one(&[(1, MaskedEq(UNNAMED_FILE), 0)])?]);
        rules.insert(libc::SYS_getrlimit, Vec::new());
    }
    Ok(rules)
}
