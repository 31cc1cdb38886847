extension Format {
  static let xml = Format(
    XMLWriter.self, declaredEncoding: { XMLEncoding.declaredEncoding($0) },
    read: { source, options, faults throws(PropertyListError) in try XMLReader.read(source, options, &faults) })
}
