/// The key of a superclass's part, as the standard library's coders call it.
package struct SuperKey: CodingKey {
  package let stringValue = "super"
  package let intValue: Int? = nil

  package init() {}
  package init?(stringValue: String) {}
  package init?(intValue: Int) { nil }
}

/// An index of an array.
package struct IndexKey: CodingKey {
  private let index: Int

  package init(_ index: Int) { self.index = index }

  package var stringValue: String { "Index \(index)" }
  package var intValue: Int? { index }

  package init?(stringValue: String) { nil }

  package init?(intValue: Int) { self.init(intValue) }
}

/// A key that a document has.
private struct NamedKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

/// One step of a coding path. An index is made a key only when somebody asks for the path.
package enum CodingStep {
  /// The same value again, as another type.
  case same
  case key(any CodingKey)
  case index(Int)

  package var key: (any CodingKey)? {
    switch self {
    case .same: nil
    case .key(let key): key
    case .index(let index): IndexKey(index)
    }
  }
}

/// A coder that knows the one around it, and so its position on the coding path.
protocol NestedCoder: AnyObject {
  var parent: Self? { get }
  /// The step from the parent.
  var step: CodingStep { get }
}

extension NestedCoder {
  var codingPath: [any CodingKey] { codingPath(.same) }

  /// The path to what is one step below.
  func codingPath(_ step: CodingStep) -> [any CodingKey] {
    var path = [step.key]
    var coder: Self? = self
    while let current = coder {
      path.append(current.step.key)
      coder = current.parent
    }
    return path.reversed().compactMap { $0 }
  }
}

extension PropertyListKeyPath {
  /// The steps as keys of `Codable`.
  var codingPath: [any CodingKey] {
    components.map { component in
      switch component {
      case .key(let key): NamedKey(stringValue: key)
      case .index(let index): IndexKey(index)
      }
    }
  }
}
