//! `larder openapi diff`.

mod compare;

use anyhow::bail;
use larder_codegen::{KindId, Model};

use self::compare::{Comparison, Entry, compare};
use crate::args::{Diff, Output};
use crate::cluster::Groups;
use crate::text::{did_you_mean, plural, print, spoken};
use crate::{Outcome, cluster, model};

pub(crate) fn run(args: &Diff, output: Output) -> anyhow::Result<Outcome> {
    let old = model::read(&args.old)?;
    let groups = groups(args, &old);
    let new = match (&args.new, groups.as_slice()) {
        (Some(new), _) => model::read(new)?,
        (None, []) => cluster::model(&args.connection, Groups::All)?,
        // A group that has gone is a difference, not a mistake in the command.
        (None, groups) => cluster::model(&args.connection, Groups::Present(groups))?,
    };
    check_groups(args, &old, &new)?;
    let found = compare(&old, &new, |id| {
        groups.is_empty() || groups.iter().any(|wanted| wanted == group(id))
    });
    print(&found, output, text)?;
    Ok(if found.is_same() {
        Outcome::Fine
    } else {
        Outcome::Differs
    })
}

fn group(id: &KindId) -> &str {
    spoken(&id.group)
}

/// A document that was pulled with some groups is compared with these of the cluster.
fn groups(args: &Diff, old: &Model) -> Vec<String> {
    if !args.groups.is_empty() || !args.live {
        return args.groups.clone();
    }
    let mut groups: Vec<String> = old.kinds.keys().map(|id| group(id).to_owned()).collect();
    groups.dedup();
    groups
}

/// A group may have come or gone; one that neither document has is misspelt.
fn check_groups(args: &Diff, old: &Model, new: &Model) -> anyhow::Result<()> {
    let known = || old.kinds.keys().chain(new.kinds.keys()).map(group);
    for wanted in &args.groups {
        if !known().any(|there| there == wanted) {
            let hint = did_you_mean(wanted, known());
            bail!("neither document has a group {wanted:?}{hint}");
        }
    }
    Ok(())
}

fn text(found: &Comparison) -> String {
    if found.is_same() {
        return "no difference\n".to_owned();
    }
    let mut text = String::new();
    for (what, entries) in [("kind", &found.kinds), ("type", &found.types)] {
        for entry in entries {
            entry_text(&mut text, what, entry);
        }
    }
    let (kinds, types) = (found.kinds.len(), found.types.len());
    text.push_str(&format!(
        "{}, {} differ\n",
        plural(kinds, "kind"),
        plural(types, "type")
    ));
    text
}

fn entry_text(text: &mut String, what: &str, entry: &Entry) {
    let sign = entry.change.sign();
    text.push_str(&format!("{sign} {what} {}\n", entry.name));
    for part in &entry.parts {
        let sign = part.change.sign();
        let values = match (&part.old, &part.new) {
            (Some(old), Some(new)) => format!(": {old} -> {new}"),
            (Some(only), None) | (None, Some(only)) => format!(": {only}"),
            (None, None) => String::new(),
        };
        text.push_str(&format!("    {sign} {}{values}\n", part.name));
    }
}
