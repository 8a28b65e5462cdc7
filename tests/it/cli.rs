//! What a user does.
