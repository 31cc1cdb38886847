/// The key `super`, which coders of the standard library use for a superclass.
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

/// A key of a dictionary in a document.
private struct NamedKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

/// One step of a coding path. An index is converted to a key only when the path is requested.
package enum CodingStep {
  /// No step: the value of the parent itself, decoded or encoded as another type.
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

/// A coder with a parent and the step from the parent. All steps from the root are its coding path.
protocol NestedCoder: AnyObject {
  var parent: Self? { get }
  /// The step from the parent.
  var step: CodingStep { get }
}

extension NestedCoder {
  var codingPath: [any CodingKey] { codingPath(.same) }

  /// Returns the path of a value that is one step below this coder's value.
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
  /// The steps as coding keys.
  var codingPath: [any CodingKey] {
    components.map { component in
      switch component {
      case .key(let key): NamedKey(stringValue: key)
      case .index(let index): IndexKey(index)
      }
    }
  }
}
