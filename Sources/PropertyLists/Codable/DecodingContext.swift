/// The state that all decoders of one call share: the document, and how much may still be read of it.
final class DecodingContext {
  let document: PropertyListDocument
  let userInfo: [CodingUserInfoKey: Any]
  private let depthLimit: Int
  let stack = CallStack.current
  private var shapes = DictionaryShapes()
  /// The number of values and bytes that may still be read; see ``ParsingLimits/expandedSize``. A value counts each
  /// time it is decoded: through each shared reference, and by each type that is tried.
  /// Sound: nobody else's code runs while it is changed.
  @exclusivity(unchecked) private var budget: WorkBudget
  /// The first limit that was exceeded, with the complete path to where.
  var exceededLimit: DecodingError?
  /// The error of values below ``depthLimit``, once it is known.
  private var depthError: PropertyListError?

  init(_ document: PropertyListDocument, userInfo: [CodingUserInfoKey: Any]) {
    self.document = document
    self.userInfo = userInfo
    depthLimit = document.options.limits.effectiveDepth
    unsafe budget = WorkBudget(document.expandedSizeLimit)
  }

  /// Decodes the value that the call is about. Throws if a limit was exceeded, even if the type swallowed that.
  func decode<T: Decodable>(_ type: T.Type, _ node: FlatNode) throws -> T {
    do {
      let value = try DocumentDecoder(self, node).decode(type, node, .same)
      if let limitError { throw limitError }
      return value
    } catch {
      throw limitError ?? (error as? DecodingError)?.withCompletePath ?? error
    }
  }

  /// The error of the limit that was exceeded; nil if none was. Errors that a type has swallowed count too.
  private var limitError: DecodingError? { exceededLimit ?? (isExhausted ? DecodingError(budgetError) : nil) }

  /// The value of an entry of a dictionary.
  @inline(__always)
  func value(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    try spend(1)
    return try document.value(ofEntry: entry, of: dictionary)
  }

  /// An element of an array.
  @inline(__always)
  func element(_ position: Int, of array: FlatNode) throws(PropertyListError) -> FlatNode {
    try spend(1)
    return try document.element(position, of: array)
  }

  /// The keys of a dictionary, which are looked at each time.
  func shape(of dictionary: FlatNode) throws(PropertyListError) -> DictionaryShape {
    try spend(dictionary.count)
    return try document.shape(of: dictionary, in: &shapes)
  }

  @inline(__always)
  func text(of node: FlatNode) throws(PropertyListError) -> String {
    try spend(node.length)
    return try document.text(of: node)
  }

  @inline(__always)
  func spend(_ size: Int) throws(PropertyListError) {
    guard unsafe budget.spend(size) else { throw budgetError }
  }

  private var budgetError: PropertyListError {
    PropertyListError(
      .limitExceeded,
      "decoding takes more than \(document.expandedSizeLimit) values and bytes, each as often as it is asked for")
  }

  /// True if no more values may be read.
  var isExhausted: Bool { unsafe budget.isExhausted }

  /// Counts an error like some values, which take about as long to decode.
  func countError() { _ = unsafe budget.spend(4) }

  /// Whether a value stands for nil.
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

  /// Checks that one more container may be entered.
  func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth >= depthLimit else { return }
    let error = depthError ?? makeDepthError()
    depthError = error
    throw error
  }

  /// A circle is the better answer, if there is one. The coding path says where.
  private func makeDepthError() -> PropertyListError {
    do { try document.validate() } catch {
      if error.kind == .circularReference {
        return PropertyListError(error.kind, error.message, byteOffset: error.byteOffset)
      }
    }
    return ParsingLimits.nestedTooDeeply(limit: depthLimit)
  }
}
