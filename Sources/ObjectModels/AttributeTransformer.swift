public import FoundationEssentials
public import KeyedArchiving

/// A value transformer of Core Data: a conversion between the values of transformable attributes and the data that
/// stores keep.
///
/// ```swift
/// struct Color { var red, green, blue: UInt8 }
///
/// enum ColorToDataTransformer: AttributeTransformer {
///   static func transformedValue(_ color: Color) throws -> Data { Data([color.red, color.green, color.blue]) }
///
///   static func reverseTransformedValue(_ data: Data) throws -> Color {
///     guard data.count == 3 else { throw ColorError.wrongLength(data.count) }
///     return Color(red: data[data.startIndex], green: data[data.startIndex + 1], blue: data[data.startIndex + 2])
///   }
/// }
/// ```
///
/// A class names its transformer with the option `.transformed(by:)` of `@Attribute`. A model from a file has only the
/// names of transformers: ``AttributeDescription/valueTransformerName``. They are looked up among those that the
/// program registers with the model, and nowhere else, so a file cannot choose code to run:
///
/// ```swift
/// let model = try ManagedObjectModel(contentsOf: url).registering(ColorToDataTransformer.self)
/// ```
///
/// The directions are those of Core Data: `transformedValue` converts to data. Full Foundation has a class
/// `ValueTransformer` on all platforms, so this protocol has another name.
public protocol AttributeTransformer<Value>: SendableMetatype {
  /// The type of the values in programs.
  associatedtype Value

  /// The name in models. The default is the name of the type, without its module.
  static var transformerName: String { get }

  /// Returns the data for a value. Throws any error if the value cannot be stored.
  static func transformedValue(_ value: Value) throws -> Data

  /// Returns the value for data from a store, which another program may have written. Throws any error if the data is
  /// invalid, and must not trap.
  static func reverseTransformedValue(_ data: Data) throws -> Value
}

extension AttributeTransformer {
  public static var transformerName: String { String(describing: Self.self) }
}

/// A transformer to keyed archives with its own name, like a subclass of Core Data's
/// `NSSecureUnarchiveFromDataTransformer`.
///
/// ```swift
/// enum SettingsTransformer: SecureUnarchiveFromDataTransformer { typealias Value = Settings }
/// ```
///
/// An attribute needs no transformer if its transformer name is one of Core Data's own names for keyed archives, or is
/// missing. Its property can have any type that conforms to `SecureCoding` and `AttributeCoding`.
public protocol SecureUnarchiveFromDataTransformer: AttributeTransformer where Value: SecureCoding {
  /// The types that the root object of an archive may have. The default is ``AttributeTransformer/Value`` alone. For a
  /// class, add the subclasses that archives may contain.
  static var allowedTopLevelClasses: [any SecureCoding.Type] { get }
}

extension SecureUnarchiveFromDataTransformer {
  public static var allowedTopLevelClasses: [any SecureCoding.Type] { [Value.self] }

  public static func transformedValue(_ value: Value) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: value)
  }

  public static func reverseTransformedValue(_ data: Data) throws -> Value {
    try KeyedUnarchiver.unarchivedObject(Value.self, of: allowedTopLevelClasses, from: data)
  }
}

extension AttributeDescription {
  /// The names of Core Data's transformers whose data is a keyed archive (`NSValueTransformer.h`).
  private static let archivingTransformers: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
  ]

  /// The name of the value transformer; nil if values are stored as keyed archives, or if the attribute is not
  /// transformable.
  package var customTransformerName: String? {
    guard type == .transformable, let name = valueTransformerName, !name.isEmpty,
      !Self.archivingTransformers.contains(name)
    else { return nil }
    return name
  }

  /// Returns true if a program cannot register a transformer under a name.
  fileprivate static func isReserved(_ name: String) -> Bool { name.isEmpty || archivingTransformers.contains(name) }
}

/// The transformers of a model, by name.
package struct AttributeTransformers: Sendable {
  private var byName: [String: any AttributeTransformer.Type] = [:]

  package init() {}

  package subscript(name: String) -> (any AttributeTransformer.Type)? { byName[name] }

  /// Adds a transformer. Returns the defect if its name is not allowed, or is that of another transformer.
  package mutating func add(_ transformer: any AttributeTransformer.Type) -> ManagedObjectModelError.Defect? {
    let name = transformer.transformerName
    if AttributeDescription.isReserved(name) {
      return .init(
        .forbiddenName, "the value transformer \(transformer) cannot have the name \(name.quoted), which is reserved")
    }
    if let known = byName[name], known != transformer {
      return .init(.duplicateName, "the value transformers \(known) and \(transformer) have the name \(name.quoted)")
    }
    byName[name] = transformer
    return nil
  }

  /// Adds the transformers of another model. Returns the names that both use for different transformers, sorted.
  mutating func merge(_ other: AttributeTransformers) -> [String] {
    var conflicts: [String] = []
    for (name, transformer) in other.byName {
      if byName[name, default: transformer] != transformer { conflicts.append(name) }
      byName[name] = transformer
    }
    return conflicts.sorted()
  }
}

extension ManagedObjectModel {
  /// Returns the model with value transformers, for the attributes that name them.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: url).registering(ColorToDataTransformer.self)
  ///   .joined(with: [Note.self])
  /// ```
  ///
  /// If a model names a transformer that is not registered, the values of the attribute are data.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` if two transformers have the same name, or if the name is one of
  ///   Core Data's for keyed archives.
  /// - Complexity: O(*n*) in the number of properties of the model.
  public func registering(
    _ transformers: any AttributeTransformer.Type...
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var contents = contents
    contents.allowsReservedNames = true
    let defects = transformers.compactMap { contents.transformers.add($0) }
    if !defects.isEmpty { throw .invalid(defects) }
    return try ManagedObjectModel(contents)
  }
}
