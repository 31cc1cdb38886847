import Foundation

/// libplist's C interface, loaded at run time, so that the benchmarks build without libplist.
struct LibPlist {
  typealias Value = OpaquePointer
  private typealias Parse = @convention(c) (UnsafeRawPointer, UInt32, UnsafeMutablePointer<OpaquePointer?>) -> Void
  private typealias Print =
    @convention(c) (
      OpaquePointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<UInt32>
    ) -> Void
  private typealias Free = @convention(c) (OpaquePointer) -> Void

  private let fromXML: Parse
  private let fromBinary: Parse
  private let toXML: Print
  private let toBinary: Print
  private let release: Free

  init?() {
    guard let library = dlopen("libplist-2.0.so.4", RTLD_NOW) ?? dlopen("libplist-2.0.so.3", RTLD_NOW),
      let fromXML = dlsym(library, "plist_from_xml"), let fromBinary = dlsym(library, "plist_from_bin"),
      let toXML = dlsym(library, "plist_to_xml"), let toBinary = dlsym(library, "plist_to_bin"),
      let release = dlsym(library, "plist_free")
    else { return nil }
    self.fromXML = unsafeBitCast(fromXML, to: Parse.self)
    self.fromBinary = unsafeBitCast(fromBinary, to: Parse.self)
    self.toXML = unsafeBitCast(toXML, to: Print.self)
    self.toBinary = unsafeBitCast(toBinary, to: Print.self)
    self.release = unsafeBitCast(release, to: Free.self)
  }

  func parse(_ data: Data, isXML: Bool) -> Value {
    var value: OpaquePointer?
    data.withUnsafeBytes { (isXML ? fromXML : fromBinary)($0.baseAddress!, UInt32($0.count), &value) }
    return value!
  }

  /// Returns the length of the output, in bytes.
  func print(_ value: Value, isXML: Bool) -> Int {
    var bytes: UnsafeMutableRawPointer?
    var length: UInt32 = 0
    (isXML ? toXML : toBinary)(value, &bytes, &length)
    free(bytes)
    return Int(length)
  }

  func free(_ value: Value) { release(value) }

  private func free(_ bytes: UnsafeMutableRawPointer?) { Foundation.free(bytes) }
}
