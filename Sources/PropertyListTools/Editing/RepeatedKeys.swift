@_spi(Archives) internal import PropertyLists

/// The dictionaries of a text that have duplicate keys. The last value of a key is used, at the position of the first.
struct RepeatedKeys<Scanner: LayoutScanner> {
  /// The entries of each dictionary with duplicate keys, by the offset of its opening bracket. For each entry in the
  /// text, this is the entry's index in the parsed dictionary, or -1 if a later entry overrides it.
  private(set) var entries: [Int: [Int]] = [:]

  /// An open dictionary or array.
  private struct Frame {
    let kind: NodeKind
    let offset: Int
    /// The index of each distinct key.
    var numbers: [[UInt8]: Int] = [:]
    /// The indexes of the keys, in the order of the text.
    var keys: [Int] = []
    var isValueNext = false

    mutating func add(_ key: [UInt8]) {
      let number = numbers[key] ?? numbers.count
      numbers[key] = number
      keys.append(number)
      isValueNext = true
    }
  }

  /// Finds the dictionaries that have duplicate keys. Returns nil if the text does not have the expected structure.
  init?(_ bytes: RawSpan) {
    var scanner = Scanner(end: bytes.byteCount)
    guard let root = scanner.begin(bytes) else { return nil }
    var frames: [Frame] = root == .entries ? [Frame(kind: .dictionary, offset: 0)] : []
    repeat {
      scanner.skipTrivia(bytes)
      let kind = frames.last?.kind ?? .null
      if scanner.index == bytes.byteCount {
        guard root == .entries, frames.count == 1 else { return nil }
        close(frames.removeLast())
        return
      }
      if !frames.isEmpty, bytes[scanner.index] == Scanner.separator(in: kind).byte {
        scanner.index += 1
        // The entry may have only a key, and then the value that was expected is missing.
        frames[frames.count - 1].isValueNext = false
        continue
      }
      if bytes[scanner.index] == Scanner.assignment, frames.last?.isValueNext == true {
        scanner.index += 1
        continue
      }
      guard let token = scanner.token(bytes) else { return nil }
      if case .end = token.kind {
        guard let frame = frames.popLast() else { return nil }
        close(frame)
      } else if kind == .dictionary, frames[frames.count - 1].isValueNext == false {
        guard let text = Scanner.key(bytes, in: token.range) else { return nil }
        frames[frames.count - 1].add(text)
      } else {
        if kind == .dictionary { frames[frames.count - 1].isValueNext = false }
        if case .begin(let kind) = token.kind { frames.append(Frame(kind: kind, offset: token.range.lowerBound)) }
      }
    } while !frames.isEmpty
  }

  private mutating func close(_ frame: Frame) {
    guard frame.keys.count > frame.numbers.count else { return }
    var isMet = [Bool](repeating: false, count: frame.numbers.count)
    var order: [Int] = []
    for number in frame.keys.reversed() {
      order.append(isMet[number] ? -1 : number)
      isMet[number] = true
    }
    entries[frame.offset] = order.reversed()
  }
}
