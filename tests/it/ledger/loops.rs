//! Power cuts on a loop device: a writer is stopped at any moment, the device's content at that moment is copied and
//! mounted as after a power cut, and everything acknowledged must be there.

use crate::memory;
use crate::slow;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hence_ledger::Ledger;

use super::script;
use super::support::{Random, small};

fn done(program: &str, args: &[&str]) -> bool {
    let quiet = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// A mounted image, unmounted with the value.
struct Mounted(String);

impl Mounted {
    fn new(image: &Path, at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let at = at.to_str().unwrap().to_owned();
        done("mount", &["-o", "loop", image.to_str().unwrap(), &at]).then_some(Self(at))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = done("umount", &[&self.0]) || done("umount", &["-l", &self.0]);
    }
}

/// Cuts the power of a writer on the file system `disk` into `image`; the last transaction that it had acknowledged.
fn cut(disk: &Path, folder: &Path, image: &Path, patience: Duration) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::kill::writer", "--ignored", "--nocapture", "--test-threads=1"])
        .env("HENCE_TEST_WRITER", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let last = Arc::new(AtomicU64::new(0));
    let (told, lines) = (Arc::clone(&last), BufReader::new(child.stdout.take().unwrap()).lines());
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            if let Some(number) = line.strip_prefix("acknowledged ").and_then(|number| number.parse().ok()) {
                told.store(number, Ordering::SeqCst);
            }
        }
    });
    for _ in 0..6_000 {
        if last.load(Ordering::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(patience);
    assert!(done("kill", &["-STOP", &child.id().to_string()]));
    std::thread::sleep(Duration::from_millis(50));
    let acknowledged = last.load(Ordering::SeqCst);
    fs::copy(disk, image).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    acknowledged
}

#[test]
fn a_power_cut_on_a_loop_device_loses_nothing_acknowledged() {
    let rounds = slow::size(2, 100);
    let dir = memory::folder();
    let (disk, image) = (dir.path().join("disk"), dir.path().join("image"));
    let mut random = Random::new(23);
    for round in 0..rounds {
        fs::File::create(&disk).unwrap().set_len(24 << 20).unwrap();
        let mounted = done("mkfs.ext4", &["-q", "-F", disk.to_str().unwrap()])
            .then(|| Mounted::new(&disk, &dir.path().join("before")))
            .flatten();
        let Some(before) = mounted else {
            println!("left out: loop devices can't be mounted here");
            return;
        };
        let folder = dir.path().join("before/ledger");
        let acknowledged = cut(&disk, &folder, &image, Duration::from_millis(random.below(300)));
        drop(before);
        assert!(acknowledged > 0, "the writer wrote nothing");
        let after = Mounted::new(&image, &dir.path().join("after")).unwrap();
        let ledger = Ledger::open(dir.path().join("after/ledger"), &small())
            .unwrap_or_else(|error| panic!("round {round}: {error}"));
        script::check(&ledger, acknowledged);
        drop(ledger);
        drop(after);
    }
}
