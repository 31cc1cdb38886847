/// How much a reader takes on before it gives up with an error. The defaults are safe for bytes from anybody.
public struct ParsingLimits: Hashable, Sendable {
  /// How deep containers may be nested; 512 is the limit of Apple's reader (`CFBinaryPList.c`). At most
  /// ``greatestDepth``: a larger value counts as that.
  public var depth: Int

  /// How many bytes the input may have; 4 GiB unless it is said otherwise.
  public var inputSize: Int

  /// How large a value may become when shared references are followed, counted in nodes plus the bytes of strings and
  /// data.
  ///
  /// While a document is written, each value also counts the levels it stands below others, since text formats indent
  /// by them.
  ///
  /// A few hundred bytes of the binary format can stand for more values than there are atoms. An expansion passes if it
  /// stays below this figure or below ``expansionRatio`` times the input.
  ///
  /// A decoder counts each value as often as a type asks for it, and four more for each error that the type may
  /// swallow.
  ///
  /// What is decoded from a keyed archive counts in values, each as often as it is in what is decoded, and one more for
  /// each 512 bytes of a string or of data. An object of a class counts once, because all references lead to the same.
  /// To compare, to hash and to archive again what was decoded takes a fraction of a microsecond for each.
  public var expandedSize: Int

  /// How many times larger than the input a value may become when shared references are followed. A value that is
  /// decoded from a keyed archive counts as 16 bytes here.
  public var expansionRatio: Int

  /// Limits that are safe for bytes from anybody, but for those that are given.
  public init(depth: Int = 512, inputSize: Int = 1 << 32, expandedSize: Int = 1 << 19, expansionRatio: Int = 128) {
    self.depth = depth
    self.inputSize = inputSize
    self.expandedSize = expandedSize
    self.expansionRatio = expansionRatio
  }

  /// Trees are freed by recursion, and libxml2 has a limit of its own, so there is a depth that no caller can ask for
  /// more than.
  public static let greatestDepth = 2000

  package var effectiveDepth: Int { Self.clamped(depth) }

  static func clamped(_ depth: Int) -> Int { min(max(depth, 0), greatestDepth) }

  package func effectiveExpandedSize(inputSize: Int) -> Int {
    let (product, overflow) = inputSize.multipliedReportingOverflow(by: max(expansionRatio, 1))
    return max(overflow ? .max : product, expandedSize)
  }

  /// What a value that is decoded from an archive counts for besides its bytes.
  package static let bytesPerValue = 16

  /// How many values may be decoded from an archive.
  package func effectiveValueCount(inputSize: Int) -> Int {
    max(effectiveExpandedSize(inputSize: inputSize) / Self.bytesPerValue, expandedSize, 0)
  }

  package func check(inputSize size: Int) throws(PropertyListError) {
    if size > inputSize { throw Self.tooLarge(limit: inputSize) }
  }

  static func tooLarge(limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "more than \(limit) bytes of input")
  }

  /// How many bytes and references of a binary file may be looked at, since its objects can overlap. A file without
  /// overlaps needs one look at each byte, and two more at keys; the constant is for tiny files.
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
