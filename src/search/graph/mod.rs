//! Searches on a graph that is listed or made as it goes: cheapest ways and their number, components, random walks.

pub mod components;
pub mod costs;
pub mod counting;
pub mod expansion;
pub mod shortest;
pub mod walk;
