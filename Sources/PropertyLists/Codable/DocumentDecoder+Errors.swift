/// The errors of a value. A type may swallow any number of them, so each is counted.
extension DocumentDecoder {
  @inline(never)
  func mismatch(_ type: Any.Type, _ node: FlatNode, _ step: CodingStep, _ wanted: String? = nil) -> DecodingError {
    context.countError()
    let path = errorPath(step)
    if context.isNull(node) {
      return .valueNotFound(
        type, .init(codingPath: path, debugDescription: "nil, where a \(wanted ?? "\(type)") is due"))
    }
    return .typeMismatch(
      type,
      .init(codingPath: path, debugDescription: "a value of kind \(node.kind), where a \(wanted ?? "\(type)") is due"))
  }

  @inline(never)
  func corrupted(_ message: String, _ step: CodingStep) -> DecodingError {
    context.countError()
    return .dataCorrupted(.init(codingPath: errorPath(step), debugDescription: message))
  }

  @inline(never)
  func notFound(_ key: some CodingKey) -> DecodingError {
    context.countError()
    return .keyNotFound(
      key,
      .init(codingPath: errorPath(.same), debugDescription: "no value for the key \(key.stringValue.quoted)"))
  }

  /// Returns the error of an array that has no element at an index.
  @inline(never)
  func notFound(_ type: Any.Type, at index: Int) -> DecodingError {
    context.countError()
    return .valueNotFound(
      type,
      .init(codingPath: errorPath(.index(index)), debugDescription: "no element \(index) in an array of \(node.count)"))
  }

  /// Returns the error of a document that cannot be read, or that exceeds a limit. Such an error ends the whole call,
  /// even if a type swallows it.
  @inline(never)
  func failure(_ error: PropertyListError, _ step: CodingStep) -> DecodingError {
    context.countError()
    switch error.kind {
    case .limitExceeded, .nestedTooDeeply, .circularReference:
      if context.exceededLimit == nil { context.exceededLimit = DecodingError(error, at: codingPath(step)) }
    default: break
    }
    return DecodingError(error, at: errorPath(step))
  }
}
