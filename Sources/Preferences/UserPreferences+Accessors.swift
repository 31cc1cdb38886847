public import FoundationEssentials
public import OrderedCollections
public import PropertyLists

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
