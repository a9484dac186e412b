//! How a query is answered, for people and for tests.

use std::fmt;

use super::Query;
use super::plan::{Indexes, plan};

/// How a lister answers a query at this moment: which indexes lead to how many objects, and what is tested on each of these.
///
/// Its `Display` says so in a line. What it says changes with the objects and the indexes; that the answer does not depend on it is
/// what a query promises.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::Pod;
/// # use larder::{KeptLabels, Lister, field};
/// # fn example<Full: KeptLabels<Stored = Arc<Pod>>>(pods: &Lister<Full>) -> Result<(), larder::ReadError> {
/// let plan = pods.explain(field!(Pod, spec.nodeName).eq("node-7").and(field!(Pod, status.phase).ne("Running")))?;
/// // index spec.nodeName (spec.nodeName = "node-7"): 12 of 10000 objects; each tested for status.phase != "Running"
/// println!("{plan}");
/// assert!(!plan.is_scan());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    objects: usize,
    /// `None` where all objects are looked at.
    steps: Option<Vec<PlanStep>>,
    tests: Vec<String>,
}

/// One index that a [`Plan`] goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanStep {
    /// The path that the index is over, as `spec.nodeName`; `metadata.labels` is the index of labels.
    pub index: String,
    /// The part of the query that it answers, in words.
    pub part: String,
    /// How many objects it leads to.
    pub objects: usize,
}

impl Plan {
    pub(super) fn of<T>(query: &Query<T>, indexes: &dyn Indexes) -> Self {
        let planned = plan(query, indexes);
        let steps = |way: super::plan::Way<'_, T>| {
            let steps = way.steps.iter().map(|step| PlanStep {
                index: step.index.to_owned(),
                part: step.part.to_string(),
                objects: step.objects,
            });
            steps.collect()
        };
        Self {
            objects: indexes.objects(),
            tests: planned.tests.iter().map(ToString::to_string).collect(),
            steps: planned.way.map(steps),
        }
    }

    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects
    }

    /// How many objects are looked at, at most.
    #[must_use]
    pub fn candidates(&self) -> usize {
        match &self.steps {
            Some(steps) => steps.iter().map(|step| step.objects).sum(),
            None => self.objects,
        }
    }

    /// Whether all objects are looked at, as no index serves.
    #[must_use]
    pub fn is_scan(&self) -> bool {
        self.steps.is_none()
    }

    /// The indexes that lead to the candidates: one, or those whose objects are put together. None where all objects are looked at.
    #[must_use]
    pub fn steps(&self) -> &[PlanStep] {
        self.steps.as_deref().unwrap_or_default()
    }

    /// What is tested on each candidate, in words; nothing where the index alone answers.
    #[must_use]
    pub fn tests(&self) -> &[String] {
        &self.tests
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.steps.as_deref() {
            None => f.write_str("all")?,
            Some([]) => f.write_str("nothing can be selected: 0")?,
            Some([step]) => write!(f, "{step}")?,
            Some(steps) => {
                for step in steps {
                    write!(f, "{step}, ")?;
                }
                write!(f, "together {}", self.candidates())?;
            }
        }
        write!(f, " of {} objects", self.objects)?;
        for (at, test) in self.tests.iter().enumerate() {
            let word = if at == 0 { "; each tested for" } else { " and" };
            write!(f, "{word} {test}")?;
        }
        Ok(())
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "index {} ({}): {}", self.index, self.part, self.objects)
    }
}
