//! The modes, and how a case runs in each of them.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use larder::{Cache, CacheBuilder, ReflectorOptions};
use larder_sim::Sim;

use crate::forms::{FORMS, Form};
use crate::pods::{Own, Subject};
use crate::support::{SOON, client, listings};

/// Which namespaces a cache watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    One,
    Several,
    All,
}

impl Scope {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Scope::One => "one namespace",
            Scope::Several => "several namespaces",
            Scope::All => "all namespaces",
        }
    }

    /// The namespaces by name; `None` for all.
    pub(crate) const fn namespaces(self) -> Option<&'static [&'static str]> {
        match self {
            Scope::One => Some(&["a"]),
            Scope::Several => Some(&["a", "b"]),
            Scope::All => None,
        }
    }

    pub(crate) fn watches(self, namespace: &str) -> bool {
        self.namespaces()
            .is_none_or(|watched| watched.contains(&namespace))
    }
}

/// The modes that a case runs in: every form and every listing, in these scopes.
pub(crate) struct Modes {
    pub(crate) name: &'static str,
    pub(crate) scopes: &'static [Scope],
}

/// Everything.
pub(crate) const EVERY: Modes = Modes {
    name: "every mode",
    scopes: &[Scope::One, Scope::Several, Scope::All],
};
/// Where some namespaces are not watched.
pub(crate) const LIMITED: Modes = Modes {
    name: "every mode with a limit to namespaces",
    scopes: &[Scope::One, Scope::Several],
};
impl Modes {
    /// The axes in words, for the page.
    pub(crate) fn words(&self) -> String {
        let words = |words: Vec<&str>| words.join(", ");
        let scopes: Vec<_> = self.scopes.iter().map(|scope| scope.name()).collect();
        let forms: Vec<_> = FORMS.iter().map(|form| form.name()).collect();
        let listings: Vec<_> = listings().into_iter().map(|(name, _)| name).collect();
        format!(
            "{{{}}} × {{{}}} × {{{}}} × {{JSON}}",
            words(scopes),
            words(forms),
            words(listings)
        )
    }

    fn all(&self) -> impl Iterator<Item = Mode> {
        let scopes = self.scopes.iter().copied();
        scopes.flat_map(|scope| {
            FORMS.iter().flat_map(move |&form| {
                listings()
                    .into_iter()
                    .map(move |(listing, reflector)| Mode {
                        scope,
                        form,
                        listing,
                        reflector,
                    })
            })
        })
    }
}

/// One way to the same objects.
pub(crate) struct Mode {
    pub(crate) scope: Scope,
    pub(crate) form: &'static dyn Form,
    listing: &'static str,
    pub(crate) reflector: ReflectorOptions,
}

impl Mode {
    /// A cache of this mode.
    pub(crate) fn builder(&self, sim: &Sim) -> CacheBuilder {
        let builder = Cache::builder(client(sim)).reflector(self.reflector.clone());
        match self.scope.namespaces() {
            Some(namespaces) => builder.namespaces(namespaces.iter().copied()),
            None => builder,
        }
    }

    pub(crate) fn started(&self, builder: CacheBuilder) -> Cache {
        let cache = builder.build();
        cache.start().expect("a new cache starts");
        cache
    }

    /// A started cache of this mode with a synced informer of pods.
    pub(crate) async fn synced(&self, sim: &Sim) -> Subject {
        self.synced_with(sim, self.builder(sim)).await
    }

    pub(crate) async fn synced_with(&self, sim: &Sim, builder: CacheBuilder) -> Subject {
        let cache = self.started(builder);
        let pods = self.form.informer(&cache, None).expect("an informer");
        pods.wait_for_sync(SOON).await.expect("it syncs");
        Subject::new(cache, pods, sim.clone(), self.scope)
    }

    /// Another informer of pods in the same cache.
    pub(crate) async fn further(&self, subject: &Subject, own: Own) -> Subject {
        let pods = self
            .form
            .informer(&subject.cache, Some(own))
            .expect("an informer");
        pods.wait_for_sync(SOON).await.expect("it syncs");
        Subject::new(
            subject.cache.clone(),
            pods,
            subject.sim.clone(),
            subject.scope,
        )
    }

    fn words(&self) -> String {
        format!(
            "{}, {}, {}",
            self.scope.name(),
            self.form.name(),
            self.listing
        )
    }
}

/// A case and where it stands, for the page.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) modes: &'static Modes,
}

/// Runs a case in each mode; a failure says in which. `LARDER_MODE` narrows to modes whose name contains it.
pub(crate) async fn run(modes: &Modes, case: impl for<'a> Fn(&'a Mode) -> LocalBoxFuture<'a, ()>) {
    let only = std::env::var("LARDER_MODE").unwrap_or_default();
    for mode in modes.all().filter(|mode| mode.words().contains(&only)) {
        if let Err(panic) = AssertUnwindSafe(case(&mode)).catch_unwind().await {
            eprintln!("failed in this mode: {}", mode.words());
            std::panic::resume_unwind(panic);
        }
    }
}

/// Makes a test of each case, and the list `CASES` that the page is written from.
macro_rules! cases {
    ($($case:ident in $modes:ident),* $(,)?) => {
        pub(crate) const CASES: &[$crate::matrix::Case] = &[$($crate::matrix::Case {
            name: stringify!($case),
            file: file!(),
            modes: &$crate::matrix::$modes,
        }),*];

        mod in_modes {
            $(#[tokio::test(start_paused = true)]
            async fn $case() {
                $crate::matrix::run(&$crate::matrix::$modes, |mode| Box::pin(super::$case(mode))).await;
            })*
        }
    };
}
pub(crate) use cases;
