/// What all decoders of one call share: the document, and what may still be taken out of it.
final class DecodingContext {
  let document: PropertyListDocument
  let userInfo: [CodingUserInfoKey: Any]
  private let depthLimit: Int
  let stack = CallStack.current
  private var shapes = DictionaryShapes()
  /// How many more values and bytes may be read; see ``ParsingLimits/expandedSize``.
  /// Sound: nobody else's code runs while it is changed.
  @exclusivity(unchecked) private var budget: Int

  init(_ document: PropertyListDocument, userInfo: [CodingUserInfoKey: Any]) {
    self.document = document
    self.userInfo = userInfo
    depthLimit = document.options.limits.effectiveDepth
    if case .binary = document.index { unsafe budget = document.expandedSizeLimit } else { unsafe budget = .max }
  }

  /// Decodes the value that the call is about.
  func decode<T: Decodable>(_ type: T.Type, _ node: FlatNode) throws -> T {
    try DocumentDecoder(self, node).decode(type, node, .same)
  }

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

  func shape(of dictionary: FlatNode) throws(PropertyListError) -> DictionaryShape {
    try document.shape(of: dictionary, in: &shapes)
  }

  @inline(__always)
  func text(of node: FlatNode) throws(PropertyListError) -> String {
    try spend(node.length)
    return try document.text(of: node)
  }

  @inline(__always)
  func spend(_ size: Int) throws(PropertyListError) {
    unsafe budget &-= size
    if unsafe budget < 0 { throw ParsingLimits.expandsTooFar(limit: document.expandedSizeLimit) }
  }

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
    // A circle is the better answer, if there is one. The coding path says where.
    do throws(PropertyListError) {
      try document.validate()
    } catch {
      guard error.kind == .circularReference else { throw ParsingLimits.nestedTooDeeply(limit: depthLimit) }
      throw PropertyListError(error.kind, error.message, byteOffset: error.byteOffset)
    }
    throw ParsingLimits.nestedTooDeeply(limit: depthLimit)
  }
}
