//! Which faults hit a request.

use super::describe::{Action, Fault};
use crate::{requests::Request, status::Status, stream::StreamPlan};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Names a fault that was added to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FaultId(u64);

/// The faults of one server, in the order in which they were added.
#[derive(Debug)]
pub struct Faults(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    added: Vec<Added>,
    next: u64,
}

#[derive(Debug)]
struct Added {
    id: FaultId,
    fault: Fault,
    seen: usize,
    hits: usize,
}

/// A body in plain text.
#[derive(Debug)]
pub(crate) struct PlainText {
    pub(crate) code: u16,
    pub(crate) text: &'static str,
    pub(crate) retry_after: u32,
}

/// What happens to one request.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    pub(crate) delay: Option<Duration>,
    pub(crate) refuse: bool,
    pub(crate) silent: bool,
    pub(crate) status: Option<Status>,
    pub(crate) plain_text: Option<PlainText>,
    pub(crate) plan: Option<Box<StreamPlan>>,
}

impl Faults {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a fault. Requests that are under way are not affected.
    ///
    /// Faults are asked in the order in which they were added. Delays and faults of the response add up; the first
    /// one that refuses or answers the request ends it, and later ones neither see nor count it.
    pub fn add(&self, fault: Fault) -> FaultId {
        let mut state = self.lock();
        state.next += 1;
        let id = FaultId(state.next);
        state.added.push(Added {
            id,
            fault,
            seen: 0,
            hits: 0,
        });
        id
    }

    /// How many requests a fault has hit; 0 once it is removed.
    pub fn hits(&self, id: FaultId) -> usize {
        self.lock()
            .added
            .iter()
            .find(|added| added.id == id)
            .map_or(0, |added| added.hits)
    }

    /// Removes a fault; whether it was there. Responses that it already hit stay as they are.
    pub fn remove(&self, id: FaultId) -> bool {
        let mut state = self.lock();
        let before = state.added.len();
        state.added.retain(|added| added.id != id);
        state.added.len() < before
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.lock().added.clear();
    }

    pub(crate) fn decide(&self, request: &Request, user: &str) -> Decision {
        let mut decision = Decision::default();
        for added in &mut self.lock().added {
            if added.is_hit(request) && decision.take(&added.fault.action, request, user) {
                break;
            }
        }
        decision
    }
}

impl Added {
    fn is_hit(&mut self, request: &Request) -> bool {
        if self.hits >= self.fault.times || !self.fault.matches(request) {
            return false;
        }
        self.seen += 1;
        let is_hit = self.seen > self.fault.skip;
        self.hits += usize::from(is_hit);
        is_hit
    }
}

impl Decision {
    /// Takes an action in; whether it ends the request.
    fn take(&mut self, action: &Action, request: &Request, user: &str) -> bool {
        match action {
            Action::Refuse => self.refuse = true,
            Action::NeverAnswer => self.silent = true,
            Action::Status(status) => self.status = Some(status.clone()),
            Action::Forbidden => self.status = Some(forbidden(request, user)),
            &Action::Plain(code, text, retry_after) => {
                self.plain_text = Some(PlainText {
                    code,
                    text,
                    retry_after,
                });
            }
            Action::Delay(delay) => {
                self.delay = Some(self.delay.unwrap_or_default().saturating_add(*delay));
                return false;
            }
            Action::Stream(plan) => {
                let merged = self.plan.get_or_insert_default();
                merge(merged, plan);
                return false;
            }
        }
        true
    }
}

fn merge(into: &mut StreamPlan, from: &StreamPlan) {
    let StreamPlan {
        end,
        duplicate,
        no_bookmarks,
        no_initial_end,
        error,
        broken,
        pace,
        lifetime,
    } = from;
    into.end = into.end.or(*end);
    into.duplicate |= duplicate;
    into.no_bookmarks |= no_bookmarks;
    into.no_initial_end |= no_initial_end;
    into.error = into.error.take().or_else(|| error.clone());
    into.broken = into.broken.take().or_else(|| broken.clone());
    into.pace = into.pace.or(*pace);
    into.lifetime = into.lifetime.or(*lifetime);
}

/// 403 as RBAC words it.
fn forbidden(request: &Request, user: &str) -> Status {
    let (plural, group) = request
        .resource
        .split_once('.')
        .unwrap_or((&request.resource, ""));
    let verb = request.verb.as_str();
    let place = if request.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace \"{}\"", request.namespace)
    };
    let subject = match request.name.as_str() {
        "" => request.resource.clone(),
        name => format!("{} \"{name}\"", request.resource),
    };
    let message = format!(
        "{subject} is forbidden: User \"{user}\" cannot {verb} resource \"{plural}\" in API group \"{group}\" {place}"
    );
    Status::new(403, "Forbidden", message).about(group, plural, &request.name)
}
