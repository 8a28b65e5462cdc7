// One pass over the rows of a sparse matrix M in compressed rows: a product with a vector, and what multigrid makes of it.
// Twin: src/search/linear/kernels.rs. One invocation a row.

override MODE: u32;         // 0 out = M x; 1 out += M x; 2 out = base - M x; 3 out = x + scale (base - M x); 4 out = scale base

@group(0) @binding(0) var<storage, read> params: array<u32>;      // rows
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> x: array<f32>;
@group(0) @binding(5) var<storage, read> base: array<f32>;
@group(0) @binding(6) var<storage, read> scale: array<f32>;
@group(0) @binding(7) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let row = id.x + id.y * groups.x * 64u;
    if row >= params[0] {
        return;
    }
    if MODE == 4u {
        result[row] = scale[row] * base[row];
        return;
    }
    var sum = 0.0;
    for (var at = offsets[row]; at < offsets[row + 1u]; at++) {
        sum += values[at] * x[columns[at]];
    }
    switch MODE {
        case 0u: { result[row] = sum; }
        case 1u: { result[row] += sum; }
        case 2u: { result[row] = base[row] - sum; }
        default: { result[row] = x[row] + scale[row] * (base[row] - sum); }
    }
}
