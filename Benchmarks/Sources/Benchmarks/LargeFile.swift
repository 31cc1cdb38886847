import Foundation

/// A binary property list of any size: a dictionary with a name and an array of tracks, which are dictionaries with
/// eight entries. It is written object by object, so that it needs little memory.
struct LargeFile {
  private let handle: FileHandle
  private var buffer = Data()
  private var written = 0
  private var offsets: [UInt32] = []

  private static let keys = ["Track ID", "Name", "Artist", "Size", "Date Added", "Location", "Rating", "Artwork"]
  /// The object number of the first track. Before it are the root, its two keys, the name, the array and the keys of
  /// tracks.
  private static let firstTrack = 5 + keys.count
  private static let objectsPerTrack = 1 + keys.count

  static func write(to path: String, trackCount: Int) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    var file = LargeFile(handle: try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    try file.write(trackCount: trackCount)
  }

  private init(handle: FileHandle) { self.handle = handle }

  private mutating func write(trackCount: Int) throws {
    buffer.append(contentsOf: "bplist00".utf8)
    let objectCount = Self.firstTrack + trackCount * Self.objectsPerTrack
    offsets.reserveCapacity(objectCount)
    try beginObject()
    buffer.append(0xD2)
    for number in 1...4 { append(UInt32(number)) }
    for text in ["Name", "Tracks", "Library"] { try string(text) }
    try beginObject()
    buffer.append(contentsOf: [0xAF, 0x12])
    append(UInt32(trackCount))
    for track in 0..<trackCount { append(UInt32(Self.firstTrack + track * Self.objectsPerTrack)) }
    for key in Self.keys { try string(key) }
    for track in 0..<trackCount { try self.track(track) }
    let table = position
    for offset in offsets {
      append(offset)
      try flush()
    }
    buffer.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 4])
    append(UInt64(objectCount))
    append(UInt64(0))
    append(UInt64(table))
    try handle.write(contentsOf: buffer)
    try handle.close()
  }

  private mutating func track(_ number: Int) throws {
    let first = UInt32(Self.firstTrack + number * Self.objectsPerTrack)
    try beginObject()
    buffer.append(0xD0 | UInt8(Self.keys.count))
    for key in 0..<Self.keys.count { append(UInt32(5 + key)) }
    for value in 1...Self.keys.count { append(first + UInt32(value)) }
    try beginObject()
    buffer.append(0x12)
    append(UInt32(number))
    try string("The name of track number \(number), which is quite long")
    try string("Artist \(number % 5000)-\(number)")
    try beginObject()
    buffer.append(0x13)
    append(UInt64(1 << 33 | number))
    try beginObject()
    buffer.append(0x33)
    append(Double(number).bitPattern)
    try string("file:///Users/somebody/Music/Library/Artist/Album/Track%20\(number).mp3")
    try beginObject()
    buffer.append(contentsOf: [0x10, UInt8(number % 101)])
    try beginObject()
    buffer.append(contentsOf: [0x4F, 0x10, 128])
    for factor in 1...16 { append(UInt64(number &* factor)) }
  }

  private var position: Int { written + buffer.count }

  private mutating func beginObject() throws {
    try flush()
    offsets.append(UInt32(position))
  }

  private mutating func flush() throws {
    guard buffer.count > 1 << 22 else { return }
    try handle.write(contentsOf: buffer)
    written += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func string(_ text: String) throws {
    try beginObject()
    let bytes = Array(text.utf8)
    if bytes.count < 15 {
      buffer.append(0x50 | UInt8(bytes.count))
    } else {
      buffer.append(contentsOf: [0x5F, 0x10, UInt8(bytes.count)])
    }
    buffer.append(contentsOf: bytes)
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
  }
}
