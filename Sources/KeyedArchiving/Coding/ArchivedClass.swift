/// How a type is called in archives.
///
/// An archive says of each object which class it is of, by a dictionary with `$classname`, `$classes` (the class and
/// its ancestors) and, if there are any, `$classhints`.
///
/// ```swift
/// static let archivedClass = ArchivedClass("Person")
/// ```
public struct ArchivedClass: Hashable, Sendable {
  /// What is written as `$classname`, and as the first of `$classes`.
  public var name: String

  /// The rest of `$classes`: the ancestors, the nearest first. Apple's classes all end with `NSObject`.
  ///
  /// They are for other readers. Here an object is decoded only as a type whose own name, or alias, its class has.
  public var ancestors: [String]

  /// What is written as `$classhints`: classes that a reader may take who does not know this one.
  public var hints: [String]

  /// Further class names that are read as this type, and never written: former names, or the names of subclasses whose
  /// objects this type can stand for, as `NSMutableArray` for arrays.
  public var aliases: [String]

  /// The values that stand in the object table as themselves, with no class, and are read as this type.
  var natives: NativeKinds = []

  /// A class by name.
  ///
  /// - Parameters:
  ///   - name: what is written as `$classname`.
  ///   - ancestors: the rest of `$classes`, the nearest first.
  ///   - hints: what is written as `$classhints`.
  ///   - aliases: further names that are read as the type.
  public init(_ name: String, ancestors: [String] = ["NSObject"], hints: [String] = [], aliases: [String] = []) {
    self.name = name
    self.ancestors = ancestors
    self.hints = hints
    self.aliases = aliases
  }

  /// A class by name, and the class it inherits from.
  public init(_ name: String, superclass: ArchivedClass, hints: [String] = [], aliases: [String] = []) {
    self.init(name, ancestors: [superclass.name] + superclass.ancestors, hints: hints, aliases: aliases)
  }

  /// The class that a type has in archives unless it says another: `Module.Type`, as Swift classes are called in
  /// archives that Apple's software writes.
  ///
  /// What is private or local to a function is called as if it were not, because the compiler's names for those are
  /// others in the next build. The ancestors are the superclasses, under the names that they have in archives, and
  /// `NSObject`.
  ///
  /// `IndexSet`, `PersonNameComponents` and `NSRange` of full Foundation are called as their classes.
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

/// Values that an object table holds without a class.
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

  /// The class of ``ArchivedValue``, which is any object.
  static let anyObject = ArchivedClass("NSObject", ancestors: [])

  /// True for the class of a type that has the name of its superclass in archives, because it does not override
  /// ``SecureCoding/archivedClass``. An archive does not say which of the two an object was, so the type is neither
  /// archived nor decoded.
  func isInherited(by type: any SecureCoding.Type) -> Bool {
    guard let superclass = ClassName.superclass(of: type) as? any SecureCoding.Type else { return false }
    return superclass.archivedClass.name == name
  }
}
