/// The class that a Swift type has in archives: its name, ancestors, hints and aliases.
///
/// An archive describes each class by a dictionary with `$classname`, `$classes` (the class and its ancestors) and, if
/// there are any, `$classhints`.
///
/// ```swift
/// static let archivedClass = ArchivedClass("Person")
/// ```
public struct ArchivedClass: Hashable, Sendable {
  /// The name that is written as `$classname`, and as the first element of `$classes`.
  public var name: String

  /// The ancestors, nearest first: the rest of `$classes`. Apple's classes all end with `NSObject`.
  ///
  /// Ancestors are written only for other readers. To find out if it can decode an object as a type, this package
  /// compares the name and aliases of the type with the name and hints of the object's class.
  public var ancestors: [String]

  /// The names of the classes that a reader may use instead if it does not know this one: `$classhints`.
  public var hints: [String]

  /// More class names whose objects are decoded as this type. They are never written. Examples are former names, or
  /// names of subclasses that this type can represent, such as `NSMutableArray` for arrays.
  public var aliases: [String]

  /// The kinds of value without a class, such as strings in the object table, that are decoded as this type.
  var natives: NativeKinds = []

  /// Creates a class with a name.
  ///
  /// ```swift
  /// // Archives objects as Note, and also decodes objects of the class Memo.
  /// static let archivedClass = ArchivedClass("Note", aliases: ["Memo"])
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name that is written as `$classname`.
  ///   - ancestors: the rest of `$classes`, nearest first.
  ///   - hints: the classes that are written as `$classhints`.
  ///   - aliases: more class names whose objects are decoded as the type.
  public init(_ name: String, ancestors: [String] = ["NSObject"], hints: [String] = [], aliases: [String] = []) {
    self.name = name
    self.ancestors = ancestors
    self.hints = hints
    self.aliases = aliases
  }

  /// Creates a class with a name and a superclass.
  ///
  /// ```swift
  /// override class var archivedClass: ArchivedClass { ArchivedClass("Circle", superclass: Shape.archivedClass) }
  /// ```
  public init(_ name: String, superclass: ArchivedClass, hints: [String] = [], aliases: [String] = []) {
    self.init(name, ancestors: [superclass.name] + superclass.ancestors, hints: hints, aliases: aliases)
  }

  /// Creates the default class of a type. Its name is `Module.Type`, the name of Swift classes in archives of Apple's
  /// software.
  ///
  /// ```swift
  /// ArchivedClass(Note.self).name  // "NotesApp.Note"
  /// ```
  ///
  /// For a private or local type, the name leaves out the private context, whose name differs from build to build. The
  /// ancestors are the archived names of the superclasses, and `NSObject`.
  ///
  /// `IndexSet`, `PersonNameComponents` and `NSRange` of full Foundation get the names of their Objective-C classes.
  public init(_ type: Any.Type) {
    if let foundation = FoundationType.of(type) {
      self = foundation.archivedClass
      return
    }
    let name = ClassName.default(of: type)
    guard name != "NSObject" else {
      self.init(name, ancestors: [])
      return
    }
    guard let superclass = ClassName.superclass(of: type) else {
      self.init(name)
      return
    }
    self.init(name, superclass: (superclass as? any SecureCoding.Type)?.archivedClass ?? ArchivedClass(superclass))
  }
}

/// The kinds of value that an object table stores without a class.
struct NativeKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let string = NativeKinds(rawValue: 1)
  static let data = NativeKinds(rawValue: 2)
  static let integer = NativeKinds(rawValue: 4)
  static let real = NativeKinds(rawValue: 8)
  static let boolean = NativeKinds(rawValue: 16)
  static let date = NativeKinds(rawValue: 32)

  static let numbers: NativeKinds = [.integer, .real, .boolean]
}

extension ArchivedClass {
  init(_ name: String, ancestors: [String] = ["NSObject"], aliases: [String] = [], natives: NativeKinds) {
    self.init(name, ancestors: ancestors, aliases: aliases)
    self.natives = natives
  }

  /// The class of ``ArchivedValue``, which can represent objects of many classes.
  static let anyObject = ArchivedClass("NSObject", ancestors: [])

  /// Returns true if a type has inherited this class from its superclass, because it does not override
  /// ``SecureCoding/archivedClass``. Its objects would be decoded as the superclass, so encoding or decoding them is an
  /// error.
  func isInherited(by type: any SecureCoding.Type) -> Bool {
    guard let superclass = ClassName.superclass(of: type) as? any SecureCoding.Type else { return false }
    return superclass.archivedClass.name == name
  }
}
