// A vector and a multiple of another. Twin: src/search/linear/kernels.rs. One invocation an entry.

override MODE: u32;         // 0 y = y + s x; 1 y = x + s y

@group(0) @binding(0) var<storage, read> params: array<u32>;      // length, the bits of s
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let at = id.x + id.y * groups.x * 64u;
    if at >= params[0] {
        return;
    }
    let s = bitcast<f32>(params[1]);
    if MODE == 0u {
        y[at] += s * x[at];
    } else {
        y[at] = x[at] + s * y[at];
    }
}
