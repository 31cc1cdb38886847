import ManagedObjects
import Testing

@Suite("Attribute types") struct AttributeTypeTests {
  @Test func `attribute types have the raw values of Core Data`() {
    #expect(AttributeType(rawValue: 1100) == .uuid && AttributeType(rawValue: 1200) == .uri)
    #expect(AttributeType(rawValue: 101) == nil)
  }
}
