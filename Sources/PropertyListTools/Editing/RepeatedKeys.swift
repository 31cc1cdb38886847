@_spi(Archives) internal import PropertyLists

/// The dictionaries of a text that have a key several times. The last value counts, at the position of the first one.
struct RepeatedKeys<Scanner: LayoutScanner> {
  /// By the offset of the opening bracket: for each entry in the order of the text, which of the entries that are read
  /// it is, or -1 if a later one overrides it. Has only dictionaries with such keys.
  private(set) var entries: [Int: [Int]] = [:]

  /// A dictionary or an array that is open.
  private struct Frame {
    let kind: NodeKind
    let offset: Int
    /// Of each key, its number among the different ones.
    var numbers: [[UInt8]: Int] = [:]
    /// The numbers of the keys in the order of the text.
    var keys: [Int] = []
    var isValueNext = false

    mutating func add(_ key: [UInt8]) {
      let number = numbers[key] ?? numbers.count
      numbers[key] = number
      keys.append(number)
      isValueNext = true
    }
  }

  /// - Returns: nil if the text is not what it was thought to be.
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
        // Also behind a key that is its own value.
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
