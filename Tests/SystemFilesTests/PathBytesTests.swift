import Foundation
import TestSupport
import Testing

@testable import SystemFiles

#if os(Linux) || os(macOS)
  /// Tests in processes of their own, because ``FileSystem/keepBytesOfPaths()`` affects a whole process.
  @Suite("Paths that are not UTF-8") struct PathBytesTests {
    @Test func `each name has its own text, which is converted back to the same bytes`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        var names = (UInt8.min...UInt8.max).map { [$0] }
        // The first two and last two characters that represent bytes, and their neighbors.
        for scalar in [0x10F77F, 0x10F780, 0x10F781, 0x10F7FE, 0x10F7FF, 0x10F800] as [UInt32] {
          if let scalar = Unicode.Scalar(scalar) { names.append(Array(String(scalar).utf8)) }
        }
        // Bytes that begin, continue or resemble characters.
        let parts: [UInt8] = [0x61, 0x80, 0x8F, 0x9E, 0x9F, 0xBF, 0xC3, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0xF4, 0xFF]
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
          let count = Int.random(in: 0..<10, using: &random)
          names.append((0..<count).map { _ in parts.randomElement(using: &random) ?? 0x61 })
        }
        var texts: [[UInt8]: [UInt8]] = [:]
        for name in names {
          let text = FileSystem.text(ofBytes: name)
          let bytes = FileSystem.systemPath(text).map { UInt8(bitPattern: $0) }
          guard bytes == name + [0], texts.updateValue(name, forKey: Array(text.utf8)).map({ $0 == name }) ?? true
          else {
            Issue.record("\(name) became \(text.debugDescription), and that \(bytes)")
            return
          }
          #expect(FileSystem.hasStandIns(text) == (Array(text.utf8) != name))
        }
        #expect(texts.count == Set(names).count)
      }
    }

    @Test func `a byte is shown with its number, and valid text unchanged`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        #expect(FileSystem.showingBytes(FileSystem.text(ofBytes: [0x61, 0x80, 0x62, 0xFF])) == #"a\x80b\xff"#)
        for text in ["", "ä日本🙂", "\u{10F77F}", "\u{10F800}"] {
          #expect(FileSystem.text(ofBytes: Array(text.utf8)) == text)
          #expect(FileSystem.showingBytes(text) == text)
          #expect(!FileSystem.hasStandIns(text))
        }
        let invalid: [CChar] = [0x61, CChar(bitPattern: 0xFF), 0]
        let text = invalid.withUnsafeBufferPointer { FileSystem.text(ofCString: $0.baseAddress!) }
        #expect(text.map(FileSystem.showingBytes) == #"a\xff"#)
        #expect(text == FileSystem.text(invalid))
      }
    }

    @Test func `files and folders with such names are listed, read, replaced and removed`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        let folder = TemporaryFolder()
        let name = FileSystem.text(ofBytes: [0x61, 0xFF, 0x2E, 0x70])
        let path = folder.url.path + "/" + FileSystem.text(ofBytes: [0xC3]) + "/" + name
        try FileSystem.makeFolder(FileSystem.parent(of: path), below: folder.url.path)
        #expect(FileSystem.names(in: folder.url.path).map(FileSystem.showingBytes) == [#"\xc3"#])

        #expect(try FileSystem.create(path, with: Data("first".utf8)) != nil)
        #expect(try FileSystem.read(path) == Data("first".utf8))
        try FileSystem.replace(path, with: Data("second".utf8))
        #expect(try FileSystem.readRegularFile(path, limit: 10)?.data == Data("second".utf8))
        #expect(FileSystem.names(in: FileSystem.parent(of: path)) == [name])
        #expect(try FileSystem.contents(of: FileSystem.parent(of: path)).map(\.name) == [name])
        #expect(FileSystem.matches(name, pattern: FileSystem.text(ofBytes: [0x61, 0xFF, 0x2A])))
        #expect(!FileSystem.matches(name, pattern: FileSystem.text(ofBytes: [0x61, 0xFE, 0x2A])))
        #expect(FileSystem.realPath(of: path).hasSuffix(name))

        // Waypoints and targets keep the bytes of links.
        try succeed(symlink(FileSystem.systemPath(path), folder.path("link")))
        #expect(FileSystem.target(of: folder.path("link")) == path)
        #expect(FileSystem.waypoints(of: folder.path("link")).last == FileSystem.parent(of: path))

        let missing = FileSystem.parent(of: path) + "/" + FileSystem.text(ofBytes: [0xFE])
        let error = try #require(throws: FileError.self) { try FileSystem.read(missing) }
        #expect(
          FileSystem.showingBytes(error.message) == #"cannot open \#(folder.url.path)/\xc3/\xfe: \#(reason(ENOENT))"#)

        try FileSystem.move(path, to: missing)
        FileSystem.removeFile(missing)
        FileSystem.removeEmptyFolder(FileSystem.parent(of: path))
        #expect(FileSystem.names(in: folder.url.path) == ["link"])
      }
    }

    @Test func `arguments of other programs keep such names`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        let name = FileSystem.text(ofBytes: [0x61, 0xFF])
        let (end, output) = try ChildProgram.output("/bin/sh", ["-c", "printf %s \"$1\"", "sh", name])
        #expect(end == .exited(0))
        #expect(Array(output) == [0x61, 0xFF])
      }
    }

    @Test func `a program with such a name runs`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        let folder = TemporaryFolder()
        let path = folder.url.path + "/" + FileSystem.text(ofBytes: [0x61, 0xFF])
        try succeed(symlink("/bin/echo", FileSystem.systemPath(path)))
        let (end, output) = try ChildProgram.output(path, ["text"])
        #expect(end == .exited(0))
        #expect(output == Data("text\n".utf8))
        FileSystem.removeFile(path)
      }
    }
  }
#endif
