extension Format {
  static let json = Format(JSONWriter.self, read: JSONTokenReader.read)
}
