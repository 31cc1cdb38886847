/// The limits that a reader enforces on its input. The defaults are safe for untrusted input.
///
/// Readers throw ``PropertyListError/Kind/nestedTooDeeply`` beyond ``depth``, and
/// ``PropertyListError/Kind/limitExceeded`` beyond the other limits.
///
/// ```swift
/// let limits = ParsingLimits(depth: 64, inputSize: 1 << 20)   // 64 levels, 1 MiB
/// let message = try PropertyList(received, options: PropertyListReadingOptions(limits: limits))
/// ```
public struct ParsingLimits: Hashable, Sendable {
  /// The maximum nesting depth of containers. The default, 512, is the limit of Apple's reader (`CFBinaryPList.c`).
  /// Values above ``greatestDepth`` are treated as ``greatestDepth``.
  public var depth: Int

  /// The maximum size of the input, in bytes. The default is 4 GiB.
  public var inputSize: Int

  /// The maximum size of a value with all shared references expanded, which means that each reference counts as a copy
  /// of its object. The size is the number of values and keys plus the bytes of strings and data.
  ///
  /// A binary property list can refer to one object many times, so that a few hundred bytes expand to more values than
  /// any memory can hold. An expansion is accepted if it is within this limit or within ``expansionRatio`` times the
  /// size of the input.
  ///
  /// When a document is written, each value also counts one for each level of nesting, because text formats indent it.
  ///
  /// A ``PropertyListDecoder`` counts a value each time that a type decodes it. Each error that it throws counts four,
  /// because the type may catch the error and continue.
  ///
  /// Values decoded from a keyed archive count each time that they occur in the result, plus one for each 512 bytes of
  /// a string or of data. An object of a class counts once, because all references lead to the same instance.
  /// Comparing, hashing or archiving a counted value again takes less than a microsecond.
  public var expandedSize: Int

  /// The maximum size of a value with all shared references expanded, as a multiple of the size of the input. For this
  /// purpose, each value decoded from a keyed archive counts as 16 bytes.
  public var expansionRatio: Int

  /// Creates limits. The defaults are safe for untrusted input.
  public init(depth: Int = 512, inputSize: Int = 1 << 32, expandedSize: Int = 1 << 19, expansionRatio: Int = 128) {
    self.depth = depth
    self.inputSize = inputSize
    self.expandedSize = expandedSize
    self.expansionRatio = expansionRatio
  }

  /// The upper bound of ``depth``. Freeing a deeper ``PropertyList`` could overflow the stack, because values are freed
  /// recursively. libxml2 also has a depth limit of its own.
  public static let greatestDepth = 2000

  package var effectiveDepth: Int { Self.clamped(depth) }

  static func clamped(_ depth: Int) -> Int { min(max(depth, 0), greatestDepth) }

  package func effectiveExpandedSize(inputSize: Int) -> Int {
    let (product, overflow) = inputSize.multipliedReportingOverflow(by: max(expansionRatio, 1))
    return max(overflow ? .max : product, expandedSize)
  }

  /// The number of bytes that each value decoded from a keyed archive counts, in addition to the bytes of a string or
  /// of data.
  package static let bytesPerValue = 16

  /// Returns the number of values that may be decoded from a keyed archive of `inputSize` bytes.
  package func effectiveValueCount(inputSize: Int) -> Int {
    max(effectiveExpandedSize(inputSize: inputSize) / Self.bytesPerValue, expandedSize, 0)
  }

  package func check(inputSize size: Int) throws(PropertyListError) {
    if size > inputSize { throw Self.tooLarge(limit: inputSize) }
  }

  static func tooLarge(limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "more than \(limit) bytes of input")
  }

  /// Returns the budget for the bytes and references that may be read from a binary file in total. The budget stops
  /// files whose objects overlap, because they can make a reader read the same bytes any number of times. Without
  /// overlaps, each byte is read once, and a byte of a key at most two more times. So a budget of four times the size
  /// is enough. The constant allows more for tiny files.
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
