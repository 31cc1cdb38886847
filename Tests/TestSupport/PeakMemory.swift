import Foundation

/// The peak memory of this process, in bytes; 0 on systems without `/proc`.
public var peakMemory: Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}
