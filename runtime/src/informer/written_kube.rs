//! [`Written`] out of what `kube::Api` answers.

use ::kube::Resource;
use ::kube::core::Status;
use either::Either;

use super::written::{NotWritten, Written, is_held};
use crate::identity::Uid;
use crate::key::ObjectKey;

impl Written {
    /// What `kube::Api::delete` answered for the object of this key: the object, where it is held by a grace period or by
    /// finalizers or where the server likes to show it once more, else a status with its uid.
    ///
    /// An object that is held is to be shown as being deleted (its end comes later, by another's write); otherwise the cache is
    /// to show that it is gone.
    ///
    /// # Errors
    ///
    /// [`NotWritten`] where the answer names no uid.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # extern crate larder_runtime as larder;
    /// # async fn delete<R: larder::Kept>(
    /// #     api: kube::Api<k8s_openapi::api::core::v1::Pod>,
    /// #     pods: larder::Informer<R>,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use larder::{ObjectKey, Written};
    ///
    /// let answer = api.delete("api-0", &Default::default()).await?;
    /// let deleted = Written::of_delete(ObjectKey::namespaced("web", "api-0"), &answer)?;
    /// pods.wait_for(&deleted, std::time::Duration::from_secs(10)).await?;
    /// # Ok(()) }
    /// ```
    pub fn of_delete<K: Resource>(
        key: ObjectKey,
        answer: &Either<K, Status>,
    ) -> Result<Self, NotWritten> {
        match answer {
            Either::Left(object) => Self::from_answer(object.meta(), !is_held(object.meta())),
            Either::Right(status) => {
                let details = status.details.as_ref();
                let uid = details.map(|details| details.uid.as_str());
                let uid = uid.filter(|uid| !uid.is_empty()).ok_or(NotWritten {
                    lacks: "details.uid",
                })?;
                Ok(Self::deleted(key, Uid::new(uid)))
            }
        }
    }
}
