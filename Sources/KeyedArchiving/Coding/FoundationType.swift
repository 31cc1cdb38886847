internal import Synchronization

/// The types of full Foundation that have classes in Apple's archives.
///
/// This module does not import full Foundation, so that programs need not link it. It recognizes the types by their
/// names. To convert a value, it encodes or decodes the value as `Codable`.
enum FoundationType {
  case indexSet, personNameComponents, range

  private static let known = Mutex<[ObjectIdentifier: FoundationType?]>([:])

  static func of(_ type: Any.Type) -> FoundationType? {
    known.withLock { known in
      if let answer = known[ObjectIdentifier(type)] { return answer }
      // `NSRange` has one name on Linux and another on Apple's systems.
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
