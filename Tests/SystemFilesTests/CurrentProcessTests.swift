import Foundation
import SystemFiles
import Testing

@Suite("The environment of the process") struct CurrentProcessTests {
  @Test func `a variable has its value, or is not set`() {
    #expect(CurrentProcess.environmentValue("PATH") == ProcessInfo.processInfo.environment["PATH"])
    #expect(CurrentProcess.environmentValue("NO_SUCH_VARIABLE_OF_A_TEST") == nil)
  }

  #if os(Linux) || os(macOS)
    /// In a process of its own, because the environment is that of a whole process.
    @Test func `the home folder is that of the variable if it is absolute, else that of the user`() async {
      await #expect(processExitsWith: .success) {
        setenv("HOME", "/a home", 1)
        #expect(CurrentProcess.homeFolder == "/a home")
        let home = getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
        for value in ["relative", "", "~"] {
          setenv("HOME", value, 1)
          #expect(CurrentProcess.environmentValue("HOME") == value)
          #expect(CurrentProcess.homeFolder == home)
        }
        unsetenv("HOME")
        #expect(CurrentProcess.homeFolder == home)
      }
    }
  #endif
}
