extension Format {
  static let json = Format(JSONWriter.self) { source, options, faults throws(PropertyListError) in
    try JSONTokenReader.read(source, options, &faults)
  }
}
