internal import FoundationEssentials
internal import OrderedCollections

extension KeyedArchive.ClassDescription {
  /// The Swift name of the type that decodes objects of this class: `URL` for `NSURL`, `Archived.Null` for `NSNull`,
  /// `[ArchivedValue]` for `NSArray`. If this package does not know the class, the class's own name, such as `Person`
  /// or `Module.Person`. Nil if that cannot be the name of a Swift type.
  public var swiftTypeName: String? {
    let name = ClassName.normalized(name)
    if let known = Self.knownTypes[name] { return known }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.allSatisfy(Self.isIdentifier) ? name : nil
  }

  /// Returns true if this package has a type for the class.
  static func isKnown(_ name: String) -> Bool { knownTypes[ClassName.normalized(name)] != nil }

  private static func isIdentifier(_ text: Substring) -> Bool {
    guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart else { return false }
    return text.unicodeScalars.allSatisfy { $0.properties.isXIDContinue && $0.value < 0x10000 }
  }

  /// The Swift names of this package's types, by their class names in archives.
  private static let knownTypes: [String: String] = {
    var names: [String: String] = [:]
    for type in types {
      let archivedClass = type.archivedClass
      let name = spelled(type)
      for archived in [archivedClass.name] + archivedClass.aliases where names[archived] == nil {
        names[archived] = name
      }
    }
    // Several types decode `NSNumber`. `Double` stands for all of them.
    names["NSNumber"] = "Double"
    return names
  }()

  /// Returns the name of a type in Swift syntax, without the module.
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
