/// The parts of an object ID as text: `x-coredata://STORE/Note/p12`, or `x-coredata:///Note/t3` for an object that was
/// never saved. Core Data uses the same format.
package struct ObjectURI {
  package static let prefix = "x-coredata://"

  /// The identifier of the store; nil for an object that was never saved.
  package let storeIdentifier: String?
  package let entityName: String
  /// The primary key of the object; negative for an object that was never saved.
  package let number: Int64

  package init(storeIdentifier: String?, entityName: String, number: Int64) {
    self.storeIdentifier = storeIdentifier
    self.entityName = entityName
    self.number = number
  }

  /// Parses the URI of an object. Returns nil if the text is not one.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[1].isEmpty, let number = Int64(parts[2].dropFirst()), number > 0 else { return nil }
    switch (parts[2].first, parts[0].isEmpty) {
    case ("p", false):
      storeIdentifier = String(parts[0])
      self.number = number
    case ("t", true):
      storeIdentifier = nil
      self.number = -number
    default: return nil
    }
    entityName = String(parts[1])
  }

  package var text: String {
    "\(Self.prefix)\(storeIdentifier ?? "")/\(entityName)/" + (number < 0 ? "t\(number.magnitude)" : "p\(number)")
  }
}
