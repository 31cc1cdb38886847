/// Numbers the distinct keys of a document, to find a key that stands twice in one dictionary by one comparison.
struct KeyIndex: ~Copyable {
  private var keys = UniqueBytes()
  /// The last dictionary that had the key of each number.
  private var lastDictionary: [UInt32] = []
  private var dictionary: UInt32 = 0

  /// The keys from now on are those of another dictionary.
  mutating func beginDictionary() { dictionary += 1 }

  /// Forgets all keys once they take more memory than keeping them is worth. Numbers given out before are void then.
  mutating func trim() {
    if keys.bytes.count > 1 << 20 { self = KeyIndex() }
  }

  /// Notes a key of the dictionary that began last; false if the dictionary has it already.
  mutating func insert(_ number: Int) -> Bool {
    defer { lastDictionary[number] = dictionary }
    return lastDictionary[number] != dictionary
  }

  /// The number of a key.
  mutating func number(of key: RawSpan) -> Int {
    keys.bytes.append(key)
    let number = keys.find()
    if number == lastDictionary.count { lastDictionary.append(0) }
    return number
  }
}
