// The scalar product of two vectors, in parts: one invocation sums 32 successive products. The host adds the parts in double
// precision. Twin: src/search/linear/kernels.rs.

const PIECE: u32 = 32u;

@group(0) @binding(0) var<storage, read> params: array<u32>;      // length
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> parts: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let piece = id.x + id.y * groups.x * 64u;
    let first = piece * PIECE;
    if first >= params[0] {
        return;
    }
    var sum = 0.0;
    for (var at = first; at < min(first + PIECE, params[0]); at++) {
        sum += a[at] * b[at];
    }
    parts[piece] = sum;
}
