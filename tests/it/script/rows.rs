//! What hostile scripts try, a row each: a name and the body of `attempt`, which returns only where it got out.

/// What a row comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It is refused, and goes on.
    Refused,
    /// It is stopped.
    Stopped,
}

use End::{Refused, Stopped};

/// Files that exist, none of which may be read. `$DIR` is the folder of the ledger, `$PARENT` the process of hence.
const FILES: [&str; 26] = [
    "/etc/passwd",
    "/etc/group",
    "/etc/hosts",
    "/proc/self/environ",
    "/proc/self/status",
    "/proc/self/maps",
    "/proc/self/mem",
    "/proc/self/fd",
    "/proc/1/cmdline",
    "/proc/1/environ",
    "/proc/$PARENT/environ",
    "/proc/$PARENT/mem",
    "/proc/$PARENT/maps",
    "/proc/$PARENT/fd",
    "/proc/$PARENT/root/etc/passwd",
    "/proc/$PARENT/cwd/hence.toml",
    "/proc/version",
    "/proc/cpuinfo",
    "/proc/sys/kernel/hostname",
    "/dev/tty",
    "/dev/ptmx",
    "/tmp",
    "/",
    "$DIR/hence.toml",
    "$DIR/.config/hence/keys/ada",
    "../../../../../../etc/passwd",
];

/// What is tried on files outside; `target` is one that the user may write, `inside` one in the scratch folder.
const WRITES: &[(&str, &str)] = &[
    ("write", "open(target, 'w').write('x')"),
    ("append", "open(target, 'a').write('x')"),
    ("update", "open(target, 'r+').write('x')"),
    ("truncate", "os.truncate(target, 0)"),
    ("remove", "os.remove(target)"),
    ("rename", "os.rename(target, target + '2')"),
    ("replace by a rename", "open('own', 'w').write('x'); os.replace('own', target)"),
    ("chmod", "os.chmod(target, 0o777)"),
    ("chown", "os.chown(target, 1, 1)"),
    ("utime", "os.utime(target, (1, 1))"),
    ("setxattr", "os.setxattr(target, 'user.x', b'x')"),
    ("new file beside", "open(target + '.new', 'w')"),
    ("new folder beside", "os.mkdir(target + '.new')"),
    ("new file in /tmp", "open('/tmp/hence-was-here', 'w')"),
    ("new file in /dev/shm", "open('/dev/shm/hence-was-here', 'w')"),
    ("new file in /var/tmp", "open('/var/tmp/hence-was-here', 'w')"),
    ("remove a folder", "os.rmdir(os.path.dirname(target))"),
    ("symbolic link out", "os.symlink(target, 'link'); open('link', 'w').write('x')"),
    ("symbolic link to be read", "os.symlink('/etc/passwd', 'link'); open('link').read()"),
    ("hard link out", "os.link(target, 'link'); open('link', 'w').write('x')"),
    (
        "folder file and ..",
        "d = os.open('.', os.O_RDONLY); os.open('../../../../etc/passwd', os.O_RDONLY, dir_fd=d)",
    ),
    ("script itself", "open(sys.argv[1], 'w').write('x')"),
    ("prelude", "open(sys.argv[0], 'w').write('x')"),
    ("beside the scratch folder", "open('../out', 'w').write('x')"),
    ("core of the kernel", "open('/proc/sys/kernel/core_pattern', 'w').write('x')"),
    ("own oom score", "open('/proc/self/oom_score_adj', 'w').write('-1000')"),
    ("fifo", "os.mkfifo('fifo')"),
    ("device", "os.mknod('device', 0o020666, os.makedev(1, 1))"),
    ("file without a name", "os.open('.', os.O_RDWR | os.O_TMPFILE)"),
    ("remove in scratch", "open('own', 'w').write('x'); os.remove('own')"),
    ("memory file", "os.memfd_create('x')"),
    ("chroot", "os.chroot('.')"),
];

/// What is tried on processes, signals, limits, time and the network.
const DEEDS: &[(&str, End, &str)] = &[
    ("fork", Refused, "os.fork()"),
    ("fork bomb", Refused, "while True: os.fork()"),
    ("spawn", Refused, "os.posix_spawn('/bin/sh', ['sh', '-c', 'id'], {})"),
    ("shell", Refused, "assert_not(os.system('echo x > /dev/null') != 0)"),
    ("subprocess", Refused, "load('subprocess').run(['/bin/sh', '-c', 'id'])"),
    ("multiprocessing", Refused, "load('multiprocessing').Process(target=print).start()"),
    ("become a shell", Refused, "os.execv('/bin/sh', ['sh', '-c', 'cat /etc/passwd'])"),
    ("become env", Refused, "os.execv('/usr/bin/env', ['env'])"),
    ("own session", Refused, "os.setsid()"),
    ("own group", Refused, "os.setpgid(0, 0)"),
    ("terminate the parent", Refused, "os.kill(os.getppid(), 15)"),
    ("kill the parent", Refused, "os.kill(os.getppid(), 9)"),
    ("ask for the parent", Refused, "os.kill(os.getppid(), 0)"),
    ("stop the parent", Refused, "os.kill(os.getppid(), 19)"),
    ("signal the first process", Refused, "os.kill(1, 15)"),
    ("signal everybody", Refused, "os.kill(-1, 15)"),
    ("signal the group", Refused, "os.kill(0, 15)"),
    ("signal the parent's group", Refused, "os.killpg(os.getpgid(os.getppid()), 15)"),
    ("signal by a file's owner", Refused, "load('fcntl').fcntl(0, 8, os.getppid())"),
    ("signal chosen for a file", Refused, "load('fcntl').fcntl(0, 10, 9)"),
    ("lease", Refused, "load('fcntl').fcntl(os.open('own', os.O_CREAT | os.O_RDONLY), 1024, 0)"),
    ("push input", Refused, "load('fcntl').ioctl(0, 0x5412, b'x')"),
    ("raise a limit", Refused, "r = load('resource'); r.setrlimit(r.RLIMIT_AS, (-1, -1))"),
    ("raise the processor limit", Refused, "r = load('resource'); r.setrlimit(r.RLIMIT_CPU, (-1, -1))"),
    ("limits of the parent", Refused, "r = load('resource'); r.prlimit(os.getppid(), r.RLIMIT_AS, (1, 1))"),
    ("nice", Refused, "os.setpriority(os.PRIO_PROCESS, 0, -20)"),
    ("real time", Refused, "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"),
    ("processors", Refused, "os.sched_setaffinity(0, {0})"),
    ("become somebody", Refused, "os.setuid(1)"),
    ("groups", Refused, "os.setgroups([0])"),
    ("set the clock", Refused, "load('time').clock_settime(0, 0)"),
    ("name of the host", Refused, "load('socket').sethostname('x')"),
    ("network", Refused, "load('socket').socket()"),
    ("datagrams", Refused, "s = load('socket'); s.socket(s.AF_INET, s.SOCK_DGRAM)"),
    ("network, version 6", Refused, "s = load('socket'); s.socket(s.AF_INET6)"),
    ("local socket", Refused, "s = load('socket'); s.socket(s.AF_UNIX)"),
    ("netlink", Refused, "s = load('socket'); s.socket(s.AF_NETLINK, s.SOCK_RAW)"),
    ("raw packets", Refused, "s = load('socket'); s.socket(s.AF_PACKET, s.SOCK_RAW)"),
    ("socket pair", Refused, "load('socket').socketpair()"),
    ("look a name up", Refused, "load('socket').getaddrinfo('localhost', 80)"),
    (
        "page of a library",
        Refused,
        "load('urllib.request').request.urlopen('http://127.0.0.1:80/', timeout=1)",
    ),
    ("page through hence", Refused, "http_get('http://127.0.0.1:80/')"),
    ("metadata of a cloud", Refused, "http_get('http://169.254.169.254/latest/meta-data/')"),
    ("post through hence", Refused, "http_post('http://127.0.0.1:80/', 'x')"),
    ("file through hence", Refused, "http_get('file:///etc/passwd')"),
    ("rows of what nobody named", Refused, "db_query('f')"),
    ("rows of a rule", Refused, "db_query('f(n: X)')"),
    ("environment of hence", Refused, "os.environ['SECRET_TOKEN']"),
    ("environment, raw", Refused, "load('ctypes').CDLL(None).getenv(b'SECRET_TOKEN') or missing()"),
    ("files that hence had open", Refused, "assert_not(not inherited())"),
    ("trace the parent", Refused, "raw(101, 16, os.getppid(), 0, 0)"),
    ("read the parent's memory", Refused, "raw(310, os.getppid(), 0, 0, 0, 0, 0)"),
    ("memory at once", Refused, "bytearray(1 << 30)"),
    ("memory bit by bit", Refused, "x = []\n    while True: x.append(bytearray(1 << 20))"),
    ("memory of the kernel's map", Refused, "load('mmap').mmap(-1, 1 << 30)"),
    ("one huge number", Stopped, "10 ** (10 ** 8)"),
    ("endless recursion", Refused, "f = lambda: f()\n    f()"),
    ("endless loop", Stopped, "while True: pass"),
    (
        "endless loop that heeds no signal",
        Stopped,
        "s = load('signal')\n    for n in range(1, 65):\n        try: s.signal(n, s.SIG_IGN)\n        except (OSError, ValueError): pass\n    while True: pass",
    ),
    ("sleep", Stopped, "load('time').sleep(1000)"),
    ("wait for an answer that doesn't come", Stopped, "sys.stdin.readline()"),
    ("flood", Stopped, "while True: sys.stdout.write('x' * 4096)"),
    ("flood of lines", Stopped, "while True: print('{}')"),
    ("one endless line", Stopped, "while True: os.write(1, b'x' * 65536)"),
    ("flood of errors", Stopped, "while True: os.write(2, b'x' * 65536)"),
    ("flood of requests", Refused, "while True: db_query('f'); "),
    (
        "threads",
        Stopped,
        "t = load('threading'); t.stack_size(32768)\n    while True: t.Thread(target=load('time').sleep, args=(99,)).start()",
    ),
    ("one large file", Refused, "f = open('large', 'wb')\n    while True: f.write(b'x' * 65536)"),
    ("hole in a file", Refused, "f = open('large', 'wb'); f.seek(1 << 40); f.write(b'x'); f.flush()"),
    ("many files", Stopped, "for n in range(1000000): open(str(n), 'w').close()"),
    ("many folders", Stopped, "for n in range(1000000): os.mkdir(str(n))"),
    ("folders in folders", Stopped, "while True: os.mkdir('d'); os.chdir('d')"),
    (
        "many large files",
        Stopped,
        "for n in range(64): open(str(n), 'wb').write(b'x' * (15 << 20))\n    load('time').sleep(99)",
    ),
    ("open files", Refused, "x = [os.dup(1) for _ in range(1000)]"),
    ("crash", Stopped, "load('ctypes').string_at(0)"),
    ("abort", Stopped, "os.abort()"),
    ("ends at once", Stopped, "os._exit(3)"),
    ("kills itself", Stopped, "os.kill(os.getpid(), 9)"),
];

/// Calls of the kernel by their numbers on x86-64 which a script has no use for.
#[cfg(target_arch = "x86_64")]
const CALLS: &[u32] = &[
    29, 30, 31, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 57, 58, 64, 65, 66, 68, 69, 71,
    76, 82, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 101, 105, 106, 109, 112, 113, 114, 116, 117, 119, 122,
    123, 126, 129, 132, 133, 135, 141, 142, 144, 149, 151, 153, 154, 155, 159, 160, 161, 162, 163, 164, 165,
    166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 188, 189, 190, 191, 200, 203, 206, 212, 216, 222,
    227, 235, 237, 238, 240, 246, 248, 249, 250, 251, 253, 259, 260, 263, 264, 265, 266, 268, 272, 275, 276,
    278, 279, 280, 282, 283, 285, 288, 294, 297, 298, 299, 300, 303, 304, 305, 306, 307, 308, 310, 311, 312,
    313, 314, 316, 317, 319, 320, 321, 322, 323, 330, 424, 425, 428, 429, 430, 432, 434, 435, 436, 437, 438,
    440, 442, 444, 447, 448,
];
#[cfg(not(target_arch = "x86_64"))]
const CALLS: &[u32] = &[];

/// All rows.
pub(super) fn all() -> Vec<(String, End, String)> {
    let files = FILES.iter().map(|path| {
        let code = format!("path = {path:?}.replace('$PARENT', str(os.getppid()))\n    reach(path)");
        (format!("read {path}"), Refused, code)
    });
    let writes = WRITES.iter().map(|(name, code)| (format!("file: {name}"), Refused, String::from(*code)));
    let deeds = DEEDS.iter().map(|(name, end, code)| (String::from(*name), *end, String::from(*code)));
    let calls = CALLS.iter().map(|call| {
        let code = format!("raw({call}, 0, 0, 0, 0, 0, 0)");
        (format!("call {call} of the kernel"), Refused, code)
    });
    files.chain(writes).chain(deeds).chain(calls).collect()
}
