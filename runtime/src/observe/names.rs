//! Names for logs and metrics that tell running informers of one process apart.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Who has which name, per kind and name. One whose informer was stopped is free, although handles to it may live.
type Taken = BTreeMap<(String, Arc<str>), CancellationToken>;

static TAKEN: Mutex<Taken> = Mutex::new(BTreeMap::new());

fn taken() -> MutexGuard<'static, Taken> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A name that no other running informer of the kind has. It is free again when `stopped` is cancelled.
///
/// [`release`] forgets it.
pub(super) fn claim(kind: &str, wanted: &Arc<str>, stopped: &CancellationToken) -> Arc<str> {
    let mut taken = taken();
    let mut name = Arc::clone(wanted);
    let mut number = 1_u64;
    loop {
        let key = (kind.to_owned(), Arc::clone(&name));
        if taken.get(&key).is_none_or(CancellationToken::is_cancelled) {
            taken.insert(key, stopped.clone());
            return name;
        }
        number += 1;
        name = format!("{wanted}-{number}").into();
    }
}

/// Forgets a name, unless someone else has it by now; answers whether it did.
pub(super) fn release(kind: &str, name: &Arc<str>) -> bool {
    let key = (kind.to_owned(), Arc::clone(name));
    let mut taken = taken();
    let ours = taken.get(&key).is_some_and(CancellationToken::is_cancelled);
    if ours {
        taken.remove(&key);
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c141_two_of_one_name_are_told_apart_while_both_run() {
        let kind = "names.test";
        let tokens: [CancellationToken; 4] = Default::default();
        let wanted: Arc<str> = "pods".into();
        let name = |token: &CancellationToken| claim(kind, &wanted, token).to_string();
        assert_eq!(name(&tokens[0]), "pods");
        assert_eq!(name(&tokens[1]), "pods-2");
        assert_eq!(&*claim("another", &wanted, &tokens[1]), "pods");
        tokens[0].cancel();
        assert_eq!(name(&tokens[2]), "pods", "a stopped one's name is free");
        assert!(!release(kind, &wanted));
        assert_eq!(
            name(&tokens[3]),
            "pods-3",
            "the stopped one's end changes nothing"
        );
        for token in &tokens {
            token.cancel();
        }
        for name in ["pods", "pods-2", "pods-3"] {
            assert!(release(kind, &name.into()));
        }
        assert!(release("another", &wanted));
        assert!(!taken().keys().any(|(of, _)| of == kind));
    }
}
