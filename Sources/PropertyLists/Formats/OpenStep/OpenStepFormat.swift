extension Format {
  static let openStep = Format(OpenStepWriter.self, read: OpenStepTokenReader.read)
}
