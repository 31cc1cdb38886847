import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Growing output buffers") struct ByteBufferTests {
  @Test func `a large block has the requested size`() {
    let all = [0, 1, 31, 32, 33, 62, 63, 64, 65, 66, 4030, 4031, 4032, 4033, 4034, 4095]
    // Appended at once, because a debug build needs a second to repeat a byte that often.
    let contents = Data(repeating: 7, count: 33 << 20 + 4095)
    for remainder in LongForm.isWanted ? all : [0, 33, 64, 4033] {
      var buffer = ByteBuffer()
      let size = 33 << 20 + remainder
      buffer.append(contents.bytes.extracting(0..<size))
      buffer.append(byte: 9)
      #expect(buffer.count == size + 1 && buffer.bytes[size - 1] == 7 && buffer.bytes[size] == 9)
    }
  }
}
