/// An index that numbers the distinct keys of a document, so that a duplicate key in a dictionary is found by one
/// comparison.
struct KeyIndex: ~Copyable {
  private var keys = UniqueBytes()
  /// For each key number, the number of the last dictionary that had the key.
  private var lastDictionary: [UInt32] = []
  /// The number of the current dictionary, from 1.
  private var dictionary: UInt32 = 0

  /// Begins the next dictionary.
  mutating func beginDictionary() { dictionary += 1 }

  /// Removes all keys once they use more than 1 MiB. Earlier numbers are then invalid.
  mutating func trim() {
    if keys.bytes.count > 1 << 20 { self = KeyIndex() }
  }

  /// Adds a key to the current dictionary. Returns false if the dictionary has it already.
  mutating func insert(_ number: Int) -> Bool {
    defer { lastDictionary[number] = dictionary }
    return lastDictionary[number] != dictionary
  }

  /// Returns the number of a key. Equal keys have the same number.
  mutating func number(of key: RawSpan) -> Int {
    keys.bytes.append(key)
    let number = keys.find()
    if number == lastDictionary.count { lastDictionary.append(0) }
    return number
  }
}
