//! The same scenarios on the simulator and on the real API server: what a program sees of a cluster over its cache.
//!
//! The cache reaches the server through a relay that a test can cut, over a real socket, in real time. Each wait has a deadline and
//! names what it waited for. Without the real server its half says that it was skipped.

mod absent;
mod accepted;
mod cluster;
mod definitions;
mod fold;
mod generated;
mod relay;
mod requests;
mod scenarios;
mod scopes;
mod selectable;
#[path = "../absent/widget.rs"]
mod widget;
mod wire;
mod writes;

use cluster::Cluster;

/// A test per scenario and server; where the real one has to be told more, with its flags.
macro_rules! on_both {
    ($($file:ident::$scenario:ident $(with $flags:expr)?),* $(,)?) => {
        mod simulator {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $scenario() {
                $file::$scenario(&Cluster::simulated().await).await;
            })*
        }

        mod real {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $scenario() {
                let flags: &[&str] = [$($flags)?].as_slice().first().copied().unwrap_or_default();
                if let Some(cluster) = Cluster::real(flags).await {
                    $file::$scenario(&cluster).await;
                    cluster.end().await;
                }
            })*
        }
    };
}

on_both! {
    scenarios::c060_c077_follows_thousands_of_objects_of_several_kinds,
    scenarios::c008_c061_c155_catches_up_after_compaction_and_restart,
    scenarios::c158_survives_rights_taken_away_and_given_back,
    scenarios::c032_c034_selects_as_the_server_does,
    absent::a_kind_appears_goes_and_comes_back,
    absent::a_kind_comes_back_with_other_objects_unseen,
    absent::names_lead_to_kinds,
    generated::a_generated_kind_goes_and_comes_back_beside_others,
    selectable::every_selectable_field_is_taken_and_no_other with selectable::FLAGS,
    selectable::the_namespace_is_selected_by_where_it_is_of_use with selectable::FLAGS,
    selectable::c034_what_the_server_selects_is_what_is_read_here with selectable::FLAGS,
    selectable::c034_a_narrowed_cache_follows_what_comes_and_goes,
    selectable::c034_fields_that_a_definition_declares_read_as_nothing_where_they_are_absent,
    selectable::c063_a_field_that_is_not_selectable_is_an_error_of_its_own,
    requests::c070_c074_c086_c160_pages_then_a_watch_that_is_resumed,
    requests::c072_c073_c076_c093_c154_what_the_server_refuses_leads_to_the_latest_state,
    requests::c090_c091_c092_c096_a_streamed_state_is_the_list_at_its_version,
    writes::shows_ones_own_writes_after_a_wait,
    scopes::c039_leaves_namespaces_out_as_the_server_does,
    scopes::c041_follows_namespaces_that_come_and_go,
}
