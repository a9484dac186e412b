//! larder-naming.
