import Foundation
import TestSupport

/// Debian's Chromium without a window, controlled through a pipe (DevTools protocol).
///
/// One browser serves all tests. It ends with the test process, which closes the pipe.
final class Chromium: @unchecked Sendable {
  /// The program; nil if it is not installed.
  static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let missing = "no Chromium is installed: apt-get install chromium"

  /// An error of the browser or of a script.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let shared = Result { try Chromium() }

  private let lock = NSLock()
  private let folder: TemporaryFolder
  private let toBrowser: Int32
  private let fromBrowser: Int32
  private var lastNumber = 0
  private var unread = Data()

  private init() throws {
    guard let program = Self.program else { throw Failure(description: Self.missing) }
    folder = TemporaryFolder()
    var (commands, answers): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&commands) == 0, pipe(&answers) == 0 else { throw Failure(description: "no pipe") }
    // Other processes that tests start must not keep these descriptors open.
    for end in [commands[1], answers[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Higher than the descriptors that the browser gets.
    let (input, output) = (fcntl(commands[0], F_DUPFD_CLOEXEC, 10), fcntl(answers[1], F_DUPFD_CLOEXEC, 10))
    (toBrowser, fromBrowser) = (commands[1], answers[0])
    close(commands[0])
    close(answers[1])
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 3)
    posix_spawn_file_actions_adddup2(&actions, output, 4)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let arguments = [
      program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-extensions", "--disable-background-networking", "--remote-debugging-pipe",
      // Starting a process for each page takes longer than showing most pages.
      "--renderer-process-limit=1",
      "--user-data-dir=\(folder.url.path)", "about:blank",
    ]
    var texts = arguments.map { strdup($0) } + [nil]
    var environment = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in texts + environment { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, &actions, nil, &texts, &environment)
    close(input)
    close(output)
    guard code == 0 else { throw Failure(description: "cannot start \(program): \(code)") }
  }

  /// Calls a method of the protocol, and waits for the result.
  func call(_ method: String, _ parameters: [String: Any] = [:], session: String? = nil) throws -> [String: Any] {
    lock.lock()
    defer { lock.unlock() }
    lastNumber += 1
    var message: [String: Any] = ["id": lastNumber, "method": method, "params": parameters]
    message["sessionId"] = session
    let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(toBrowser, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure(description: "the browser takes nothing") }
      written += count
    }
    let deadline = Date(timeIntervalSinceNow: hangLimit)
    while true {
      let answer = try nextMessage(before: deadline)
      guard answer["id"] as? Int == lastNumber else { continue }
      if let error = answer["error"] as? [String: Any] { throw Failure(description: "\(method): \(error)") }
      return answer["result"] as? [String: Any] ?? [:]
    }
  }

  private func nextMessage(before deadline: Date) throws -> [String: Any] {
    var scanned = unread.startIndex
    while true {
      if let end = unread[scanned...].firstIndex(of: 0) {
        let message = unread[unread.startIndex..<end]
        unread = Data(unread[(end + 1)...])
        return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
      }
      scanned = unread.endIndex
      var wait = pollfd(fd: fromBrowser, events: Int16(POLLIN), revents: 0)
      let time = Int32(max(deadline.timeIntervalSinceNow, 0) * 1000)
      guard poll(&wait, 1, time) > 0 else { throw Failure(description: "the browser does not answer") }
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      let count = read(fromBrowser, &buffer, buffer.count)
      guard count > 0 else { throw Failure(description: "the browser has ended") }
      unread.append(contentsOf: buffer[..<count])
    }
  }
}

/// A page in a tab.
final class BrowserTab {
  private let browser: Chromium
  /// The tab is closed when this object is released.
  private let page: PageFile
  private let target: String
  private let session: String

  /// Opens a file, and waits until all its data has been read.
  ///
  /// - Parameters:
  ///   - fragment: the part of the address after `#`.
  ///   - scheme: the preferred color scheme: `light` or `dark`.
  ///   - script: a script that is run before those of the page.
  init(
    _ page: PageFile, at fragment: String = "", width: Int = 1400, height: Int = 900, scheme: String = "light",
    script: String = ""
  ) throws {
    self.page = page
    browser = try Chromium.shared.get()
    target = try browser.call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String ?? ""
    let parameters: [String: Any] = ["targetId": target, "flatten": true]
    session = try browser.call("Target.attachToTarget", parameters)["sessionId"] as? String ?? ""
    try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
    try call("Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    // The effects of a program in a value, the words that the page must not show, and the number of pauses in which the
    // browser can draw.
    try call("Page.enable")
    try call(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        window.ran = []; window.errors = []; window.pauses = 0;
        {
          const later = window.setTimeout;
          window.setTimeout = (work, time, ...rest) => {
            if (!time) window.pauses += 1;
            return later(work, time, ...rest);
          };
        }
        window.alert = (text) => window.ran.push(String(text));
        addEventListener("error", (event) => window.errors.push(String(event.message)), true);
        addEventListener("unhandledrejection", (event) => window.errors.push(String(event.reason)));
        addEventListener("securitypolicyviolation", (event) => window.errors.push(event.violatedDirective));
        \(script)
        """
      ])
    let url = URL(filePath: page.path).absoluteString + (fragment.isEmpty ? "" : "#\(fragment)")
    try call("Page.navigate", ["url": url])
    try wait(for: "document.documentElement.hasAttribute('data-read') && document.querySelector('h1')")
  }

  deinit { _ = try? browser.call("Target.closeTarget", ["targetId": target]) }

  @discardableResult
  func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    try browser.call(method, parameters, session: session)
  }

  /// Returns the value of a JavaScript expression, which can be a promise.
  @discardableResult
  func evaluate(_ expression: String) throws -> Any? {
    let answer = try call("Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
    if let exception = answer["exceptionDetails"] { throw Chromium.Failure(description: "\(expression): \(exception)") }
    return (answer["result"] as? [String: Any])?["value"]
  }

  func text(_ expression: String) throws -> String { try evaluate("String(\(expression))") as? String ?? "" }

  func number(_ expression: String) throws -> Double { (try evaluate(expression) as? NSNumber)?.doubleValue ?? .nan }

  func isTrue(_ expression: String) throws -> Bool { try evaluate("Boolean(\(expression))") as? Bool ?? false }

  func wait(for condition: String) throws {
    // Each test of a condition takes the browser about a millisecond.
    let isMet = try eventually(every: 10_000) {
      try isTrue("(() => { try { return \(condition) } catch { return false } })()")
    }
    guard isMet else {
      let body = try text("document.body && document.body.innerText.slice(0, 500)")
      throw Chromium.Failure(description: "never so: \(condition); errors \(try text("window.errors")); \(body)")
    }
  }

  /// Goes to another fragment of the page.
  func go(_ fragment: String, until condition: String) throws {
    try evaluate("location.hash = \(Self.quoted(fragment)); 0")
    try wait(for: condition)
  }

  /// Presses keys, with JavaScript's key names.
  func press(_ keys: String...) throws {
    let codes = [
      "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8,
      "PageUp": 33, "PageDown": 34, "Home": 36, "End": 35, "Tab": 9,
    ]
    for key in keys {
      var parameters: [String: Any] = ["type": "keyDown", "key": key]
      if let code = codes[key] {
        parameters["windowsVirtualKeyCode"] = code
        if key == "Enter" { parameters["text"] = "\r" }
      } else {
        parameters["text"] = key
      }
      try call("Input.dispatchKeyEvent", parameters)
      parameters["type"] = "keyUp"
      parameters["text"] = nil
      try call("Input.dispatchKeyEvent", parameters)
    }
  }

  /// Returns a screenshot as PNG.
  func screenshot() throws -> Data {
    Data(base64Encoded: try call("Page.captureScreenshot")["data"] as? String ?? "") ?? Data()
  }

  static func quoted(_ text: String) -> String {
    let data = try? JSONSerialization.data(withJSONObject: [text])
    return String(String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast())
  }
}
