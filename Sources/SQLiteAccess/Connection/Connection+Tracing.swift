/// Functions that report executed statements.
extension Connection {
  /// True if SQLite calls a function for each statement.
  package var isTraced: Bool { tracer != nil }

  /// Sets the function to call for each executed statement; nil for none.
  package func setTrace(_ trace: SQLiteTrace?) {
    self.trace = trace
    updateTracer()
  }

  /// Reports the following statements with the number of a request, also to observers.
  package func beginRequest(_ number: Int, _ observers: [SQLiteTrace]) {
    request = number
    self.observers = observers
    updateTracer()
  }

  /// Removes the observers of the request.
  package func endRequest() {
    if observers.isEmpty { return }
    observers = []
    updateTracer()
  }

  /// Calls `body`, whose statements have secrets, without reporting them.
  func withoutTrace<Result>(_ body: () -> Result) -> Result {
    unsafe Tracer.uninstall(from: handle)
    defer { unsafe tracer?.install(in: handle) }
    return body()
  }

  private func updateTracer() {
    guard trace != nil || !observers.isEmpty else {
      if tracer != nil { unsafe Tracer.uninstall(from: handle) }
      tracer = nil
      return
    }
    let traces = observers + (trace.map { [$0] } ?? [])
    // A statement that has begun stays in the tracer.
    let tracer = tracer ?? Tracer(path: path)
    tracer.traces = traces
    tracer.request = request
    if self.tracer == nil { unsafe tracer.install(in: handle) }
    self.tracer = tracer
  }
}
