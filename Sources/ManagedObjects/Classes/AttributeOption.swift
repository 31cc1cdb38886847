public import FoundationEssentials
public import ObjectModels
public import OrderedCollections
internal import Predicates
public import PropertyLists

/// A setting of an attribute.
///
/// ```swift
/// final class Invoice: ManagedObject {
///   @Attribute(.unique, .pattern("[A-Z]{2}[0-9]+")) var number: String
///   @Attribute(.minimum(0, warning: "the total is negative")) var total: Decimal = 0
///   @Attribute(.renamed(from: "memo")) var remark: String?
/// }
/// ```
///
/// Some options are only for some types: a minimum and a maximum are for numbers and dates, lengths and patterns for
/// strings, external storage for data. The compiler checks this.
///
/// A value that violates a limit makes the save throw a ``ManagedObjectError`` with a code such as
/// ``ManagedObjectError/Code/numberTooSmall``. If the limit has a `warning`, the code is
/// ``ManagedObjectError/Code/validation``, and the warning is the message.
public struct AttributeOption<Value: AttributeConvertible>: Sendable {
  let apply: @Sendable (inout ClassProperty) -> Void

  private init(_ apply: @escaping @Sendable (inout ClassProperty) -> Void) { self.apply = apply }

  private static func attribute(
    _ change: @escaping @Sendable (inout AttributeDescription) throws(ManagedPredicateError) -> Void
  ) -> AttributeOption {
    AttributeOption { property in
      guard case .attribute(var attribute) = property.description else { return }
      do throws(ManagedPredicateError) { try change(&attribute) } catch {
        property.defects.append(.init(.classProperty, error.description))
      }
      property.description = .attribute(attribute)
    }
  }

  private static func limit(_ limit: SourceLimit, _ value: AttributeValue, _ warning: String?) -> AttributeOption {
    attribute { attribute in
      var validation = limit.validation(of: attribute.type, value)
      if let warning { validation.warning = .text(warning) }
      attribute.traits.validations.append(validation)
    }
  }

  // Settings for all attributes.

  /// A fetch index on the attribute alone, for fast searches in a store.
  public static var indexed: AttributeOption { AttributeOption { $0.isIndexed = true } }

  /// A uniqueness constraint on the attribute alone: no two objects may have the same value. Strings that differ in
  /// case are different, because the constraints of a model contain only property names.
  public static var unique: AttributeOption { AttributeOption { $0.isUnique = true } }

  /// An option for a transient attribute, whose value is not saved in stores.
  public static var transient: AttributeOption { attribute { $0.traits.isTransient = true } }

  /// An option to keep the value of a deleted object in the history of changes.
  public static var preservedInHistory: AttributeOption { attribute { $0.preservesValueInHistoryOnDeletion = true } }

  /// An option that has the value indexed by Spotlight on Apple's platforms. Models keep it; this package does not use
  /// it.
  public static var spotlight: AttributeOption { attribute { $0.traits.isIndexedBySpotlight = true } }

  /// An option that has the value encrypted in iCloud on Apple's platforms. Models keep it; the stores of this package
  /// do not encrypt the value.
  public static var allowsCloudEncryption: AttributeOption { attribute { $0.allowsCloudEncryption = true } }

  /// The name of the attribute in an earlier version of the model, so that a migration finds its values.
  public static func renamed(from name: String) -> AttributeOption { attribute { $0.traits.renamingIdentifier = name } }

  /// A string that becomes part of the attribute's version hash. Change it to make a new version of an attribute that
  /// otherwise looks the same: `.hashModifier("2")`.
  public static func hashModifier(_ modifier: String) -> AttributeOption {
    attribute { $0.traits.versionHashModifier = modifier }
  }

  /// Custom data of the attribute in the model: `.userInfo(["unit": "EUR"])`.
  public static func userInfo(_ entries: OrderedDictionary<String, PropertyList>) -> AttributeOption {
    attribute { $0.traits.userInfo = entries }
  }

  /// A condition on the value, which is `SELF` in the predicate: `.predicate("SELF != 13", warning: "13 brings bad
  /// luck")`.
  ///
  /// - Parameters:
  ///   - format: the condition; see ``ManagedPredicate/init(format:_:)``. If it is not a predicate, making a model
  ///     throws.
  ///   - warning: the error message if the condition is false: a sentence, or a key of the model's localization.
  public static func predicate(_ format: String, warning: String? = nil) -> AttributeOption {
    attribute { attribute throws(ManagedPredicateError) in
      let predicate = try ManagedPredicate(format: format, arguments: [])
      attribute.traits.validations.append(PropertyValidation(predicate, warning: warning.map { .text($0) }))
    }
  }

  /// The value transformer that converts values to the data that stores keep:
  ///
  /// ```swift
  /// @Attribute(.transformed(by: ColorToDataTransformer.self)) var color: Color?
  /// ```
  ///
  /// In the model, the attribute is transformable and has the transformer's name. The property has the type of the
  /// transformer's values. If only the transformer can store this type, let it conform to
  /// ``TransformedAttributeValue``.
  public static func transformed<Transformer: AttributeTransformer>(
    by transformer: Transformer.Type
  ) -> AttributeOption where Transformer.Value == Value.Base {
    AttributeOption { property in
      guard case .attribute(var attribute) = property.description else { return }
      attribute.type = .transformable
      attribute.valueTransformerName = transformer.transformerName
      property.description = .attribute(attribute)
      property.transformer = transformer
    }
  }

  /// A value that the store computes when objects are saved: `.derived("pages.@sum.words")`. The object has the new
  /// value after the save.
  ///
  /// ```swift
  /// @Attribute(.derived("pages.@count")) private(set) var pageCount: Int
  /// @Attribute(.derived("canonical:(title)")) private(set) var searchTitle: String?
  /// ```
  ///
  /// A new SQLite store can only have the `@count` of a to-many relationship whose inverse is not to-many, because Core
  /// Data's triggers for other expressions are not known. Other stores compute all expressions.
  ///
  /// - Parameter format: an expression; see ``ManagedExpression/init(format:_:)``.
  public static func derived(_ format: String) -> AttributeOption {
    attribute { attribute throws(ManagedPredicateError) in
      attribute.derivation = .init(try ManagedExpression(format: format, arguments: []))
      attribute.traits.isReadOnly = true
    }
  }
}

/// Limits on values.
///
/// If a value violates a limit without a warning, the error has the code for that limit, such as
/// ``ManagedObjectError/Code/numberTooSmall``. If the limit has a warning, the error has the warning as its message and
/// the code ``ManagedObjectError/Code/validation``, as in Core Data. Xcode's source files cannot store limits with
/// warnings.
extension AttributeOption where Value.Base: OrderedAttributeValue {
  /// The minimum value: `.minimum(1, warning: "at least one seat is needed")`.
  ///
  /// - Parameters:
  ///   - bound: the minimum.
  ///   - warning: the error message for a smaller value: a sentence, or a key of the model's localization.
  public static func minimum(_ bound: Value.Base, warning: String? = nil) -> AttributeOption {
    limit(.minimum, (try? bound.attributeValue) ?? .null, warning)
  }

  /// The maximum value.
  ///
  /// - Parameters:
  ///   - bound: the maximum.
  ///   - warning: the error message for a greater value: a sentence, or a key of the model's localization.
  public static func maximum(_ bound: Value.Base, warning: String? = nil) -> AttributeOption {
    limit(.maximum, (try? bound.attributeValue) ?? .null, warning)
  }
}

extension AttributeOption where Value.Base == String {
  /// The minimum length.
  ///
  /// - Parameters:
  ///   - length: the minimum, in UTF-16 code units, as in all validation of strings.
  ///   - warning: the error message for a shorter string: a sentence, or a key of the model's localization.
  public static func minimumLength(_ length: Int, warning: String? = nil) -> AttributeOption {
    limit(.minimum, .integer(Int64(length)), warning)
  }

  /// The maximum length.
  ///
  /// - Parameters:
  ///   - length: the maximum, in UTF-16 code units, as in all validation of strings.
  ///   - warning: the error message for a longer string: a sentence, or a key of the model's localization.
  public static func maximumLength(_ length: Int, warning: String? = nil) -> AttributeOption {
    limit(.maximum, .integer(Int64(length)), warning)
  }

  /// A regular expression that must match the whole value.
  ///
  /// - Parameters:
  ///   - pattern: the expression.
  ///   - warning: the error message for other strings: a sentence, or a key of the model's localization.
  public static func pattern(_ pattern: String, warning: String? = nil) -> AttributeOption {
    limit(.pattern, .string(pattern), warning)
  }
}

extension AttributeOption where Value.Base == Data {
  /// An option to let Core Data keep large data in separate files next to an SQLite store. It is a part of the model
  /// and of its version hashes.
  ///
  /// SQLite stores of this package read values in separate files. They write new values into the row, whatever their
  /// size, so that one transaction has all data; Core Data reads both forms. XML and binary stores keep all values in
  /// their file.
  public static var externalStorage: AttributeOption { attribute { $0.allowsExternalBinaryDataStorage = true } }
}
