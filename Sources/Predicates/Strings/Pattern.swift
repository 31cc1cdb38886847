/// A regular expression that is matched against whole strings, in time linear in the length of the string.
///
/// The syntax is that of ICU, which Core Data uses, without the features that need backtracking: back references,
/// look-ahead and look-behind assertions, atomic groups and possessive quantifiers are errors. `\p{…}` accepts only
/// general categories and some properties, not the names of scripts and blocks. Scalars are compared as they are,
/// without normalization.
struct Pattern: Hashable, Sendable {
  private let program: [Instruction]
  private let sets: [ScalarSet]

  enum Instruction: Hashable, Sendable {
    case scalar(UInt32)
    /// A lowercase scalar that matches in any case.
    case folded(UInt32)
    case set(Int)
    /// Any scalar except line endings.
    case anyInLine
    case any
    case split(Int, Int)
    case jump(Int)
    case assertion(Assertion)
    case match
  }

  enum Assertion: Hashable, Sendable {
    case start, end, endOfText, lineStart, lineEnd, wordBoundary, noWordBoundary
  }

  /// Parses a pattern in ICU's syntax.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/pattern`` if it is invalid, ``ManagedPredicateError/Kind/tooMuchWork`` if
  ///   it is too large.
  init(_ text: String, ignoringCase: Bool = false) throws(ManagedPredicateError) {
    var parser = PatternParser(text, ignoringCase: ignoringCase)
    let tree = try parser.whole()
    var compiler = PatternCompiler()
    try compiler.add(tree)
    compiler.finish()
    program = compiler.program
    sets = compiler.sets
  }

  private static let greatestWork = 1 << 26

  /// True if the pattern matches the whole text.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/tooMuchWork`` if it takes too many steps.
  /// - Complexity: O(*n*·*m*), where *n* is the length of the text and *m* that of the pattern with all repetitions
  ///   expanded.
  func matches(_ text: String) throws(ManagedPredicateError) -> Bool {
    let scalars = text.unicodeScalars.map(\.value)
    var current = Threads(capacity: program.count)
    var next = Threads(capacity: program.count)
    var work = 0
    follow(0, at: 0, scalars, &current, &work)
    for (index, scalar) in scalars.enumerated() {
      if current.reached.isEmpty { return false }
      guard work <= Self.greatestWork else {
        throw ManagedPredicateError(.tooMuchWork, "matching a regular expression takes too many steps")
      }
      next.removeAll()
      for instruction in current.reached where accepts(program[instruction], scalar) {
        follow(instruction + 1, at: index + 1, scalars, &next, &work)
      }
      swap(&current, &next)
    }
    return current.reached.contains { program[$0] == .match }
  }

  /// The instructions that are active at one position of the text. Each is contained at most once.
  private struct Threads {
    var reached: [Int] = []
    private var isSeen: [Bool]
    private var seen: [Int] = []

    init(capacity: Int) { isSeen = Array(repeating: false, count: capacity) }

    mutating func see(_ instruction: Int) -> Bool {
      if isSeen[instruction] { return false }
      isSeen[instruction] = true
      seen.append(instruction)
      return true
    }

    mutating func removeAll() {
      for instruction in seen { isSeen[instruction] = false }
      seen.removeAll(keepingCapacity: true)
      reached.removeAll(keepingCapacity: true)
    }
  }

  private func follow(_ start: Int, at index: Int, _ scalars: [UInt32], _ threads: inout Threads, _ work: inout Int) {
    var waiting = [start]
    while let instruction = waiting.popLast() {
      work += 1
      guard threads.see(instruction) else { continue }
      switch program[instruction] {
      case .jump(let target): waiting.append(target)
      case .split(let first, let second):
        waiting.append(first)
        waiting.append(second)
      case .assertion(let assertion):
        if holds(assertion, at: index, scalars) { waiting.append(instruction + 1) }
      default: threads.reached.append(instruction)
      }
    }
  }

  private func accepts(_ instruction: Instruction, _ scalar: UInt32) -> Bool {
    switch instruction {
    case .scalar(let value): value == scalar
    case .folded(let value): value == scalar || value == ScalarSet.folded(scalar)
    case .set(let index): sets[index].contains(scalar)
    case .anyInLine: !ScalarSet.endsLine(scalar)
    case .any: true
    case .split, .jump, .assertion, .match: false
    }
  }

  private func holds(_ assertion: Assertion, at index: Int, _ scalars: [UInt32]) -> Bool {
    func isWord(_ index: Int) -> Bool { scalars.indices.contains(index) && ScalarSet.word.contains(scalars[index]) }
    switch assertion {
    case .start: return index == 0
    case .endOfText: return index == scalars.count
    case .end:
      if index == scalars.count { return true }
      let rest = scalars.count - index
      return rest == 1 && ScalarSet.endsLine(scalars[index])
        || rest == 2 && scalars[index] == 13 && scalars[index + 1] == 10
    case .lineStart: return index == 0 || index < scalars.count && ScalarSet.endsLine(scalars[index - 1])
    case .lineEnd: return index == scalars.count || ScalarSet.endsLine(scalars[index])
    case .wordBoundary: return isWord(index - 1) != isWord(index)
    case .noWordBoundary: return isWord(index - 1) == isWord(index)
    }
  }
}
