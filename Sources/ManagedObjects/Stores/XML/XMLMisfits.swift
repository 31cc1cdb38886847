internal import ObjectModels

/// The properties of an entity that do not fit the model, in an XML file whose model version is ignored.
///
/// Most objects of an entity have the same ones in the same order. So a name is decoded, and a difference is noted,
/// only when it first occurs.
struct XMLMisfits {
  /// A property that is not read.
  struct Ignored {
    let name: String
    /// The bytes of the name in the file.
    let bytes: [UInt8]
    let isAttribute: Bool
    /// True if the model does not have the property; false if its property is of the other kind.
    let isUnknown: Bool
    /// The number of times that the property occurred.
    var count = 0
  }

  var ignored: [Ignored] = []
  /// The index of the property in ``ignored`` that is expected next.
  var next = 0
  private var indices: [Name: Int] = [:]
  /// For each attribute of another type: the name of the last such type in the file, and the type to read.
  var types: [Int: (name: [UInt8], type: AttributeType)] = [:]
  /// The attributes with text that is not a value of their type.
  var withOtherText: Set<Int> = []
  /// For each relationship to another entity, the last such name in the file.
  var destinations: [Int: [UInt8]] = [:]

  private struct Name: Hashable {
    let text: String
    let isAttribute: Bool
  }

  /// Counts a property that is ignored. Returns true if it is the first with its name.
  mutating func add(_ name: String, _ bytes: [UInt8], isAttribute: Bool, isUnknown: Bool) -> Bool {
    let key = Name(text: name, isAttribute: isAttribute)
    let known = indices[key]
    let index = known ?? ignored.count
    if known == nil {
      ignored.append(Ignored(name: name, bytes: bytes, isAttribute: isAttribute, isUnknown: isUnknown))
      indices[key] = index
    }
    ignored[index].count += 1
    next = index + 1
    return known == nil
  }
}
