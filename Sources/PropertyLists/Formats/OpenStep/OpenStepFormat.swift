extension Format {
  static let openStep = Format(OpenStepWriter.self) { source, options, faults throws(PropertyListError) in
    try OpenStepTokenReader.read(source, options, &faults)
  }
}
