//! Programs as engines get them, in their text form.

use hence::ir::invariants::broken;
use hence::lower::lower;

use crate::cases::check;

#[test]
fn rule_sets_become_sound_programs() {
    check("ir", |case| {
        let program = lower(&case.checked).unwrap();
        assert_eq!(broken(&program), Vec::<String>::new());
        program.to_string()
    });
}
