internal import FoundationEssentials

/// What all encoders of one call share: the document in the making.
///
/// A value is a node as soon as it has been encoded, and the nodes of a container move into the node table when all of them are
/// there. So encoding makes no objects of its own for values, and what writes documents writes what was encoded.
final class EncodingContext {
  let userInfo: [CodingUserInfoKey: Any]
  let depthLimit: Int
  private let stack = CallStack.current
  /// The text of all strings, and data, one behind the other.
  private var text = ByteBuffer()
  private var builder = EncodingContext.emptyTable
  private var nullText: FlatNode?
  /// Encoders that are filled after their place was taken. They have the encoders around them, which do not have them.
  private var deferred: [DocumentEncoder] = []

  init(depth: Int, userInfo: [CodingUserInfoKey: Any]) {
    depthLimit = depth
    self.userInfo = userInfo
  }

  /// A key that is encoded twice has the value that it was encoded with last, as Foundation has it.
  private static var emptyTable: NodeTableBuilder {
    NodeTableBuilder(
      options: PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast), expectedNodes: 0)
  }

  /// Encodes the value that the call is about.
  func document<T: Encodable>(of value: T) throws -> PropertyListDocument {
    // The innermost first, so that each is freed alone and not with all that are around it.
    defer { while !deferred.isEmpty { deferred.removeLast() } }
    guard let root = try DocumentEncoder(self).node(of: value, .same) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: [], debugDescription: "\(T.self) has not encoded any value"))
    }
    var options = PropertyListReadingOptions()
    options.limits.depth = depthLimit
    return PropertyListDocument(finish(root), .binary, options)
  }

  private func finish(_ root: FlatNode) -> TextContent {
    var takenText = ByteBuffer()
    var takenBuilder = Self.emptyTable
    swap(&takenText, &text)
    swap(&takenBuilder, &builder)
    takenBuilder.append(root)
    return TextContent(text: takenText.takeData(), table: takenBuilder.finish())
  }

  /// Whether there is room on the stack for another type's code.
  var hasRoom: Bool { stack.isOfThisThread ? stack.hasRoom : CallStack.current.hasRoom }
}

/// Nodes of values.
extension EncodingContext {
  func string(_ value: String) -> FlatNode {
    let utf8 = value.utf8Span.rawBytes
    let node = FlatNode.string(.verbatim, offset: text.count, length: utf8.byteCount)
    text.append(utf8)
    return node
  }

  func data(_ value: Data) -> FlatNode {
    let bytes = value.bytes
    let node = FlatNode.data(.verbatim, offset: text.count, length: bytes.byteCount)
    text.append(bytes)
    return node
  }

  /// Property lists have no nil, so Foundation writes this string.
  func null() -> FlatNode {
    if let nullText { return nullText }
    let node = string("$null")
    nullText = node
    return node
  }

  /// - Parameter children: of a dictionary, keys and values in turn.
  func container(_ kind: NodeKind, of children: [FlatNode]) -> FlatNode {
    Self.container(kind, of: children, &builder, text)
  }

  private static func container(
    _ kind: NodeKind, of children: [FlatNode], _ builder: inout NodeTableBuilder, _ text: borrowing ByteBuffer
  ) -> FlatNode {
    builder.container(kind, of: children, in: text.bytes)
  }
}

/// Encoders whose values come later.
extension EncodingContext {
  /// - Returns: the number by which ``deferredEncoder(_:)`` finds it.
  func deferEncoder(_ encoder: DocumentEncoder) -> Int {
    deferred.append(encoder)
    return deferred.count - 1
  }

  func deferredEncoder(_ number: Int) -> DocumentEncoder { deferred[number] }
}
