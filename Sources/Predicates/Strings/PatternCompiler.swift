/// Compiles a regular expression into instructions, with all repetitions expanded.
struct PatternCompiler {
  private(set) var program: [Pattern.Instruction] = []
  private(set) var sets: [ScalarSet] = []
  private var setIndices: [ScalarSet: Int] = [:]

  private static let greatestCount = 50_000

  mutating func finish() { program.append(.match) }

  mutating func add(_ tree: PatternTree) throws(ManagedPredicateError) {
    switch tree {
    case .empty: break
    case .scalar(let scalar, let ignoringCase):
      try emit(ignoringCase ? .folded(ScalarSet.folded(scalar)) : .scalar(scalar))
    case .set(let set):
      let index = setIndices[set] ?? sets.count
      if index == sets.count {
        setIndices[set] = index
        sets.append(set)
      }
      try emit(.set(index))
    case .anyInLine: try emit(.anyInLine)
    case .any: try emit(.any)
    case .assertion(let assertion): try emit(.assertion(assertion))
    case .sequence(let parts): for part in parts { try add(part) }
    case .alternatives(let branches): try add(branches)
    case .repeated(let part, let least, let most): try add(part, least, most)
    }
  }

  private mutating func emit(_ instruction: Pattern.Instruction) throws(ManagedPredicateError) {
    guard program.count < Self.greatestCount else {
      throw ManagedPredicateError(
        .tooMuchWork, "a regular expression has more than \(Self.greatestCount) parts, including repetitions")
    }
    program.append(instruction)
  }

  private mutating func add(_ branches: [PatternTree]) throws(ManagedPredicateError) {
    var jumps: [Int] = []
    for branch in branches.dropLast() {
      let split = program.count
      try emit(.split(split + 1, 0))
      try add(branch)
      jumps.append(program.count)
      try emit(.jump(0))
      program[split] = .split(split + 1, program.count)
    }
    if let last = branches.last { try add(last) }
    for jump in jumps { program[jump] = .jump(program.count) }
  }

  private mutating func add(_ part: PatternTree, _ least: Int, _ most: Int?) throws(ManagedPredicateError) {
    for count in 0..<least {
      let start = program.count
      try add(part)
      // Repeating a part without instructions has no effect.
      if count == 0, program.count == start { return }
    }
    guard let most else {
      let split = program.count
      try emit(.split(split + 1, 0))
      try add(part)
      try emit(.jump(split))
      program[split] = .split(split + 1, program.count)
      return
    }
    var splits: [Int] = []
    for _ in least..<max(most, least) {
      let split = program.count
      splits.append(split)
      try emit(.split(split + 1, 0))
      try add(part)
      if program.count == split + 1 { break }
    }
    for split in splits { program[split] = .split(split + 1, program.count) }
  }
}
