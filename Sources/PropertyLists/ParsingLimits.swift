/// How much a reader takes on before it gives up with an error. The defaults are safe for bytes from anybody.
public struct ParsingLimits: Hashable, Sendable {
  /// How deep containers may be nested; 512 is the limit of Apple's reader (`CFBinaryPList.c`). At most ``greatestDepth``: a
  /// larger value counts as that.
  public var depth: Int

  /// How many bytes the input may have.
  public var inputSize: Int

  /// How large a value may become when shared references are followed, counted in nodes plus the bytes of strings and data.
  ///
  /// A few hundred bytes of the binary format can stand for more values than there are atoms. An expansion passes if it stays
  /// below this figure or below ``expansionRatio`` times the input.
  public var expandedSize: Int

  /// How many times larger than the input a value may become when shared references are followed.
  public var expansionRatio: Int

  /// Limits that are safe for bytes from anybody, but for those that are given.
  public init(
    depth: Int = 512, inputSize: Int = .max, expandedSize: Int = 1 << 20, expansionRatio: Int = 128
  ) {
    self.depth = depth
    self.inputSize = inputSize
    self.expandedSize = expandedSize
    self.expansionRatio = expansionRatio
  }

  /// Trees are built, compared and freed by recursion, so there is a depth that no caller can ask for more than.
  public static let greatestDepth = 2000

  var effectiveDepth: Int { min(max(depth, 0), Self.greatestDepth) }

  func effectiveExpandedSize(inputSize: Int) -> Int {
    let (product, overflow) = inputSize.multipliedReportingOverflow(by: max(expansionRatio, 1))
    return max(overflow ? .max : product, expandedSize)
  }

  func check(inputSize size: Int) throws(PropertyListError) {
    guard size <= inputSize else {
      throw PropertyListError(.limitExceeded, "\(size) bytes of input, where \(inputSize) are allowed")
    }
  }

  /// How many bytes and references of a binary file may be looked at. Objects can overlap, as Apple's reader allows; without a
  /// bound, n bytes could make n objects of n bytes each. A file without overlaps needs one look at each byte, and one more at
  /// keys.
  static func overlapBudget(inputSize: Int) -> Int { 4 * inputSize + 1 << 16 }

  static var overlap: PropertyListError {
    PropertyListError(
      .limitExceeded, "the objects overlap, and are many times larger together than the file", byteOffset: 8)
  }

  static func expandsTooFar(limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "shared references expand to more than \(limit) values and bytes")
  }

  static func nestedTooDeeply(limit: Int) -> PropertyListError {
    PropertyListError(.nestedTooDeeply, "containers are nested more than \(limit) deep")
  }
}

/// How a property list is read.
public struct PropertyListReadingOptions: Hashable, Sendable {
  /// How much is read before the reader gives up.
  public var limits: ParsingLimits

  /// Whether a dictionary of XML whose only key is `CF$UID`, with an integer of 0 to `UInt32.max`, is read as the UID it stands
  /// for, as Apple's reader does.
  public var recognizesUIDDictionaries: Bool

  /// What a dictionary with the same key twice means.
  public var duplicateKeys: DuplicateKeys

  /// Apple's way of reading, but for a key that stands twice.
  public init(
    limits: ParsingLimits = ParsingLimits(), recognizesUIDDictionaries: Bool = true,
    duplicateKeys: DuplicateKeys = .reject
  ) {
    self.limits = limits
    self.recognizesUIDDictionaries = recognizesUIDDictionaries
    self.duplicateKeys = duplicateKeys
  }

  /// What to do about a key that stands twice in a dictionary.
  public enum DuplicateKeys: Hashable, Sendable {
    /// An error: to choose one is to lose the other.
    case reject
    /// The last value counts, at the place of the first, as in Apple's XML reader. Text formats only.
    case keepLast
  }
}
