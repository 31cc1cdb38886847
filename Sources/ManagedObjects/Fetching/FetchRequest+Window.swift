internal import ObjectModels

/// Properties and functions for the window of results that the offset and the limit of a request select.
extension FetchRequest {
  /// The number of results up to the end of the window; `Int.max` without a limit.
  var windowEnd: Int {
    guard fetchLimit > 0 else { return .max }
    let (end, overflows) = max(fetchOffset, 0).addingReportingOverflow(fetchLimit)
    return overflows ? .max : end
  }

  /// Returns the results in the window. Skips the number of results that the offset gives, and returns at most the
  /// number that the limit gives.
  package func window<Result>(_ all: [Result]) -> [Result] {
    let start = min(max(fetchOffset, 0), all.count)
    let end = min(windowEnd, all.count)
    return start == 0 && end == all.count ? all : Array(all[start..<end])
  }

  /// Returns the number of results in the window, if a request without offset and limit has `count` results.
  package func windowCount(of count: Int) -> Int { max(min(windowEnd, count) - max(fetchOffset, 0), 0) }
}
