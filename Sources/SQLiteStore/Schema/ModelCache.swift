internal import CZlib
internal import FoundationEssentials
package import ManagedObjects

/// The row of `Z_MODELCACHE`: the model that a store embeds, as a keyed archive that is compressed with raw deflate
/// (RFC 1951).
///
/// Archives with a zlib or gzip header and uncompressed archives are read as well, because other programs may write
/// them.
package enum ModelCache {
  /// The size of the largest archive that is read, in bytes.
  private static let greatestSize = 64 << 20

  /// Returns the model that a store embeds; nil if it embeds no model, like files written before 2015.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the model is damaged.
  package static func read(_ database: Database, _ file: FileSchema) throws(ManagedObjectError) -> ManagedObjectModel? {
    if file.others["Z_MODELCACHE"] != nil { try file.require("Z_MODELCACHE", database, database.path) }
    guard file.has("Z_MODELCACHE", "Z_CONTENT") else { return nil }
    let statement = try database.statement("SELECT Z_CONTENT FROM Z_MODELCACHE")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    guard let archive = content(of: statement.data(0)) else {
      throw ManagedObjectError(.open, "\(database.path): the model in the store is damaged, or larger than 64 MB")
    }
    do { return try ManagedObjectModel(compiled: archive) } catch {
      throw ManagedObjectError(.open, "\(database.path): the model in the store cannot be read: \(error)")
    }
  }

  /// Returns the model that a store embeds.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the store has no model, or the model is damaged.
  static func model(in database: Database) throws(ManagedObjectError) -> ManagedObjectModel {
    if let model = try read(database, FileSchema(database)) { return model }
    var error = ManagedObjectError(.open, "\(database.path) does not contain its model")
    error.remedy = .openingWithModel
    throw error
  }

  static func write(_ model: ManagedObjectModel, _ database: Database) throws(ManagedObjectError) {
    let archive: Data
    do { archive = try model.compiledData() } catch {
      throw ManagedObjectError(.save, "the model cannot be written: \(error)")
    }
    guard let content = deflate(archive) else { throw ManagedObjectError(.save, "the model cannot be compressed") }
    try database.execute("DELETE FROM Z_MODELCACHE")
    let statement = try database.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
    try statement.bind(1, content)
    try statement.run()
  }

  /// The argument of zlib for raw deflate, which has no header, with the largest window.
  private static let windowBits: Int32 = -15
  /// The argument of zlib for data with a header, which can be a zlib or a gzip header.
  private static let windowBitsOfAnyHeader: Int32 = 15 + 32

  /// Returns the uncompressed archive; nil if the data is damaged or the archive is too large.
  private static func content(of data: Data) -> Data? {
    if data.starts(with: Data("bplist".utf8)) { return data }
    return inflate(data, windowBits) ?? inflate(data, windowBitsOfAnyHeader)
  }

  private static func inflate(_ data: Data, _ windowBits: Int32) -> Data? {
    var stream = unsafe z_stream()
    guard unsafe inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      return nil
    }
    defer { unsafe inflateEnd(&stream) }
    return unsafe run(&stream, data, limit: greatestSize) { unsafe CZlib.inflate(&$0, $1) }
  }

  private static func deflate(_ data: Data) -> Data? {
    var stream = unsafe z_stream()
    let code = unsafe deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    return unsafe run(&stream, data, limit: .max) { unsafe CZlib.deflate(&$0, $1) }
  }

  /// Compresses or uncompresses data: calls a zlib function until it has reached the end of the stream. Returns nil if
  /// the data is damaged or the result is larger than `limit`.
  private static func run(
    _ stream: inout z_stream, _ data: Data, limit: Int, _ call: (inout z_stream, Int32) -> Int32
  ) -> Data? {
    guard let count = UInt32(exactly: data.count) else { return nil }
    var output = Data()
    var block = [UInt8](repeating: 0, count: 1 << 16)
    return unsafe data.withUnsafeBytes { input -> Data? in
      unsafe stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
      unsafe stream.avail_in = count
      while true {
        let (code, made) = unsafe block.withUnsafeMutableBufferPointer { buffer in
          unsafe stream.next_out = buffer.baseAddress
          unsafe stream.avail_out = UInt32(buffer.count)
          let code = unsafe call(&stream, Z_FINISH)
          return (code, buffer.count - Int(unsafe stream.avail_out))
        }
        output.append(contentsOf: block[..<made])
        if code == Z_STREAM_END { return output }
        // If the output block is full, zlib can return `Z_BUF_ERROR`, and is called again. If it wrote nothing, the
        // input is truncated.
        guard code == Z_OK || code == Z_BUF_ERROR, made > 0, output.count <= limit else { return nil }
      }
    }
  }
}
