/// A store whose file can be encrypted.
package protocol EncryptableStore: PersistentStore {
  /// True if the file is encrypted.
  var isEncrypted: Bool { get }
}
