/// The reading of a store that ends with an error if its task is cancelled.
///
/// Reading does not end by default: a task that was cancelled can still read and save, for example to clean up.
package enum CancellableReading {
  /// True while the task reads a store for a request that ends with the task. Stores check it during long work,
  /// together with `Task.isCancelled`.
  @TaskLocal package static var isOn = false
}
