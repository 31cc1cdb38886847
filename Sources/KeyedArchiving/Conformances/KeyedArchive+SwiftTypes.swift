internal import FoundationEssentials
internal import OrderedCollections

extension KeyedArchive.ClassDescription {
  /// What Swift code calls the type that decodes objects of this class: `URL` for `NSURL`, `Archived.Null` for
  /// `NSNull`, `[ArchivedValue]` for `NSArray`, and for classes that this package knows nothing of their own name,
  /// `Person` or `Module.Person`. Nil for a name that no type of Swift can have.
  public var swiftTypeName: String? {
    let name = ClassName.normalized(name)
    if let known = Self.knownTypes[name] { return known }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.allSatisfy(Self.isIdentifier) ? name : nil
  }

  /// True for the classes that this package has types for.
  static func isKnown(_ name: String) -> Bool { knownTypes[ClassName.normalized(name)] != nil }

  private static func isIdentifier(_ text: Substring) -> Bool {
    guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
    return text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue && $0.value < 0x10000 }
  }

  /// By the names that the types of this package have in archives.
  private static let knownTypes: [String: String] = {
    var names: [String: String] = [:]
    for type in types {
      let archivedClass = type.archivedClass
      let name = spelled(type)
      for archived in [archivedClass.name] + archivedClass.aliases where names[archived] == nil {
        names[archived] = name
      }
    }
    // Numbers are of one class, whatever they are decoded as.
    names["NSNumber"] = "Double"
    return names
  }()

  /// Without the module, and with the brackets of Swift.
  private static func spelled(_ type: any SecureCoding.Type) -> String {
    switch type {
    case is [ArchivedValue].Type: "[ArchivedValue]"
    case is [ArchivedValue: ArchivedValue].Type: "[ArchivedValue: ArchivedValue]"
    default:
      String(reflecting: type).replacing("FoundationEssentials.", with: "").replacing("Foundation.", with: "")
        .replacing("KeyedArchiving.", with: "").replacing("OrderedCollections.", with: "").replacing("Swift.", with: "")
    }
  }

  private static let types: [any SecureCoding.Type] = [
    String.self, Data.self, Date.self, Decimal.self, URL.self, UUID.self, IndexPath.self, DateComponents.self,
    DateInterval.self, Locale.self, TimeZone.self, Calendar.self, [ArchivedValue].self, Set<ArchivedValue>.self,
    [ArchivedValue: ArchivedValue].self, OrderedSet<ArchivedValue>.self, Archived.AffineTransform.self,
    Archived.AttributedString.self, Archived.ByteCountFormatter.self, Archived.CArray.self, Archived.CharacterSet.self,
    Archived.Color.self, Archived.Color.ColorSpace.self, Archived.CountedSet<ArchivedValue>.self,
    Archived.DateIntervalFormatter.self,
    Archived.Error.self, Archived.Exception.self, Archived.ISO8601DateFormatter.self, Archived.IndexSet.self,
    Archived.Measurement.self, Archived.Notification.self, Archived.Null.self, Archived.PersonNameComponents.self,
    Archived.RegularExpression.self, Archived.SortDescriptor.self, Archived.TextCheckingResult.self,
    Archived.URLQueryItem.self, Archived.Unit.self, Archived.UnitConverter.self, Archived.Value.self,
  ]
}
