//! What differs between two texts, as a unified diff.

use hence::session::unified;

#[test]
fn equal_texts_have_no_difference() {
    assert_eq!(unified("a\nb\n", "a\nb\n"), "");
    assert_eq!(unified("", ""), "");
}

#[test]
fn differences_stand_with_two_lines_around_them() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let after = "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n";
    let wanted = "@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+four\n 5\n 6\n@@ -8,2 +8,3 @@\n 8\n 9\n+10\n";
    assert_eq!(unified(before, after), wanted);
}

#[test]
fn a_missing_line_end_is_said() {
    assert_eq!(unified("a", "a\n"), "@@ -1,1 +1,1 @@\n-a\n\\ no line end\n+a\n");
}

#[test]
fn what_is_common_is_kept() {
    assert_eq!(unified("a\nx\nb\ny\n", "x\ny\nz\n"), "@@ -1,4 +1,3 @@\n-a\n x\n-b\n y\n+z\n");
}
