public import FoundationEssentials
public import KeyedArchiving
internal import Nibs
internal import Typedstreams

extension KeyedArchive {
  /// The archive as JSON, for programs that know nothing of keyed archives. Nothing in it needs a class to be read, and
  /// nothing is lost.
  ///
  /// ```json
  /// {
  ///   "$archiver": "NSKeyedArchiver",
  ///   "$version": 100000,
  ///   "$top": {
  ///     "root": {
  ///       "$class": "Person",
  ///       "$uid": 1,
  ///       "name": "Ada",
  ///       "friends": {
  ///         "$class": "NSArray",
  ///         "NS.objects": [
  ///           {"$ref": 1}
  ///         ]
  ///       }
  ///     }
  ///   },
  ///   "$classes": [
  ///     {"$uid": 4, "$classname": "Person", "$classes": ["Person", "NSObject"]},
  ///     {"$uid": 5, "$classname": "NSArray", "$classes": ["NSArray", "NSObject"]}
  ///   ]
  /// }
  /// ```
  ///
  /// | in the archive | in the JSON |
  /// |---|---|
  /// | string, truth value | the same |
  /// | integer | a number without point or exponent, exact from -2^63 to 2^64 - 1 |
  /// | 8-byte real | a number with a point or an exponent, `2.0` |
  /// | 4-byte real | `{"$float": 0.1}` |
  /// | a real that is not finite | `{"$real": "inf"}`, `"-inf"`, `"nan"`, `"nan(0x1)"` with its payload; `$float` likewise |
  /// | data | `{"$data": "base64"}` |
  /// | date | `{"$date": "2001-01-01T00:00:01.5Z", "$seconds": 1.5}`: ISO 8601, null where it has none, and the exact seconds since 2001 |
  /// | no object | `null` |
  /// | array | array |
  /// | dictionary that is no object | object; keys that begin with `$` get one more in front |
  /// | instance | `{"$class": "Name", …}` with its fields |
  /// | instance of `NSDate` | the same, and `"$date"` beside `"NS.time"` |
  /// | object that several references lead to | the first time with `"$uid": 7`, later `{"$ref": 7}` |
  /// | the same of a string or data over 64 bytes | the first time `{"$uid": 7, "$object": "text"}`; shorter ones are repeated |
  /// | array, UID or dictionary without class where an object is due | `{"$object": …}`, with `$uid` if there are more references |
  /// | reference beyond the object table | `{"$dangling": 99}` |
  /// | reference to a class description | `{"$ref": 4}` |
  /// | instance whose `$class` is no class description | `$invalidclass` with what it is, instead of `$class` |
  /// | instance of one of two classes of the same name | `$classuid` beside `$class` |
  ///
  /// Keys that were encoded with a `$` in front have two, and `$0`, `$1`, … were encoded without a key, both as in the
  /// archive. A key with one `$` that no archiver writes gets a point behind it, `$.ref`, so that it is taken for
  /// nothing of the above.
  ///
  /// At the top there are, beside the parts of the archive and other keys of the property list:
  ///
  /// | key | what |
  /// |---|---|
  /// | `$classes` | all class descriptions, with `$uid` |
  /// | `$deep` | objects that would have been nested more than 64 levels deep, with `$uid`; elsewhere they are `$ref` |
  /// | `$unreachable` | objects that no top-level key leads to, with `$uid` |
  ///
  /// - Parameter isIndented: whether each value gets a line; if not, all is one line without white space.
  /// - Returns: UTF-8 (RFC 8259). Control characters are escaped.
  /// - Throws: `KeyedArchiveError` for what cannot be read, a key that stands twice, values nested too deeply;
  ///   `KeyedArchiveError.Kind.limitExceeded` where objects of a binary file overlap, or expand too far.
  /// - Complexity: O(*n*) in the size of the archive. Depth costs no stack.
  public func jsonData(isIndented: Bool = true) throws(KeyedArchiveError) -> Data {
    var writer = try ArchiveFormWriter(self, to: ArchiveJSONOutput(isIndented: isIndented))
    try writer.writeArchive()
    return writer.takeOutput().finish()
  }
}
