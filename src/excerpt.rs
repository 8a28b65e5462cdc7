//! Showing what was read, which may be of any length, in a message.

/// Characters that are shown.
const MOST: usize = 40;

/// The beginning of a text, with … after it where it goes on; what would steer a terminal is written out.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut chars = text.chars();
    let mut shown = String::new();
    for found in chars.by_ref().take(MOST) {
        if found.is_control() {
            shown.extend(found.escape_default());
        } else {
            shown.push(found);
        }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        assert_eq!(excerpt("1..9"), "1..9");
        assert_eq!(excerpt("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(100_000)), "é".repeat(40) + "…");
    }
}
