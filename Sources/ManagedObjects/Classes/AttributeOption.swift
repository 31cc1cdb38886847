public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
internal import Predicates
public import PropertyLists

/// A setting of an attribute besides its type: `@Attribute(.indexed, .maximumLength(80)) var title: String`.
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

  // Settings of every attribute.

  /// A fetch index of the attribute alone: a store finds values fast.
  public static var indexed: AttributeOption { AttributeOption { $0.isIndexed = true } }

  /// A uniqueness constraint of the attribute alone: no two objects have the same value. Texts that differ in case are
  /// not the same, since a constraint of a model has names of properties and nothing else.
  public static var unique: AttributeOption { AttributeOption { $0.isUnique = true } }

  /// No store keeps the value.
  public static var transient: AttributeOption { attribute { $0.traits.isTransient = true } }

  /// The history of changes keeps the value of a deleted object.
  public static var preservedInHistory: AttributeOption { attribute { $0.preservesValueInHistoryOnDeletion = true } }

  /// The name of the attribute in an earlier version of the model.
  public static func renamed(from name: String) -> AttributeOption { attribute { $0.traits.renamingIdentifier = name } }

  /// A part of the version hash: a new one makes another version of an attribute that looks the same.
  public static func hashModifier(_ modifier: String) -> AttributeOption {
    attribute { $0.traits.versionHashModifier = modifier }
  }

  /// Data that programs keep with the attribute.
  public static func userInfo(_ entries: OrderedDictionary<String, PropertyList>) -> AttributeOption {
    attribute { $0.traits.userInfo = entries }
  }

  /// A condition on the value, which is `SELF` in it: `.predicate("SELF != 13", warning: "13 brings bad luck")`.
  ///
  /// - Parameters:
  ///   - format: the condition; see ``ManagedPredicate/init(format:_:)``. A model of a class with one that is none is
  ///     an error.
  ///   - warning: what is wrong if it is false: a sentence, or a key of the model's localisation.
  public static func predicate(_ format: String, warning: String? = nil) -> AttributeOption {
    attribute { attribute throws(ManagedPredicateError) in
      let predicate = try ManagedPredicate(format: format, arguments: [])
      attribute.traits.validations.append(PropertyValidation(predicate, warning: warning.map { .text($0) }))
    }
  }

  /// The store computes the value: `.derived("pages.@sum.words")`.
  ///
  /// - Parameter format: an expression; see ``ManagedExpression/init(format:_:)``.
  public static func derived(_ format: String) -> AttributeOption {
    attribute { attribute throws(ManagedPredicateError) in
      attribute.derivation = .init(try ManagedExpression(format: format, arguments: []))
      attribute.traits.isReadOnly = true
    }
  }
}

/// A limit of values.
///
/// A limit without a warning is an error with the code of its kind, such as ``ManagedObjectError/Code/numberTooSmall``.
/// With a warning it is a condition like any other: its errors have that as their message, and the code
/// ``ManagedObjectError/Code/validation``, as Core Data's have; and no source file of Xcode can hold it.
extension AttributeOption where Value.Base: OrderedAttributeValue {
  /// The least value: `.minimum(1, warning: "at least one seat is needed")`.
  ///
  /// - Parameters:
  ///   - bound: the value.
  ///   - warning: what is wrong with a lesser one: a sentence, or a key of the model's localisation.
  public static func minimum(_ bound: Value.Base, warning: String? = nil) -> AttributeOption {
    limit(.minimum, (try? bound.attributeValue) ?? .null, warning)
  }

  /// The greatest value.
  ///
  /// - Parameters:
  ///   - bound: the value.
  ///   - warning: what is wrong with a greater one: a sentence, or a key of the model's localisation.
  public static func maximum(_ bound: Value.Base, warning: String? = nil) -> AttributeOption {
    limit(.maximum, (try? bound.attributeValue) ?? .null, warning)
  }
}

extension AttributeOption where Value.Base == String {
  /// The least length.
  ///
  /// - Parameters:
  ///   - length: in units of UTF-16, as in all validation of strings.
  ///   - warning: what is wrong with a shorter text: a sentence, or a key of the model's localisation.
  public static func minimumLength(_ length: Int, warning: String? = nil) -> AttributeOption {
    limit(.minimum, .integer(Int64(length)), warning)
  }

  /// The greatest length.
  ///
  /// - Parameters:
  ///   - length: in units of UTF-16, as in all validation of strings.
  ///   - warning: what is wrong with a longer text: a sentence, or a key of the model's localisation.
  public static func maximumLength(_ length: Int, warning: String? = nil) -> AttributeOption {
    limit(.maximum, .integer(Int64(length)), warning)
  }

  /// A regular expression that the whole value matches.
  ///
  /// - Parameters:
  ///   - pattern: the expression.
  ///   - warning: what is wrong with another text: a sentence, or a key of the model's localisation.
  public static func pattern(_ pattern: String, warning: String? = nil) -> AttributeOption {
    limit(.pattern, .string(pattern), warning)
  }
}

extension AttributeOption where Value.Base == Data {
  /// A store may keep large data in files beside it.
  public static var externalStorage: AttributeOption { attribute { $0.allowsExternalBinaryDataStorage = true } }
}
