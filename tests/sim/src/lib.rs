//! larder-sim.
