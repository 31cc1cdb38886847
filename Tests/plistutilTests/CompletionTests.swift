import Foundation
import TestSupport
import Testing

@Suite("Completions of plistutil")
struct CompletionTests {
  @Test("there is a script for each shell, which knows verbs and options", arguments: ["bash", "zsh", "fish"])
  func thereIsAScriptForEachShell(_ shell: String) throws {
    let script = try Tool.run("--generate-completion-script", shell)
    #expect(script.status == 0)
    for word in ["convert", "lint", "archive", "outfolder", "keep-last-duplicates"] {
      #expect(script.text.contains(word), "\(word)")
    }
  }

  @Test(
    "bash completes verbs, options and values",
    arguments: [
      (["con"], "convert"), (["convert", "--outf"], "--outfile --outfolder"), (["convert", "--format", "js"], "json"),
      (["archive", "sh"], "show"), (["lint", "--keep"], "--keep-last-duplicates"),
    ])
  func bashCompletesVerbs(_ words: [String], _ expected: String) throws {
    let folder = try TemporaryFolder()
    try Tool.run("--generate-completion-script", "bash").output.write(to: URL(filePath: folder.path("script")))
    let commands = """
      source '\(folder.path("script"))'
      COMP_WORDS=(plistutil "$@"); COMP_CWORD=$#; COMP_LINE="plistutil $*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
      _plistutil plistutil "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      echo "${COMPREPLY[@]}"
      """
    let result = try Program.run(URL(filePath: "/bin/bash"), ["-c", commands, "bash"] + words)
    #expect(result.text == expected + "\n")
  }
}
