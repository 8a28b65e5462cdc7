// Expands a piece of a layer of the 8-puzzle. Twin: eight_puzzle.rs, which says what a key is.

const HIGH_BITS: u32 = 4u;

fn tile(key: vec2<u32>, place: u32) -> u32 {
    if place == 8u { return key.y; }
    return (key.x >> (4u * place)) & 15u;
}

// Puts a tile where none is, or takes it away where it is.
fn toggle(key: vec2<u32>, place: u32, what: u32) -> vec2<u32> {
    if place == 8u { return vec2<u32>(key.x, key.y ^ what); }
    return vec2<u32>(key.x ^ (what << (4u * place)), key.y);
}

fn slide(key: vec2<u32>, place: u32, gap: u32) {
    let what = tile(key, place);
    lead_to(toggle(toggle(key, place, what), gap, what), 1u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let class_key = class_to_expand(id, groups);
    if class_key.z == 0u { return; }
    let key = class_key.xy;
    var gap = 0u;
    while gap < 8u && tile(key, gap) != 0u { gap++; }
    if gap >= 3u { slide(key, gap - 3u, gap); }
    if gap < 6u { slide(key, gap + 3u, gap); }
    if gap % 3u > 0u { slide(key, gap - 1u, gap); }
    if gap % 3u < 2u { slide(key, gap + 1u, gap); }
    tell();
}
