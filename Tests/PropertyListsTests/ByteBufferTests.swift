import Testing

@testable import PropertyLists

@Suite("Output that grows")
struct ByteBufferTests {
  @Test("a large block has room for what was asked for, whatever its size")
  func largeBlocks() {
    for remainder in Array(0..<70) + Array(4020..<4096) {
      var buffer = ByteBuffer()
      let size = 33 << 20 + remainder
      buffer.append(repeating: 7, count: size)
      buffer.append(byte: 9)
      #expect(buffer.count == size + 1 && buffer.bytes[size - 1] == 7 && buffer.bytes[size] == 9)
    }
  }
}
