internal import Synchronization

/// The types of full Foundation that Apple's archives have classes for.
///
/// This module does not import full Foundation, so that programs need not link it. It knows the types by their names,
/// and their values by what they encode as `Codable`.
enum FoundationType {
  case indexSet, personNameComponents, range

  private static let known = Mutex<[ObjectIdentifier: FoundationType?]>([:])

  static func of(_ type: Any.Type) -> FoundationType? {
    known.withLock { known in
      if let answer = known[ObjectIdentifier(type)] { return answer }
      // Spelled as on Linux, and as on Apple's systems.
      let found: FoundationType? =
        switch String(reflecting: type) {
        case "Foundation.IndexSet": .indexSet
        case "Foundation.PersonNameComponents": .personNameComponents
        case "Foundation._NSRange", "__C._NSRange": .range
        default: nil
        }
      known[ObjectIdentifier(type)] = .some(found)
      return found
    }
  }

  var archivedClass: ArchivedClass {
    switch self {
    case .indexSet: ArchivedClass("NSIndexSet", aliases: ["NSMutableIndexSet"])
    case .personNameComponents: ArchivedClass("NSPersonNameComponents")
    case .range: ArchivedClass("NSValue")
    }
  }
}
