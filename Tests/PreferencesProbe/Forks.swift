#if os(Linux)
  import Dispatch
  import Glibc
  import Preferences
  import PropertyLists
  import SharedFiles
  import SystemFiles

  /// A process that forks: `fork exit|many|lock|killed`. It prints the result, and ends without saving.
  struct Forks {
    private let preferences: UserPreferences
    private let path: String

    init(_ preferences: UserPreferences, path: String) {
      self.preferences = preferences
      self.path = path
    }

    func run(_ mode: String?) throws {
      switch mode {
      case "exit": endOfChild()
      case "many": many()
      case "lock": try lock()
      case "killed": try killed()
      default: throw Usage()
      }
      _exit(0)
    }

    /// The child exits normally, while its parent has an unsaved value.
    private func endOfChild() {
      let parent = getpid()
      // But without the parent's buffered output.
      FileSystem.intercept { call, path in
        call == .write && path.hasPrefix("/") && getpid() == parent ? EIO : nil
      }
      preferences.set("old", forKey: "a")
      let child = fork()
      if child == 0 { exit(0) }
      Probe.say("exited \(end(of: child))")
    }

    /// Children use preferences while threads of their parent do.
    private func many() {
      // The first use of a type takes a lock of Swift's runtime, so the parent uses all types that children use first.
      preferences.set(1, forKey: "known")
      _ = preferences.integer(forKey: "known")
      try? preferences.synchronize()
      try? preferences.update(forKey: "known") { $0 = 1 }
      for thread in 0..<4 {
        let preferences = preferences
        DispatchQueue.global().async {
          for number in 0... {
            preferences.set(number, forKey: "n\(thread)")
            if preferences.integer(forKey: "n\(number % 4)") < 0 { return }
          }
        }
      }
      var ends: [Int32: Int] = [:]
      for _ in 0..<30 {
        let child = fork()
        if child == 0 { useInChild() }
        ends[end(of: child), default: 0] += 1
      }
      Probe.say("\(ends)")
    }

    /// Exits with 0 if the old value can be read and every other call fails.
    private func useInChild() -> Never {
      alarm(30)
      if preferences.integer(forKey: "known") != 1 { exit(1) }
      preferences.set(2, forKey: "known")
      if preferences.integer(forKey: "known") != 1 { exit(2) }
      do throws(PreferencesError) {
        try preferences.synchronize()
        exit(3)
      } catch {
        if error != .forkedProcess { exit(4) }
      }
      do throws(PreferencesError) {
        try preferences.update(forKey: "known") { $0 = 3 }
        exit(5)
      } catch {
        if error != .forkedProcess { exit(6) }
      }
      exit(0)
    }

    /// The child is still running when its parent is done with the file.
    private func lock() throws {
      let child: pid_t
      do {
        let lock = try LockedFile(path, until: .now + .seconds(10))
        child = fork()
        if child == 0 { waitToBeKilled() }
        _ = try lock?.isUnchanged()
      }
      let again = try LockedFile(path, until: .now)
      Probe.say(again == nil ? "missing" : "locked again")
      kill(child, SIGKILL)
      _ = end(of: child)
    }

    /// The child is still running when its parent has been killed.
    private func killed() throws {
      let lock = try LockedFile(path, until: .now + .seconds(10))
      let child = fork()
      if child == 0 { waitToBeKilled() }
      Probe.say("\(child)")
      kill(getpid(), SIGKILL)
      _ = try lock?.isUnchanged()
    }

    private func waitToBeKilled() -> Never {
      alarm(60)
      while true { pause() }
    }

    /// Returns the exit code of a child, or the negated number of the signal that killed it.
    private func end(of child: pid_t) -> Int32 {
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// `fork`, which Swift does not import.
    private func fork() -> pid_t {
      typealias Function = @convention(c) () -> pid_t
      guard let function = unsafe dlsym(nil, "fork") else { return -1 }
      return unsafe unsafeBitCast(function, to: Function.self)()
    }
  }
#endif
