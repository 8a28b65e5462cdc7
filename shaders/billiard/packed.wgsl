// Rows of a triangle and sets of values in registers. A row is packed, 16 bits a column, eight columns in each of two
// vectors (a, b); a set of values has eight words in two vectors.

const INDEX_LOW: vec4<u32> = vec4<u32>(0u, 1u, 2u, 3u);
const INDEX_HIGH: vec4<u32> = vec4<u32>(4u, 5u, 6u, 7u);
const ZERO: vec4<u32> = vec4<u32>(0u, 0u, 0u, 0u);

struct Packed { a: vec4<u32>, b: vec4<u32> }

fn pick(value: vec4<u32>, at: vec4<bool>) -> u32 {
    let v = select(ZERO, value, at);
    return v.x | v.y | v.z | v.w;
}

// Word `at` of eight; 0 outside.
fn word_of(values: Packed, at: u32) -> u32 {
    let at4 = vec4<u32>(at);
    return pick(values.a, INDEX_LOW == at4) | pick(values.b, INDEX_HIGH == at4);
}

fn field(packed: Packed, at: u32) -> u32 {
    return (word_of(packed, at >> 1u) >> ((at & 1u) * 16u)) & 0xffffu;
}

fn with_field(packed: Packed, at: u32, value: u32) -> Packed {
    let bits = vec4<u32>(value << ((at & 1u) * 16u));
    let at4 = vec4<u32>(at >> 1u);
    return Packed(packed.a | select(ZERO, bits, INDEX_LOW == at4), packed.b | select(ZERO, bits, INDEX_HIGH == at4));
}

fn without_value(values: Packed, value: u32) -> Packed {
    let bits = vec4<u32>(~(1u << ((value - 1u) & 31u)));
    let at4 = vec4<u32>((value - 1u) >> 5u);
    let ones = vec4<u32>(0xffffffffu);
    return Packed(values.a & select(ones, bits, INDEX_LOW == at4), values.b & select(ones, bits, INDEX_HIGH == at4));
}

// The words of a set that holds 1..=count.
fn up_to(first: vec4<u32>, count: i32) -> vec4<u32> {
    let left = clamp(vec4<i32>(count) - vec4<i32>(first) * 32, vec4<i32>(0), vec4<i32>(32));
    let partly = (vec4<u32>(1u) << (vec4<u32>(left) & vec4<u32>(31u))) - vec4<u32>(1u);
    return select(partly, vec4<u32>(0xffffffffu), left == vec4<i32>(32));
}

fn set_up_to(count: i32) -> Packed { return Packed(up_to(INDEX_LOW, count), up_to(INDEX_HIGH, count)); }

fn columns_mask(words: vec4<u32>, ends: vec2<u32>) -> vec4<u32> {
    let low = words * 2u;
    let high = low + vec4<u32>(1u);
    let first = vec4<u32>(ends.x);
    let last = vec4<u32>(ends.y);
    return select(ZERO, vec4<u32>(0xffffu), (low >= first) & (low <= last))
        | select(ZERO, vec4<u32>(0xffff0000u), (high >= first) & (high <= last));
}

fn has_zero_field(words: vec4<u32>) -> bool {
    let tops = ((words & vec4<u32>(0x7fff7fffu)) + vec4<u32>(0x7fff7fffu)) | words;
    return any((tops & vec4<u32>(0x80008000u)) != vec4<u32>(0x80008000u));
}

// The columns moved down by one.
fn moved(packed: Packed) -> Packed {
    return Packed(
        (packed.a >> vec4<u32>(16u)) | (vec4<u32>(packed.a.yzw, packed.b.x) << vec4<u32>(16u)),
        (packed.b >> vec4<u32>(16u)) | (vec4<u32>(packed.b.yzw, 0u) << vec4<u32>(16u)));
}

// Whether no field of the sums is past the limit of its list; fields have 15 bits.
fn is_within(limit: i32, a: vec4<u32>, b: vec4<u32>) -> bool {
    let bound = vec4<u32>((u32(max(limit, 0)) | 0x8000u) * 0x10001u);
    return limit >= 0 && all((((bound - a) & (bound - b)) & vec4<u32>(0x80008000u)) == vec4<u32>(0x80008000u));
}
