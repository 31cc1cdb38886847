internal import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

extension NIBArchive {
  /// Translates the nib to a keyed archive, for everything that inspects keyed archives: trees, JSON, graphs, paths,
  /// classes and references.
  ///
  /// ```swift
  /// print(try nib.keyedArchive().tree())
  /// ```
  ///
  /// | in the nib | in the keyed archive |
  /// |---|---|
  /// | values of the root, the object at index 0 | the values of `$top` |
  /// | object at index *n* | object with UID *n*; UID 0 is `$null` |
  /// | a reference to the root | a UID after the classes, whose object repeats the values of the root |
  /// | classes of objects | class descriptions after the objects, with the fallbacks as `$classhints` |
  /// | an array, set or dictionary whose values begin with `NSInlinedValue` | `NS.objects`, or `NS.keys` and `NS.objects` |
  /// | an `NSString` or `NSMutableString` with UTF-8 in `NS.bytes` | `NS.string` |
  /// | an `NSData` or `NSMutableData` with `NS.bytes` | `NS.data` |
  /// | another key that occurs several times in an object | the key once, with an array of the values |
  /// | data that consists of a byte 6 or 7 and of two, four or six floats or doubles | text, `{0, 0, 320, 480}` |
  /// | integers of all widths, Booleans, floats, doubles, other data | the same |
  /// | nil | a reference to `$null` |
  /// | a reference to an object that does not exist | a dictionary with the index, `{"no object": 99}` |
  /// | an invalid index of a key or of a class | a key `<key 99>`, a number as `$class` |
  /// | values, keys and classes that are not used | left out; `check()` of the module `ArchiveViews` reports them |
  ///
  /// At the root of the property list, the key `NIBArchive` has the versions, the class of the nib's root and the
  /// trailing bytes. `$archiver` is `UINibEncoder`, the name of Apple's class that writes nibs. The result is meant for
  /// inspection, not for other readers of keyed archives.
  ///
  /// - Parameter limits: the limits for the archive; see `ParsingLimits`.
  /// - Throws: ``NIBArchiveError/Kind/limitExceeded`` if ranges of values overlap so much that all objects together are
  ///   many times larger than the file.
  /// - Complexity: O(*n*) in the size of the file.
  public func keyedArchive(limits: ParsingLimits = ParsingLimits()) throws(NIBArchiveError) -> KeyedArchive {
    do {
      var translation = NIBTranslation(self)
      return try KeyedArchive(translation.propertyList(), limits: limits)
    } catch {
      throw NIBArchiveError(error.kind == .limitExceeded ? .limitExceeded : .invalidValue, error.message)
    }
  }

  /// The name of Apple's class that writes this format.
  static var coderName: String { "UINibEncoder" }
}
