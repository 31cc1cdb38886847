import KeyedArchiving
import Synchronization

/// The names of all classes that archives have objects of, as Swift has them.
final class ClassNames: Sendable {
  private struct Names {
    var types: Set<String> = []
    /// Those that no type of Swift can have.
    var others: Set<String> = []
  }

  private let names = Mutex(Names())

  func add(_ classes: [KeyedArchive.CountedClass]) {
    names.withLock { names in
      for found in classes where found.instanceCount > 0 {
        if let name = found.description.swiftTypeName {
          names.types.insert(name)
        } else {
          names.others.insert(found.description.name)
        }
      }
    }
  }

  /// `[A.self, B.self]`, a line for each.
  var swiftText: String {
    names.withLock { names in
      let types = names.types.sorted().map { "  \($0).self,\n" }
      let others = names.others.sorted().map { "  // no type of Swift: \($0.printable())\n" }
      return types.isEmpty && others.isEmpty ? "[]" : "[\n" + (types + others).joined() + "]"
    }
  }
}
