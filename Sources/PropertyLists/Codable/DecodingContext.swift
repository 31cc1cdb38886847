/// The state that all decoders of one call of ``PropertyListDecoder`` share: the document, and the remaining budget for
/// reading it.
final class DecodingContext {
  let document: PropertyListDocument
  let userInfo: [CodingUserInfoKey: Any]
  private let depthLimit: Int
  let stack = CallStack.current
  private var shapes = DictionaryShapes()
  /// The number of values and bytes that may still be read; see ``ParsingLimits/expandedSize``. A value counts each
  /// time that it is decoded: once for each reference to it, and once for each type that tries to decode it.
  /// Memory-safe: no code outside this package runs while this property is changed.
  @exclusivity(unchecked) private var budget: WorkBudget
  /// Memory-safe: no code outside this package runs while this property is changed.
  @exclusivity(unchecked) private var recentStrings = RecentStrings()
  /// The error for the first limit that was exceeded, with the complete path to the value; nil if none was.
  var exceededLimit: DecodingError?
  /// The error for values that are nested too deeply, or nil until it is needed. It is created only once, because
  /// creating it may validate the whole document.
  private var depthError: PropertyListError?

  init(_ document: PropertyListDocument, userInfo: [CodingUserInfoKey: Any]) {
    self.document = document
    self.userInfo = userInfo
    depthLimit = document.options.limits.effectiveDepth
    unsafe budget = WorkBudget(document.expandedSizeLimit)
  }

  /// Decodes the value that was passed to ``PropertyListDecoder``. Throws if a limit was exceeded, even if a type
  /// caught that error.
  func decode<T: Decodable>(_ type: T.Type, _ node: FlatNode) throws -> T {
    do {
      let value = try DocumentDecoder(self, node).decode(type, node, .same)
      if let limitError { throw limitError }
      return value
    } catch {
      throw limitError ?? (error as? DecodingError)?.withCompletePath ?? error
    }
  }

  /// The error of the limit that was exceeded, or nil if none was. Errors that a type has caught count, too.
  private var limitError: DecodingError? { exceededLimit ?? (isExhausted ? DecodingError(budgetError) : nil) }

  /// Returns the value of an entry of a dictionary.
  @inline(__always)
  func value(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    try spend(1)
    return try document.value(ofEntry: entry, of: dictionary)
  }

  /// Returns an element of an array.
  @inline(__always)
  func element(_ position: Int, of array: FlatNode) throws(PropertyListError) -> FlatNode {
    try spend(1)
    return try document.element(position, of: array)
  }

  /// Returns the keys of a dictionary. They count against the budget at each call.
  func shape(of dictionary: FlatNode) throws(PropertyListError) -> DictionaryShape {
    try spend(dictionary.count)
    return try document.shape(of: dictionary, in: &shapes)
  }

  @inline(__always)
  func text(of node: FlatNode) throws(PropertyListError) -> String {
    try spend(node.length)
    return try unsafe document.text(of: node, in: &recentStrings)
  }

  @inline(__always)
  func spend(_ size: Int) throws(PropertyListError) {
    guard unsafe budget.spend(size) else { throw budgetError }
  }

  private var budgetError: PropertyListError {
    PropertyListError(
      .limitExceeded,
      "decoding reads more than \(document.expandedSizeLimit) values and bytes; those that are read twice count twice")
  }

  /// True if no more values may be read.
  var isExhausted: Bool { unsafe budget.isExhausted }

  /// Subtracts four values from the budget for an error, because four values take about as long to decode.
  func countError() { _ = unsafe budget.spend(4) }

  /// Returns true if a value represents nil.
  @inline(__always)
  func isNull(_ node: FlatNode) -> Bool {
    switch node.kind {
    case .null: true
    case .string: isNullText(node)
    default: false
    }
  }

  @inline(__always)
  private func isNullText(_ node: FlatNode) -> Bool {
    switch node.encoding {
    case .ascii, .verbatim: node.length == 5 && document.has("$null", as: node)
    case .utf16: node.length == 10 && document.has("$null", as: node)
    case .xmlText, .jsonText, .base64: document.has("$null", as: node)
    }
  }

  /// Throws if a container that is nested in `depth` other containers exceeds the depth limit.
  func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth >= depthLimit else { return }
    let error = depthError ?? makeDepthError()
    depthError = error
    throw error
  }

  /// Returns the error for a value that is nested too deeply. If the document has a circular reference, returns the
  /// error for that instead. The error has no key path, because the coding path gives the location.
  private func makeDepthError() -> PropertyListError {
    do { try document.validate() } catch {
      if error.kind == .circularReference {
        return PropertyListError(error.kind, error.message, byteOffset: error.byteOffset)
      }
    }
    return ParsingLimits.nestedTooDeeply(limit: depthLimit)
  }
}
