// Expands a frontier of Brain Cube states backwards: every legal move into each of them. Twin: src/puzzles/braincube/frontier.rs.
// One invocation a frontier state. A state's number is pose * plane + place, and a roll adds a number that depends on pose and
// direction only; the bit set says what is a state (and, when claiming, was not met before).

const COUNT: u32 = 0u;      // frontier states
const CAPACITY: u32 = 1u;   // room in `next`
const CLAIM: u32 = 2u;      // 1: take each state once and mark it as met; 0: every move, with its kind in the two top bits
const PLANE: u32 = 3u;      // places of a pose
const ADDED: u32 = 4u;      // 12 words: what the move's undoing adds, by pose and direction

const APPENDED: u32 = 0u;
const DIGEST: u32 = 1u;

@group(0) @binding(0) var<storage, read> params: array<u32>;
@group(0) @binding(1) var<storage, read_write> open: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> frontier: array<u32>;
@group(0) @binding(3) var<storage, read_write> tally: array<atomic<u32>, 4>;
@group(0) @binding(4) var<storage, read_write> next: array<u32>;

fn append(state: u32, kind: u32) {
    let record = state | (kind << 30u);
    let slot = atomicAdd(&tally[APPENDED], 1u);
    if slot < params[CAPACITY] {
        next[slot] = record;
    }
    let key = mix_words(state, kind);
    add_wide(DIGEST, key.x, key.y);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let number = id.x + id.y * groups.x * 64u;
    if number >= params[COUNT] {
        return;
    }
    let state = frontier[number];
    let plane = params[PLANE];
    let pose = select(0u, 1u, state >= plane) + select(0u, 1u, state >= 2u * plane);
    for (var direction = 0u; direction < 4u; direction++) {
        let before = state + params[ADDED + pose * 4u + direction];
        let word = before >> 5u;
        let bit = 1u << (before & 31u);
        if word >= arrayLength(&open) {
            continue;
        }
        if params[CLAIM] == 1u {
            // Looked at first: most neighbours were met already, and an atomic write is dear.
            if (atomicLoad(&open[word]) & bit) != 0u && (atomicAnd(&open[word], ~bit) & bit) != 0u {
                append(before, 0u);
            }
        } else if (atomicLoad(&open[word]) & bit) != 0u {
            // The kinds' numbers: 0 tips, 1 stands, 2 rolls.
            let tip = before < plane;
            append(before, select(select(2u, 1u, pose == 0u), 0u, tip));
        }
    }
}
