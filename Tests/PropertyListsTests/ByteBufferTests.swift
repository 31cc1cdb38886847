import Testing

@testable import PropertyLists

@Suite("Growing output buffers") struct ByteBufferTests {
  @Test func `a large block has the requested size`() {
    for remainder in [0, 1, 31, 32, 33, 62, 63, 64, 65, 66, 4030, 4031, 4032, 4033, 4034, 4095] {
      var buffer = ByteBuffer()
      let size = 33 << 20 + remainder
      buffer.append(repeating: 7, count: size)
      buffer.append(byte: 9)
      #expect(buffer.count == size + 1 && buffer.bytes[size - 1] == 7 && buffer.bytes[size] == 9)
    }
  }
}
