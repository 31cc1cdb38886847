internal import FoundationEssentials
internal import PropertyLists

/// The identification of a saved state of a file: its number in a series of saves. If two states are in the same
/// series, the state with the higher number is newer, regardless of the clock.
struct FileGeneration: Hashable, Sendable {
  /// A random number that identifies the series. States of different series cannot be compared.
  private let count: UInt64
  private let number: UInt64
  /// The number of times that the file was replaced with a new one because it could not be read.
  private let losses: UInt64
  /// The hash of the bytes of this state.
  let hash: UInt64

  /// Creates the generation of the first state in a new series.
  ///
  /// - Parameter isLoss: true if the old file is replaced because it cannot be read.
  init(_ data: Data, isLoss: Bool) { self.init(.random(in: .min ... .max), 1, isLoss ? 1 : 0, Self.hash(data)) }

  private init(_ count: UInt64, _ number: UInt64, _ losses: UInt64, _ hash: UInt64) {
    (self.count, self.number, self.losses, self.hash) = (count, number, losses, hash)
  }

  static func hash(_ data: Data) -> UInt64 {
    ByteHash.hash(data.bytes, from: 0, count: data.count, seed: ByteHash.stableSeed)
  }

  /// Returns the generation of the bytes that are saved after this state.
  func next(_ data: Data) -> FileGeneration { FileGeneration(count, number &+ 1, losses, Self.hash(data)) }

  /// The generation of the same state in a new file, which replaces a file that cannot be read.
  var afterLoss: FileGeneration { FileGeneration(count, number, losses &+ 1, hash) }

  func isCounted(with other: FileGeneration?) -> Bool { count == other?.count }

  /// Returns true if this state includes the other state, because it is the same state or a later one.
  func covers(_ other: FileGeneration) -> Bool { isCounted(with: other) && number >= other.number }

  /// Returns true if the file was replaced after an earlier state because it could not be read. `earlier` is nil if
  /// that state is unknown.
  func hasLoss(since earlier: FileGeneration?) -> Bool {
    losses > (isCounted(with: earlier) ? earlier?.losses ?? 0 : 0)
  }
}

/// The text form of a generation.
extension FileGeneration {
  static let wordCount = 4

  var words: [String] { [count, number, losses, hash].map { String($0, radix: 16) } }

  init?(_ words: some Collection<Substring>) {
    let numbers = words.compactMap { UInt64($0, radix: 16) }
    guard words.count == Self.wordCount, numbers.count == words.count else { return nil }
    self.init(numbers[0], numbers[1], numbers[2], numbers[3])
  }
}
