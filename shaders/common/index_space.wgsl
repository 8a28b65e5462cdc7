// What every kernel over an index space shares: its three bindings, the number of its run, clipping, and the tally.
// Twin: src/puzzles/index_space.rs, which also says what the words mean.
//
// Keep the turns of all loops of an invocation together below 65,535: Mesa's llvmpipe (seen in 22.3) ends them there.

const HEADER: u32 = 8u;
const TALLY_FOUND: u32 = 0u;
const TALLY_DIGEST: u32 = 2u;
const TALLY_WORK: u32 = 4u;
const TALLY_HITS: u32 = 6u;
const TALLY_FAULT: u32 = 7u;
const TALLY_NODES: u32 = 8u;
const TALLY_COUNTERS: u32 = 10u;

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read_write> tally: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> hits: array<u32>;

// The number of this invocation in a dispatch that was folded over x and y.
fn invocation_number(id: vec3<u32>, groups: vec3<u32>) -> u32 {
    return id.x + id.y * groups.x * 64u;
}

fn run_count() -> u32 { return params[0]; }

// The clip of run `run`: its first and last-but-one places, as offsets from the run's start, in x and y.
fn clip(run: u32, run_length: u32) -> vec2<u32> {
    let skip = params[1];
    let end = skip + params[2];         // a batch and its skip together stay below 2^32
    let start = run * run_length;
    let low = max(skip, start) - start;
    let high = min(end - start, run_length);
    return vec2<u32>(low, high);
}

fn append_hit(run: u32, run_length: u32, place: u32) {
    let slot = atomicAdd(&tally[TALLY_HITS], 1u);
    if slot < params[3] {
        hits[slot] = run * run_length + place - params[1];
    }
}

// Enters a finished run: the work it took and how many solutions it held.
fn enter_run(run: u32, work: u32, found: u32) {
    let key = mix_words(params[4] + run, work ^ ((found << 16u) | (found >> 16u)));
    add_wide(TALLY_DIGEST, key.x, key.y);
    add_wide(TALLY_WORK, work, 0u);
    if found != 0u {
        add_wide(TALLY_FOUND, found, 0u);
    }
}

// Enters a finished run that searched a tree: its nodes, its work and what it found in two words each
// (low, high).
fn enter_tree(run: u32, nodes: vec2<u32>, work: vec2<u32>, found: vec2<u32>) {
    let key = mix_words(params[4] + run, work.x ^ ((found.x << 16u) | (found.x >> 16u)));
    add_wide(TALLY_DIGEST, key.x, key.y);
    let tree = mix_words(nodes.x, nodes.y ^ ((work.y << 16u) | (work.y >> 16u)) ^ work.x);
    add_wide(TALLY_DIGEST, tree.x, tree.y);
    add_wide(TALLY_WORK, work.x, work.y);
    add_wide(TALLY_NODES, nodes.x, nodes.y);
    if any(found != vec2<u32>()) {
        add_wide(TALLY_FOUND, found.x, found.y);
    }
}
