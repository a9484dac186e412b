//! TEMPORARY
#![allow(missing_docs, dead_code)]
use crate::entry::Change;
use crate::kept::Kept;
use std::sync::Arc;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resync {
    #[default]
    Inherit,
    Never,
    Every(std::time::Duration),
}
#[derive(Default)]
pub struct HandlerOptions;
pub struct Registration;
pub struct Events<R>(std::marker::PhantomData<fn() -> R>);
pub trait Handler<R: Kept>: Send + Sync + 'static {}
pub(crate) struct Hub<R>(std::marker::PhantomData<fn() -> R>);
impl<R: Kept> Hub<R> {
    pub(crate) fn publish(&mut self, _: &[Change<R>]) {}
    pub(crate) fn mark_synced(&mut self) {}
    pub(crate) fn new() -> Self {
        Self(std::marker::PhantomData)
    }
    pub(crate) fn len(&self) -> usize {
        0
    }
    pub(crate) fn cancel(&self) {}
}
pub(crate) type X = Arc<()>;
