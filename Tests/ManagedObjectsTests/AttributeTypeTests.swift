import ManagedObjects
import Testing

@Suite("Types of attributes") struct AttributeTypeTests {
  @Test func `have the numbers of Core Data's files`() {
    #expect(AttributeType(rawValue: 1100) == .uuid && AttributeType(rawValue: 1200) == .uri)
    #expect(AttributeType(rawValue: 101) == nil)
  }
}
