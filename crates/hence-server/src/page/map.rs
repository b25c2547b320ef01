//! All relations of the rules: the files as a picture, and below each file what it holds, with who is read and who reads.

use std::collections::{BTreeMap, BTreeSet};

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value as Json;

use super::super::problem::Problem;
use super::shell::{self, Shown};
use super::visit::Visit;
use super::words::{self, list, text};
use super::{Sight, graph};

/// How many relations are listed.
const MOST: usize = 1000;

/// What every rule may read and no file declares.
const CLOCK: &str = "now";

/// Relations by file, and by name where they are.
struct Map<'f> {
    files: BTreeMap<&'f str, Vec<&'f Json>>,
    homes: BTreeMap<&'f str, &'f str>,
}

pub(super) async fn show(visit: &Visit) -> Result<Response, Problem> {
    let found = visit.see(Sight::Rules).await?;
    let relations = list(&found, "relations");
    let map = Map::of(relations.get(..relations.len().min(MOST)).unwrap_or(relations));
    let left = relations.len().saturating_sub(MOST);
    let content = html! {
        @if map.files.len() > 1 { section { h2 { "Files" } p.hint { "Each stands above those that it reads; those that read each other stand side by side." } (map.picture()) } }
        @for (file, relations) in &map.files { (map.file(file, relations)) }
        @if left > 0 { p.hint { (words::counted(left as u64, "more relation", "more relations")) " are not listed." } }
    };
    let about = html! { "Every relation, file by file: what it reads, and who reads it. " a href="/rules" { "Back to the rules in words" } };
    Ok(shell::screen(visit, &Shown { place: "/rules", title: "Map of the rules", about, content }))
}

impl<'f> Map<'f> {
    fn of(relations: &'f [Json]) -> Self {
        let mut files: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
        let relations = relations.iter().filter(|one| text(one, "name") != CLOCK);
        relations.clone().for_each(|one| files.entry(text(one, "file")).or_default().push(one));
        let homes = relations.map(|one| (text(one, "name"), text(one, "file"))).collect();
        Self { files, homes }
    }

    /// Which other files a file reads.
    fn reads(&self, file: &str) -> BTreeSet<&'f str> {
        let read = self.files.get(file).into_iter().flatten().flat_map(|one| list(one, "reads"));
        let homes = read.filter_map(|name| self.homes.get(name.as_str()?).copied());
        homes.filter(|home| *home != file).collect()
    }

    /// The layer of each file: one below those that read it, as far as they don't read each other.
    fn layers(&self) -> BTreeMap<&'f str, usize> {
        let reads: BTreeMap<&str, BTreeSet<&str>> =
            self.files.keys().map(|file| (*file, self.reads(file))).collect();
        let mut layers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut left: BTreeSet<&str> = self.files.keys().copied().collect();
        for layer in 0.. {
            let is_read =
                |file: &str| left.iter().any(|by| reads.get(by).is_some_and(|read| read.contains(file)));
            let mut here: Vec<&str> = left.iter().copied().filter(|file| !is_read(file)).collect();
            if here.is_empty() {
                // Those that read each other stand side by side.
                here = left.iter().copied().collect();
            }
            left.retain(|file| !here.contains(file));
            layers.extend(here.into_iter().map(|file| (file, layer)));
            if left.is_empty() {
                break;
            }
        }
        layers
    }

    fn picture(&self) -> Markup {
        let layers = self.layers();
        let mut order: Vec<(&str, usize)> = layers.into_iter().collect();
        order.sort_by_key(|(file, layer)| (*layer, *file));
        let place = |file: &str| order.iter().position(|(known, _)| *known == file);
        let layer = |at: usize| order.get(at).map(|(_, layer)| *layer);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (at, (file, _)) in order.iter().enumerate() {
            edges.extend(self.reads(file).into_iter().filter_map(|read| Some((at, place(read)?))));
        }
        edges.retain(|(from, to)| layer(*from) != layer(*to));
        let nodes: Vec<(String, String, usize)> =
            order.iter().map(|(file, layer)| (short(file), anchor("file", file), *layer)).collect();
        graph::files(&nodes, &edges)
    }

    fn file(&self, file: &str, relations: &[&Json]) -> Markup {
        html! {
            section id=(anchor("file", file)) {
                h2 { (short(file)) " " span.count { (words::counted(relations.len() as u64, "relation", "relations")) } }
                @if !file.is_empty() { p.place { code { (file) } } }
                ul.map { @for relation in relations { (self.relation(relation)) } }
            }
        }
    }

    fn relation(&self, relation: &Json) -> Markup {
        let name = text(relation, "name");
        html! {
            li id=(anchor("relation", name)) {
                span {
                    a href={ "/rules/" (name) } { b { (words::plain(name)) } } " "
                    span.badge.on[text(relation, "kind") == "decision"].fact[text(relation, "kind") == "input"] { (kind(relation)) }
                }
                (self.others("reads", list(relation, "reads")))
                (self.others("read by", list(relation, "readers")))
            }
        }
    }

    fn others(&self, what: &str, names: &[Json]) -> Markup {
        html! {
            @if !names.is_empty() {
                span.meta {
                    (what) " "
                    @for (at, name) in names.iter().filter_map(Json::as_str).enumerate() {
                        @if at > 0 { ", " }
                        @if self.homes.contains_key(name) { a href={ "#" (anchor("relation", name)) } { (words::plain(name)) } }
                        @else { a href={ "/rules/" (name) } { (words::plain(name)) } }
                    }
                }
            }
        }
    }
}

fn kind(relation: &Json) -> &'static str {
    match text(relation, "kind") {
        "decision" => "decision",
        "input" => "from outside",
        _ => "step between",
    }
}

/// The name of a file without its folder.
fn short(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = words::title(name.trim_end_matches(".dl"));
    if name.is_empty() { String::from("Everywhere") } else { name }
}

/// What a link within the page leads to.
fn anchor(what: &str, name: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("{what}-{}", name.chars().map(plain).collect::<String>())
}
