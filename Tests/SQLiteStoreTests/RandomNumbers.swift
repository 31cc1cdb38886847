/// A generator with a seed, so that failures can be reproduced.
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 33
  }

  mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(limit, 1), using: &self) }

  /// True once in `count` calls on average.
  mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
