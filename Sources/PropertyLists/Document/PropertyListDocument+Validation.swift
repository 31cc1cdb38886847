extension PropertyListDocument {
  /// Checks the whole document: every object that the root leads to, the text of every string, that no key stands twice
  /// in a dictionary, that no container contains itself, and the depth.
  ///
  /// What passes can be read without error through ``root``. A tree, and output, have one more limit, how far shared
  /// references expand; and a tree has no room for two keys of one dictionary that Unicode holds equivalent.
  ///
  /// - Throws: ``PropertyListError`` with the key path of the value that is wrong.
  /// - Complexity: O(*n*) in the length of a binary document; O(1) for text formats, which were checked when they were
  ///   read.
  public func validate() throws(PropertyListError) {
    var faults = FaultLog.first
    validate(&faults)
    if let fault = faults.faults.first { throw fault }
  }

  /// As ``validate()``.
  ///
  /// - Parameter faults: where every fault goes.
  package func validate(_ faults: inout FaultLog) {
    guard case .binary(let layout) = index else { return }
    BinaryValidator.validate(layout, bytes, limits: options.limits, faults: &faults)
  }
}
