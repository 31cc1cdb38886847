/// The limits of a reader. It throws an error if one is exceeded. The defaults are safe for untrusted input.
public struct ParsingLimits: Hashable, Sendable {
  /// The maximum nesting depth of containers. The default, 512, is the limit of Apple's reader (`CFBinaryPList.c`).
  /// Values above ``greatestDepth`` are treated as ``greatestDepth``.
  public var depth: Int

  /// The maximum size of the input, in bytes. The default is 4 GiB.
  public var inputSize: Int

  /// The maximum size of a value with all shared references expanded, counted in nodes plus the bytes of strings and
  /// data.
  ///
  /// A few hundred bytes of the binary format can expand to more values than there are atoms. An expansion is accepted
  /// if it stays below this limit or below ``expansionRatio`` times the size of the input.
  ///
  /// While a document is written, each value also counts its nesting level, because text formats indent by it.
  ///
  /// A decoder counts a value each time that a type requests it, plus four for each error that the type may catch.
  ///
  /// Values decoded from a keyed archive are counted as often as they occur in the result, plus one for each 512 bytes
  /// of a string or of data. An object of a class counts once, because all references lead to the same instance. Each
  /// counted value costs less than a microsecond to compare, hash or archive again.
  public var expandedSize: Int

  /// The maximum size of a value with all shared references expanded, as a multiple of the size of the input. A value
  /// decoded from a keyed archive counts as 16 bytes.
  public var expansionRatio: Int

  /// Creates limits. The defaults are safe for untrusted input.
  public init(depth: Int = 512, inputSize: Int = 1 << 32, expandedSize: Int = 1 << 19, expansionRatio: Int = 128) {
    self.depth = depth
    self.inputSize = inputSize
    self.expandedSize = expandedSize
    self.expansionRatio = expansionRatio
  }

  /// The highest depth that ``depth`` can allow. It exists because trees are freed recursively, and because libxml2 has
  /// a depth limit of its own.
  public static let greatestDepth = 2000

  package var effectiveDepth: Int { Self.clamped(depth) }

  static func clamped(_ depth: Int) -> Int { min(max(depth, 0), greatestDepth) }

  package func effectiveExpandedSize(inputSize: Int) -> Int {
    let (product, overflow) = inputSize.multipliedReportingOverflow(by: max(expansionRatio, 1))
    return max(overflow ? .max : product, expandedSize)
  }

  /// The number of bytes that a value decoded from an archive counts as, in addition to its own bytes.
  package static let bytesPerValue = 16

  /// Returns the number of values that may be decoded from an archive.
  package func effectiveValueCount(inputSize: Int) -> Int {
    max(effectiveExpandedSize(inputSize: inputSize) / Self.bytesPerValue, expandedSize, 0)
  }

  package func check(inputSize size: Int) throws(PropertyListError) {
    if size > inputSize { throw Self.tooLarge(limit: inputSize) }
  }

  static func tooLarge(limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "more than \(limit) bytes of input")
  }

  /// Returns the budget of bytes and references of a binary file that may be read. It is limited because objects can
  /// overlap. A file without overlaps needs one visit per byte, and two more for keys. The constant is for tiny files.
  static func overlapBudget(inputSize: Int) -> WorkBudget { WorkBudget(4 * inputSize + (1 << 16)) }

  static var overlap: PropertyListError {
    PropertyListError(.limitExceeded, "the objects overlap, and are many times larger together than the file")
  }

  static func expandsTooFar(limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "shared references expand to more than \(limit) values and bytes")
  }

  static func nestedTooDeeply(limit: Int) -> PropertyListError {
    PropertyListError(.nestedTooDeeply, "containers are nested more than \(limit) deep")
  }
}
