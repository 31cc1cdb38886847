public import FoundationEssentials
public import KeyedArchiving
public import OrderedCollections
public import PropertyLists

/// Functions that read and set values of Swift types, also with typed keys.
extension UserPreferences {
  /// The value for a key; the key's default if the key has no value, or only a value of another type.
  ///
  /// If a value cannot be stored, setting it changes nothing, and the handler of ``handleErrors(_:)`` gets the error.
  /// Use ``set(_:for:)`` to catch the error.
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
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if the value cannot be stored, or
  ///   ``PreferencesError/emptyKey``. The stored value is unchanged then.
  public func set<Value>(_ value: Value, for key: PreferenceKey<Value>) throws(PreferencesError) {
    store(try value.stored(forKey: key.name), forKey: key.name, in: file)
  }

  /// Removes the value for a key from the domain of the application. Other domains, or the default of the key, provide
  /// the value then.
  public func removeValue<Value>(for key: PreferenceKey<Value>) { removeValue(forKey: key.name) }

  /// Registers default values of Swift types, like ``register(defaults:)-([String:PropertyList])``.
  ///
  /// A value that cannot be stored is left out, and the handler of ``handleErrors(_:)`` gets the error.
  public func register(defaults: [String: any PreferenceValue]) {
    var stored: [String: PropertyList] = [:]
    for (key, value) in defaults {
      reportingErrors { () throws(PreferencesError) in stored[key] = try value.stored(forKey: key) }
    }
    addRegistered(stored)
  }

  /// Sets the value for a key, or removes it if `value` is nil.
  ///
  /// If the value cannot be stored, nothing changes, and the handler of ``handleErrors(_:)`` gets the error.
  public func set<Value: PreferenceValue>(_ value: Value?, forKey key: String) {
    reportingErrors { () throws(PreferencesError) in store(try value?.stored(forKey: key), forKey: key, in: file) }
  }

  /// Sets the value for a key to a dictionary with values of different types, or removes it if `values` is nil.
  ///
  /// ```swift
  /// preferences.set(["width": 640, "title": "Notes", "isFull": false], forKey: "window")
  /// ```
  ///
  /// Read it with ``dictionary(forKey:)``. If a value cannot be stored, nothing changes, and the handler of
  /// ``handleErrors(_:)`` gets the error.
  @_disfavoredOverload
  public func set(_ values: [String: any PreferenceValue]?, forKey key: String) {
    reportingErrors { () throws(PreferencesError) in
      store(try values.map(MixedValues.init).stored(forKey: key), forKey: key, in: file)
    }
  }

  /// Sets the value for a key to a floating-point number of any type, such as `CGFloat`, or removes it if `value` is
  /// nil. The number is stored in 8 bytes.
  @_disfavoredOverload
  public func set<Real: BinaryFloatingPoint>(_ value: Real?, forKey key: String) {
    set(value.map { Double($0) }, forKey: key)
  }

  /// Returns the value for a key; nil if the key has no value of this type.
  @inlinable
  public func value<Value: PreferenceValue>(_ type: Value.Type, forKey key: String) -> Value? {
    value(forKey: key).flatMap { Value.preferenceValue(from: $0) }
  }

  /// Encodes a value as dictionaries and arrays, and stores it.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if the value cannot be encoded, or
  ///   ``PreferencesError/emptyKey``.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String) throws(PreferencesError) {
    let stored: PropertyList
    do { stored = try PropertyListEncoder().encodeToPropertyList(value) } catch {
      throw .notStorable(key: key, reason: "\(error)")
    }
    try stored.checkStorable(forKey: key)
    store(stored, forKey: key, in: file)
  }

  /// Decodes the value for a key; returns nil if the key has no value.
  ///
  /// - Throws: ``PreferencesError/notDecodable(key:reason:)`` if the stored value cannot be decoded as this type.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws(PreferencesError) -> Value? {
    guard let stored = value(forKey: key) else { return nil }
    do { return try PropertyListDecoder().decode(type, from: stored) } catch {
      throw .notDecodable(key: key, reason: "\(error)")
    }
  }

  /// Stores objects as a keyed archive, which `NSKeyedUnarchiver` can read.
  ///
  /// - Throws: ``PreferencesError/notStorable(key:reason:)`` if the value cannot be archived, or
  ///   ``PreferencesError/emptyKey``.
  public func archive<Value: SecureCoding>(_ value: Value, forKey key: String) throws(PreferencesError) {
    let stored: PropertyList
    do { stored = .data(try KeyedArchiver.archivedData(withRootObject: value)) } catch {
      throw .notStorable(key: key, reason: "\(error)")
    }
    try stored.checkStorable(forKey: key)
    store(stored, forKey: key, in: file)
  }

  /// Returns the root object of a keyed archive; nil if the key has no value. The archive can only create objects of
  /// `Value`, and of types that `Value` decodes.
  ///
  /// - Throws: ``PreferencesError/notDecodable(key:reason:)`` if the stored value is not an archive of this type.
  public func unarchive<Value: SecureCoding>(_ type: Value.Type, forKey key: String) throws(PreferencesError) -> Value?
  {
    guard let stored = value(forKey: key) else { return nil }
    guard let archive = stored.data else {
      throw .notDecodable(
        key: key, reason: "expected data with an archive, found a value of kind \(stored.kind.rawValue)")
    }
    do { return try KeyedUnarchiver.unarchivedObject(of: type, from: archive) } catch {
      throw .notDecodable(key: key, reason: "\(error)")
    }
  }
}

/// Typed accessors, which convert values like those of Apple's `UserDefaults`. They never fail.
///
/// | stored | `bool` | `integer` | `double` | `string` |
/// |---|---|---|---|---|
/// | nothing | false | 0 | 0 | nil |
/// | boolean | itself | 1 or 0 | 1 or 0 | `1` or `0` |
/// | integer | true if not 0 | itself, at most `Int.max` | the nearest double | its digits |
/// | real | true if not 0 | rounded towards zero, within `Int`; 0 for NaN | itself | its shortest digits |
/// | string | true if it begins with a number other than 0, `Y` or `T` | the number at its beginning, within `Int`, else 0 | the number at its beginning, else 0 | itself |
/// | anything else | false | 0 | 0 | nil |
extension UserPreferences {
  /// Returns the value for a key as a Boolean; false if the key has no value.
  public func bool(forKey key: String) -> Bool { read(key, default: false) { $0.asBool } }

  /// Returns the value for a key as an integer; 0 if the key has no value.
  ///
  /// Reals are rounded towards zero. Numbers outside the range of `Int` become `Int.max` or `Int.min`, and NaN becomes
  /// 0.
  public func integer(forKey key: String) -> Int { read(key, default: 0) { $0.asInt } }

  /// Returns the value for a key as a double; 0 if the key has no value.
  public func double(forKey key: String) -> Double { read(key, default: 0) { $0.asReal() } }

  /// Returns the value for a key as a float; 0 if the key has no value. Numbers outside the range of `Float` become
  /// infinite.
  public func float(forKey key: String) -> Float { read(key, default: 0) { $0.asReal() } }

  /// Returns the value for a key as text; nil if the key has no value that is text, a number or a Boolean.
  public func string(forKey key: String) -> String? { read(key, default: nil) { $0.asString } }

  /// Returns the data for a key; nil if the key has no value of this type.
  public func data(forKey key: String) -> Data? { read(key, default: nil) { $0.data } }

  /// Returns the date for a key; nil if the key has no value of this type. Other types are not converted.
  public func date(forKey key: String) -> Date? { read(key, default: nil) { $0.date } }

  /// Returns the elements of the array for a key; nil if the key has no value of this type.
  public func array(forKey key: String) -> [PropertyList]? { read(key, default: nil) { $0.array } }

  /// Returns the elements of the array for a key; nil if there is no array, or if not all elements are text. Numbers
  /// are not converted.
  public func stringArray(forKey key: String) -> [String]? {
    guard let elements = array(forKey: key) else { return nil }
    let texts = elements.compactMap(\.string)
    return texts.count == elements.count ? texts : nil
  }

  /// Returns the entries of the dictionary for a key; nil if the key has no value of this type.
  public func dictionary(forKey key: String) -> OrderedDictionary<String, PropertyList>? {
    read(key, default: nil) { $0.dictionary }
  }

  /// Returns the URL for a key; nil if the key has no value that is a URL.
  ///
  /// Text is a URL if it begins with a scheme and `//`, or with `file:`. Any other text is a path, relative to the
  /// working folder, with `~` for the home folder. Data is an archived `NSURL`, Apple's form for URLs other than file
  /// URLs.
  public func url(forKey key: String) -> URL? { value(forKey: key).flatMap { StoredURL.url($0) } }
}
