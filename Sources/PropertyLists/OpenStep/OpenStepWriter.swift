internal import FoundationEssentials

struct OpenStepWriter: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private var output = ByteBuffer()
  private let options: PropertyListWritingOptions

  init(_ options: PropertyListWritingOptions) { self.options = options }

  consuming func finish() -> Data { output.takeData() }

  private func refuse() throws(PropertyListError) { throw PropertyListError(.notRepresentable, "not written yet") }

  mutating func null() throws(PropertyListError) { try refuse() }
  mutating func boolean(_ value: Bool) throws(PropertyListError) { try refuse() }
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) { try refuse() }
  mutating func real(_ value: Double) throws(PropertyListError) { try refuse() }
  mutating func float(_ value: Float) throws(PropertyListError) { try refuse() }
  mutating func date(_ seconds: Double) throws(PropertyListError) { try refuse() }
  mutating func uid(_ value: UInt32) throws(PropertyListError) { try refuse() }
  mutating func string(_ utf8: RawSpan) throws(PropertyListError) { try refuse() }
  mutating func data(_ bytes: RawSpan) throws(PropertyListError) { try refuse() }
  mutating func beginArray(count: Int) throws(PropertyListError) { try refuse() }
  mutating func endArray() throws(PropertyListError) { try refuse() }
  mutating func beginDictionary(count: Int) throws(PropertyListError) { try refuse() }
  mutating func key(_ utf8: RawSpan) throws(PropertyListError) { try refuse() }
  mutating func endDictionary() throws(PropertyListError) { try refuse() }
}
