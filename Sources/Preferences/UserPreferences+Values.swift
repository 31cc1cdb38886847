public import FoundationEssentials
public import KeyedArchiving
public import OrderedCollections
public import PropertyLists

/// Values of Swift's types, and typed keys.
extension UserPreferences {
  /// The value for a key; the key's default if there is none, or one that is none of its type.
  ///
  /// Setting a value that cannot be stored changes nothing and is told to the handler of ``handleErrors(_:)``; use
  /// ``set(_:for:)`` to have the error.
  @inlinable
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    get {
      guard let stored = value(forKey: key.name, hash: key.hash) else { return key.defaultValue }
      return Value.preferenceValue(from: stored) ?? key.defaultValue
    }
    set {
      do { try set(newValue, for: key) } catch { report(error) }
    }
  }

  @usableFromInline
  func report(_ error: PreferencesError) { PreferencesErrors.report(error) }

  /// Sets the value for a key.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if the value cannot be stored,
  ///   ``PreferencesError/emptyKey``; what was stored stays.
  public func set<Value>(_ value: Value, for key: PreferenceKey<Value>) throws(PreferencesError) {
    store(try value.stored(forKey: key.name), forKey: key.name, in: file)
  }

  /// Removes the value for a key from the domain of the application, so that others or the key's default count.
  public func removeValue<Value>(for key: PreferenceKey<Value>) { removeValue(forKey: key.name) }

  /// Values of Swift's types for when no domain has any; as ``register(defaults:)-([String:PropertyList])``.
  ///
  /// A value that cannot be stored is left out and told to the handler of ``handleErrors(_:)``.
  public func register(defaults: [String: any PreferenceValue]) {
    var stored: [String: PropertyList] = [:]
    for (key, value) in defaults {
      reportingErrors { () throws(PreferencesError) in stored[key] = try value.stored(forKey: key) }
    }
    addRegistered(stored)
  }

  /// Sets the value for a key, or removes it with nil.
  ///
  /// A value that cannot be stored changes nothing and is told to the handler of ``handleErrors(_:)``.
  public func set<Value: PreferenceValue>(_ value: Value?, forKey key: String) {
    reportingErrors { () throws(PreferencesError) in store(try value?.stored(forKey: key), forKey: key, in: file) }
  }

  /// Sets the value for a key to a dictionary with values of different types, or removes it with nil.
  ///
  /// ```swift
  /// preferences.set(["width": 640, "title": "Notes", "isFull": false], forKey: "window")
  /// ```
  ///
  /// Read it with ``dictionary(forKey:)``. A value that cannot be stored changes nothing; the handler of
  /// ``handleErrors(_:)`` gets the error.
  @_disfavoredOverload
  public func set(_ values: [String: any PreferenceValue]?, forKey key: String) {
    reportingErrors { () throws(PreferencesError) in
      store(try values.map(MixedValues.init).stored(forKey: key), forKey: key, in: file)
    }
  }

  /// Sets the value for a key to a real of any type, such as `CGFloat`, or removes it with nil. It is stored in 8
  /// bytes.
  @_disfavoredOverload
  public func set<Real: BinaryFloatingPoint>(_ value: Real?, forKey key: String) {
    set(value.map { Double($0) }, forKey: key)
  }

  /// The value for a key; nil if there is none, or none of this type.
  @inlinable
  public func value<Value: PreferenceValue>(_ type: Value.Type, forKey key: String) -> Value? {
    value(forKey: key).flatMap { Value.preferenceValue(from: $0) }
  }

  /// Stores a value of any type that can be encoded, as dictionaries and arrays.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if it cannot be encoded, ``PreferencesError/emptyKey``.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String) throws(PreferencesError) {
    let stored: PropertyList
    do { stored = try PropertyListEncoder().encodeToPropertyList(value) } catch {
      throw .notStorable(key: key, reason: "\(error)")
    }
    try stored.checkStorable(forKey: key)
    store(stored, forKey: key, in: file)
  }

  /// The value of a type that can be decoded; nil if there is none.
  ///
  /// - Throws: ``PreferencesError/notDecodable(key:reason:)`` if what is stored is something else.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws(PreferencesError) -> Value? {
    guard let stored = value(forKey: key) else { return nil }
    do { return try PropertyListDecoder().decode(type, from: stored) } catch {
      throw .notDecodable(key: key, reason: "\(error)")
    }
  }

  /// Stores objects as a keyed archive, which `NSKeyedUnarchiver` reads.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if it cannot be archived, ``PreferencesError/emptyKey``.
  public func archive<Value: SecureCoding>(_ value: Value, forKey key: String) throws(PreferencesError) {
    let stored: PropertyList
    do { stored = .data(try KeyedArchiver.archivedData(withRootObject: value)) } catch {
      throw .notStorable(key: key, reason: "\(error)")
    }
    try stored.checkStorable(forKey: key)
    store(stored, forKey: key, in: file)
  }

  /// The objects of a keyed archive; nil if nothing is stored. No other types are instantiated than those that
  /// `Value` names.
  ///
  /// - Throws: ``PreferencesError/notDecodable(key:reason:)`` if what is stored is something else.
  public func unarchive<Value: SecureCoding>(_ type: Value.Type, forKey key: String) throws(PreferencesError) -> Value?
  {
    guard let stored = value(forKey: key) else { return nil }
    guard let archive = stored.data else {
      throw .notDecodable(key: key, reason: "it is \(stored.kind.rawValue), and no archive")
    }
    do { return try KeyedUnarchiver.unarchivedObject(of: type, from: archive) } catch {
      throw .notDecodable(key: key, reason: "\(error)")
    }
  }
}

/// Typed accessors, which convert as those of Apple's `UserDefaults` do. No value makes them fail.
///
/// | stored | `bool` | `integer` | `double` | `string` |
/// |---|---|---|---|---|
/// | nothing | false | 0 | 0 | nil |
/// | boolean | itself | 1 or 0 | 1 or 0 | `1` or `0` |
/// | integer | whether it is not 0 | itself, at most `Int.max` | the nearest double | its digits |
/// | real | whether it is not 0 | towards zero, within `Int`; 0 for not-a-number | itself | its shortest digits |
/// | string | whether it begins with a number but 0, `Y` or `T` | the number it begins with, within `Int`, else 0 | the number it begins with, else 0 | itself |
/// | anything else | false | 0 | 0 | nil |
extension UserPreferences {
  /// The value for a key as a truth value; false if there is none.
  public func bool(forKey key: String) -> Bool { read(key, default: false) { $0.asBool } }

  /// The value for a key as an integer; 0 if there is none.
  ///
  /// Reals are cut towards zero. What is beyond `Int` gives `Int.max` or `Int.min`, and not-a-number gives 0.
  public func integer(forKey key: String) -> Int { read(key, default: 0) { $0.asInt } }

  /// The value for a key as a double; 0 if there is none.
  public func double(forKey key: String) -> Double { read(key, default: 0) { $0.asReal() } }

  /// The value for a key as a float; 0 if there is none. What is beyond `Float` becomes infinite.
  public func float(forKey key: String) -> Float { read(key, default: 0) { $0.asReal() } }

  /// The value for a key as text; nil if there is none, or none that is text or a number.
  public func string(forKey key: String) -> String? { read(key, default: nil) { $0.asString } }

  /// The bytes for a key; nil if there are none.
  public func data(forKey key: String) -> Data? { read(key, default: nil) { $0.data } }

  /// The moment for a key; nil if there is none. Nothing else is taken for one.
  public func date(forKey key: String) -> Date? { read(key, default: nil) { $0.date } }

  /// The elements of the array for a key; nil if there is none.
  public func array(forKey key: String) -> [PropertyList]? { read(key, default: nil) { $0.array } }

  /// The elements of the array for a key; nil if there is none, or if not all of them are text. Numbers are not
  /// converted.
  public func stringArray(forKey key: String) -> [String]? {
    guard let elements = array(forKey: key) else { return nil }
    let texts = elements.compactMap(\.string)
    return texts.count == elements.count ? texts : nil
  }

  /// The entries of the dictionary for a key; nil if there is none.
  public func dictionary(forKey key: String) -> OrderedDictionary<String, PropertyList>? {
    read(key, default: nil) { $0.dictionary }
  }

  /// The URL for a key; nil if there is none.
  ///
  /// Text is a path, relative to the working folder, with `~` for the home folder; or a URL if it begins with a
  /// scheme and `//`, or with `file:`. Data is an archived `NSURL`, as Apple stores those that are no files.
  public func url(forKey key: String) -> URL? { value(forKey: key).flatMap { StoredURL.url($0) } }
}
