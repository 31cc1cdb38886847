/// The numbers by which an order is kept: as few as possible change when it does.
enum OrderNumbers {
  /// Tells the numbers that are in order already: as many as there can be, each greater than the one before. Those
  /// below 1 stand for none.
  ///
  /// - Complexity: O(*n* log *n*).
  static func kept(_ numbers: [Int64]) -> [Bool] {
    // For each length, the place that a row of that length ends with, with the least number.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() where number > 0 {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[place] = ends[low - 1] }
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var kept = [Bool](repeating: false, count: numbers.count)
    var place = ends.last ?? -1
    while place >= 0 {
      kept[place] = true
      place = before[place]
    }
    return kept
  }

  /// Numbers in order. Those that are kept stay unless there is no room between them for others.
  static func numbers(_ old: [Int64], _ kept: [Bool], first: Int64, step: Int64) -> [Int64] {
    var new = old
    var place = 0
    while place < old.count {
      if kept[place] {
        place += 1
        continue
      }
      let end = kept[place...].firstIndex(of: true) ?? old.count
      let count = Int64(end - place)
      let lowest = place > 0 ? new[place - 1] : 0
      if end == old.count {
        guard lowest < Int64.max - (count + 1) * step else { return fresh(old.count, first, step) }
        let start = place > 0 ? lowest + step : first
        for index in place..<end { new[index] = start + Int64(index - place) * step }
      } else {
        let room = (old[end] - lowest) / (count + 1)
        guard room > 0 else { return fresh(old.count, first, step) }
        for index in place..<end { new[index] = lowest + Int64(index - place + 1) * room }
      }
      place = end
    }
    return new
  }

  private static func fresh(_ count: Int, _ first: Int64, _ step: Int64) -> [Int64] {
    (0..<count).map { first + Int64($0) * step }
  }
}
