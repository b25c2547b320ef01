//! Many things divided into parts, so that a processor's caches hold what one part of them needs.
#![expect(clippy::indexing_slicing, reason = "hot: parts are numbered below their count")]

/// Things, each with the part that it falls to, part by part, in each as they came; and where the parts end.
pub(super) fn by_part<T: Clone + Default>(
    things: impl Iterator<Item = (usize, T)> + Clone,
    parts: usize,
) -> (Vec<T>, Vec<usize>) {
    let mut ends = vec![0; parts];
    things.clone().for_each(|(part, _)| ends[part] += 1);
    let count = ends.iter_mut().fold(0, |start, end| start + std::mem::replace(end, start));
    let mut ordered = vec![T::default(); count];
    for (part, thing) in things {
        ordered[ends[part]] = thing;
        ends[part] += 1;
    }
    (ordered, ends)
}
