/// A switch that makes reading a store throw if its task is cancelled.
///
/// It is off by default: a task that was cancelled can still read and save, for example to clean up.
package enum CancellableReading {
  /// True while the task reads a store for a request that ends with the task. Stores check it during long work,
  /// together with `Task.isCancelled`.
  @TaskLocal package static var isOn = false
}
