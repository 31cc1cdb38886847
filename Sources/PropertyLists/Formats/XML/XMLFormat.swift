extension Format {
  static let xml = Format(XMLWriter.self, declaredEncoding: XMLEncoding.declaredEncoding, read: XMLReader.read)
}
