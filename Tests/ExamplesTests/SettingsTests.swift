import Foundation
import Preferences
import TestSupport
import Testing

/// The example program, as processes that share a folder.
@Suite("The settings example") struct SettingsTests {
  private let folder = TemporaryFolder()
  private let option: String

  init() throws { option = "--folder=" + folder.path("config") }

  private func settings(_ arguments: String...) throws -> Program { try Program.run("settings", arguments + [option]) }

  private static let defaults = [
    "fontSize = 12 (default)", "lineSpacing = 1.5 (default)", "theme = light (default)",
    "showsLineNumbers = true (default)", "author =  (default)",
  ]

  private func lines(_ program: Program) -> [String] { program.text.split(separator: "\n").map(String.init) }

  @Test func `settings are shown with their sources, set, and reset`() throws {
    #expect(try lines(settings("show")) == Self.defaults)
    for (name, value) in [("fontSize", "14"), ("theme", "dark"), ("showsLineNumbers", "no"), ("author", "Zoë K.")] {
      let run = try settings("set", name, value)
      #expect(run.status == 0, "\(run.errors)")
    }
    let changed = [
      "fontSize = 14 (application settings)", "lineSpacing = 1.5 (default)", "theme = dark (application settings)",
      "showsLineNumbers = false (application settings)", "author = Zoë K. (application settings)",
    ]
    #expect(try lines(settings("show")) == changed)
    for name in LongForm.isWanted ? ["fontSize", "theme", "showsLineNumbers", "author"] : ["fontSize"] {
      #expect(try settings("reset", name).status == 0)
    }
    #expect(
      try lines(settings("show")) == (LongForm.isWanted ? Self.defaults : [Self.defaults[0]] + changed.dropFirst()))
  }

  @Test func `values on the command line count for one run, and are not stored`() throws {
    #expect(try settings("set", "fontSize", "14").status == 0)
    let overridden = try lines(settings("show", "-fontSize", "20", "-lineSpacing", "-1"))
    #expect(overridden.prefix(2) == ["fontSize = 20 (arguments)", "lineSpacing = -1.0 (arguments)"])
    #expect(try lines(settings("show")).prefix(2) == ["fontSize = 14 (application settings)", Self.defaults[1]])
  }

  @Test(arguments: [
    ["set", "size", "14"], ["set", "fontSize", "large"], ["set", "theme", "Dark"], ["reset", "size"],
    ["show", "-size", "14"], ["show", "-fontSize", "large"], ["show", "-fontSize"], ["show", "14"],
  ])
  func `an unknown setting or an invalid value is an error and changes nothing`(_ arguments: [String]) throws {
    let run = try Program.run("settings", arguments + [option])
    #expect(run.status != 0)
    #expect(run.errors.hasPrefix("Error: "))
    #expect(folder.names.isEmpty)
  }

  @Test func `watch prints a line for each change by other processes`() async throws {
    let watching = try RunningProgram("settings", ["watch", option, "-author", "Zoë"])
    let shown = await watching.next(5)
    #expect(shown == Self.defaults.dropLast() + ["author = Zoë (arguments)"])
    // One after another: changes that are saved together are ordered by name.
    for (arguments, line) in [
      (["set", "fontSize", "14"], "fontSize: 12 → 14 (application settings)"),
      (["set", "theme", "dark"], "theme: light → dark (application settings)"),
      (["set", "fontSize", "15"], "fontSize: 14 → 15 (application settings)"),
      (["reset", "fontSize"], "fontSize: 15 → 12 (default)"),
    ] {
      let run = try Program.run("settings", arguments + [option])
      #expect(run.status == 0, "\(run.errors)")
      #expect(await watching.next(1) == [line])
    }
    // Neither of these changes an effective value there.
    #expect(try settings("set", "author", "Kael").status == 0)
    #expect(try settings("set", "theme", "dark").status == 0)
    #expect(try settings("reset", "theme").status == 0)
    #expect(await watching.next(1) == ["theme: dark → light (default)"])
  }

  @Test func `watch prints each of many changes`() async throws {
    let watching = try RunningProgram("settings", ["watch", option])
    #expect(await watching.next(5).count == 5)
    let preferences = UserPreferences(
      suiteName: DomainName("settings"),
      locations: PreferencesLocations(folder: folder.url.appending(path: "config")),
      arguments: [])
    for size in 21...31 {
      preferences.set(size, forKey: "fontSize")
      let line = try #require(await watching.next(1).first)
      #expect(line.contains("→ \(size) "))
    }
  }
}
