import Preferences
import PropertyLists
import TestSupport
import Testing

@Suite("Lengths of time are stored as seconds") struct DurationTests {
  @Test(arguments: [
    (Duration.milliseconds(100), 0.1), (.seconds(30), 30), (.milliseconds(-1500), -1.5), (.zero, 0),
    (.nanoseconds(1), 1e-9), (.seconds(1) - .nanoseconds(1), 0.999999999), (.seconds(86_400 * 48), 4_147_200),
    (.seconds(4_147_199) + .nanoseconds(999_999_999), 4_147_199.999999999),
    (.seconds(1 << 53), 9_007_199_254_740_992),
  ])
  func `a duration is stored as a real of seconds, and read exactly`(_ duration: Duration, _ seconds: Double) throws {
    #expect(duration.storedPreference() == .real(seconds))
    #expect(Duration.preferenceValue(from: .real(seconds)) == duration)
  }

  @Test func `nanoseconds are exact for durations of up to 48 days`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<LongForm.size(10_000, or: 1000) {
      let limit = 48 * 86_400 * 1_000_000_000
      let duration = Duration.nanoseconds(Int.random(in: -limit...limit, using: &generator))
      let stored = try #require(duration.storedPreference())
      #expect(Duration.preferenceValue(from: stored) == duration, "\(duration)")
    }
  }

  @Test(
    "only numbers, and text that is a number, are read as seconds",
    arguments: [
      (5, .seconds(5)), (.integer(.init(Int64.max)), .seconds(Int64.max)), ("2.5", .milliseconds(2500)),
      (.float(0.5), .milliseconds(500)), (.integer(.init(UInt64.max)), nil), (.real(.nan), nil),
      (.real(.infinity), nil), (.real(1e19), nil), (.real(-1e300), nil), ("1 s", nil), (true, nil), ([1, 2], nil),
    ] as [(PropertyList, Duration?)])
  func integersAndTextThatIsANumberAreSeconds(_ stored: PropertyList, _ duration: Duration?) {
    #expect(Duration.preferenceValue(from: stored) == duration)
  }
}
