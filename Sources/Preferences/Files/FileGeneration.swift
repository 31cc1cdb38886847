internal import FoundationEssentials
internal import PropertyLists

/// A saved state of a file, with its number in the count of saves. Of two states, the one with the higher number is the
/// newer one, whatever the clock says.
struct FileGeneration: Hashable, Sendable {
  /// The number of the count: two counts that began at different times say nothing about each other.
  private let count: UInt64
  private let number: UInt64
  /// The number of times that the file was made anew because it could not be read.
  private let losses: UInt64
  /// The hash of the bytes of this state.
  let hash: UInt64

  /// The first state of a new count.
  ///
  /// - Parameter isLoss: true if the file is made anew because it cannot be read.
  init(_ data: Data, isLoss: Bool) { self.init(.random(in: .min ... .max), 1, isLoss ? 1 : 0, Self.hash(data)) }

  private init(_ count: UInt64, _ number: UInt64, _ losses: UInt64, _ hash: UInt64) {
    (self.count, self.number, self.losses, self.hash) = (count, number, losses, hash)
  }

  static func hash(_ data: Data) -> UInt64 {
    ByteHash.hash(data.bytes, from: 0, count: data.count, seed: ByteHash.stableSeed)
  }

  /// The state that is saved after this one.
  func next(_ data: Data) -> FileGeneration { FileGeneration(count, number &+ 1, losses, Self.hash(data)) }

  /// The same state, which is put into a new file because the old one cannot be read.
  var afterLoss: FileGeneration { FileGeneration(count, number, losses &+ 1, hash) }

  func isCounted(with other: FileGeneration?) -> Bool { count == other?.count }

  /// True if who knows this state knows the other, too, or a later one.
  func covers(_ other: FileGeneration) -> Bool { isCounted(with: other) && number >= other.number }

  /// True if the file was made anew since it had an earlier state; nil for one that was not counted.
  func hasLoss(since earlier: FileGeneration?) -> Bool {
    losses > (isCounted(with: earlier) ? earlier?.losses ?? 0 : 0)
  }
}

/// The text of a generation.
extension FileGeneration {
  static let wordCount = 4

  var words: [String] { [count, number, losses, hash].map { String($0, radix: 16) } }

  init?(_ words: some Collection<Substring>) {
    let numbers = words.compactMap { UInt64($0, radix: 16) }
    guard words.count == Self.wordCount, numbers.count == words.count else { return nil }
    self.init(numbers[0], numbers[1], numbers[2], numbers[3])
  }
}
