//! larder.
