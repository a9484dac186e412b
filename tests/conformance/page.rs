//! `docs/conformance.md`, made of the numbers and their proofs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::matrix::{EVERY, LIMITED};
use crate::numbers::{GROUPS, ONE_MODE, all};
use crate::proofs::{self, Proof};
use crate::support::generated_page;

const PAGE: &str = "docs/conformance.md";

const HEAD: &str = "# What a Kubernetes cache must do, and what proves it

Written by `LARDER_WRITE=1 cargo test --test conformance`; the same test fails where a number has no proof, or this page is not what the
sources say. Each behaviour has a number, and each test that shows it begins with that number.

Behind each test stands where it runs. \"Simulator\" is [`larder-sim`](../tests/sim), an API server in the process on a paused clock, with what comes after
the colon: the modes, or the ways in which the first listing comes; without that, a streaming list of all namespaces and full objects unless the test
says otherwise. \"Scripted server\" gives one reflector exact answers. The real API server is kube-apiserver with etcd
([tests/apiserver](../tests/apiserver)).

";

#[test]
fn every_number_is_proven_and_the_page_says_by_what() {
    let mut wrong = Vec::new();
    let proofs = proofs::find(&mut wrong);
    check(&proofs, &mut wrong);
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));

    generated_page(PAGE, &page(&proofs), "conformance");
}

/// The proofs of each number.
fn by_number(proofs: &[Proof]) -> BTreeMap<&str, Vec<&Proof>> {
    let mut by_number: BTreeMap<&str, Vec<&Proof>> = BTreeMap::new();
    for proof in proofs {
        for number in &proof.numbers {
            by_number.entry(number).or_default().push(proof);
        }
    }
    by_number
}

fn check(proofs: &[Proof], wrong: &mut Vec<String>) {
    let by_number = by_number(proofs);
    let known: BTreeSet<&str> = all().map(|(_, number, _)| number).collect();
    for (number, of_it) in by_number
        .iter()
        .filter(|(number, _)| !known.contains(*number))
    {
        let proof = of_it[0];
        wrong.push(format!(
            "{}: {} has the number {number}, which nothing says",
            proof.file, proof.name
        ));
    }
    if known.len() != all().count() {
        wrong.push("numbers.rs: a number stands twice".to_owned());
    }
    for (group, number, _) in all() {
        let of_it = by_number.get(number).map_or(&[][..], Vec::as_slice);
        let one_mode = ONE_MODE.iter().any(|(one, _)| *one == number);
        let in_modes = of_it.iter().any(|proof| proof.in_modes);
        if of_it.is_empty() {
            wrong.push(format!("{number}: no test begins with it"));
        } else if in_modes && one_mode {
            wrong.push(format!(
                "{number}: runs in modes; take it out of `ONE_MODE`"
            ));
        } else if group.in_modes && !in_modes && !one_mode {
            wrong.push(format!(
                "{number}: no case of tests/conformance runs it in every mode; or say in `ONE_MODE` why one is enough"
            ));
        }
    }
    for (number, _) in ONE_MODE {
        if !known.contains(number) {
            wrong.push(format!("numbers.rs: there is no {number}"));
        }
    }
}

fn page(proofs: &[Proof]) -> String {
    let by_number = by_number(proofs);
    let mut page = HEAD.to_owned();
    for modes in [EVERY, LIMITED] {
        let _ = writeln!(
            page,
            "- **{}**: each combination of {}",
            modes.name,
            modes.words()
        );
    }
    page.push('\n');
    for group in GROUPS {
        let _ = writeln!(page, "## {}\n", group.title);
        for (number, says) in group.numbers {
            let _ = writeln!(page, "- **{number}** {says}");
            if let Some((_, why)) = ONE_MODE.iter().find(|(one, _)| one == number) {
                let _ = writeln!(page, "  One mode is enough: {why}.");
            }
            for proof in by_number.get(number).map_or(&[][..], Vec::as_slice) {
                let Proof {
                    name, file, modes, ..
                } = proof;
                let _ = writeln!(page, "  - [`{name}`](../{file}): {modes}");
            }
        }
        page.push('\n');
    }
    page.push_str("## On the real API server\n\n");
    let on_real = by_number
        .iter()
        .filter(|(_, of_it)| of_it.iter().any(|proof| proof.on_real_server));
    let on_real: Vec<&str> = on_real.map(|(number, _)| *number).collect();
    let _ = writeln!(
        page,
        "{} of {} numbers are shown there as well: {}.",
        on_real.len(),
        all().count(),
        on_real.join(", ")
    );
    page
}
