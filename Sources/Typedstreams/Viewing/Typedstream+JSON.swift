public import FoundationEssentials
public import PropertyLists

extension Typedstream {
  /// The groups of the stream as JSON, with all that they say.
  ///
  /// ```json
  /// {"byteOrder": "<", "groups": [[["@",
  ///   {"class": ["NSString v1", "NSObject v0"], "groups": [[["+", "Hello"]]], "id": 0}
  /// ]]], "system": 1000}
  /// ```
  ///
  /// A group is an array of values, each an array of its type and itself:
  ///
  /// | in the stream | in the JSON |
  /// |---|---|
  /// | integer | a number without point or exponent, exact from -2^63 to 2^64 - 1 |
  /// | real | a number with a point or an exponent; `"inf"`, `"-inf"`, `"nan"` as text |
  /// | string, selector, atom, C string, bytes | text; `{"hex": "beef"}` for what is not UTF-8 |
  /// | object where it is met first | `{"class": ["Name v1", …], "groups": […], "id": 0}`, the class before what it inherits from |
  /// | object that was met before | `{"ref": 0}` with its `id` |
  /// | class | `{"class": ["Name v1", …]}` |
  /// | array, structure | an array of the elements, or of the fields, without their types |
  /// | no object, class or string; a value of the type `!` | `null` |
  ///
  /// The `id` is the number in the stream's table of objects, classes and C strings.
  ///
  /// - Parameters:
  ///   - isIndented: whether each value gets a line; if not, all is one line without white space.
  ///   - limits: how large the text may be in proportion to the stream.
  /// - Returns: UTF-8 (RFC 8259). Control characters are escaped.
  /// - Throws: ``TypedstreamError/Kind/limitExceeded`` if names of classes that many objects have expand too far, or
  ///   the indentation of objects that are deep in others.
  /// - Complexity: O(*n*) in the size of the stream, and of the names of classes for each object. Depth costs no stack.
  public func jsonData(
    isIndented: Bool = true, limits: ParsingLimits = ParsingLimits()
  ) throws(TypedstreamError) -> Data {
    var writer = TypedstreamJSONWriter(self, isIndented: isIndented, limits)
    try writer.writeStream()
    return writer.finish()
  }
}
