internal import ObjectModels

/// Offset and limit.
extension FetchRequest {
  /// The number of results that have to be found for the window; `Int.max` if it has no end.
  var windowEnd: Int {
    guard fetchLimit > 0 else { return .max }
    let (end, overflows) = max(fetchOffset, 0).addingReportingOverflow(fetchLimit)
    return overflows ? .max : end
  }

  /// The results from the offset on, no more than the limit.
  package func window<Result>(_ all: [Result]) -> [Result] {
    let start = min(max(fetchOffset, 0), all.count)
    let end = min(windowEnd, all.count)
    return start == 0 && end == all.count ? all : Array(all[start..<end])
  }

  /// The number of results in the window, of all. Counts honour offset and limit, as all results do.
  package func windowCount(of count: Int) -> Int { max(min(windowEnd, count) - max(fetchOffset, 0), 0) }
}
