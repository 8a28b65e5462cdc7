//! Billiard: exact difference triangles.
