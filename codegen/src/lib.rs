//! larder-codegen.
