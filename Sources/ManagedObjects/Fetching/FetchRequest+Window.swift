internal import ObjectModels

/// Properties and functions for the window of results that the offset and the limit of a request select.
extension FetchRequest {
  /// The number of results up to the end of the window; `Int.max` without a limit.
  var windowEnd: Int {
    guard fetchLimit > 0 else { return .max }
    let (end, overflows) = max(fetchOffset, 0).addingReportingOverflow(fetchLimit)
    return overflows ? .max : end
  }

  /// Returns the results in the window: skips as many results as the offset says, and returns at most as many as the
  /// limit allows.
  package func window<Result>(_ all: [Result]) -> [Result] {
    let start = min(max(fetchOffset, 0), all.count)
    let end = min(windowEnd, all.count)
    return start == 0 && end == all.count ? all : Array(all[start..<end])
  }

  /// Returns how many of `count` results are in the window. The offset and the limit also apply to requests for a
  /// count.
  package func windowCount(of count: Int) -> Int { max(min(windowEnd, count) - max(fetchOffset, 0), 0) }
}
