internal import FoundationEssentials
internal import PropertyLists

/// The completion scripts for bash, zsh and fish. A script gets the completions from the tool's hidden verb
/// (``Completion``), and works for all names of the tool.
package struct CompletionScript {
  private static let option = "--generate-completion-script"

  private let tool = ToolName.current
  private let otherNames: [String]
  /// The names for which fish comes with its own completions. The script replaces these.
  private let namesOfFish: [String]

  /// Creates the scripts for the tool.
  ///
  /// - Parameters:
  ///   - names: further names that the tool can be called by.
  ///   - namesOfFish: the `names` of tools that fish has its own completions for.
  package init(names: [String] = [], namesOfFish: [String] = []) {
    otherNames = names
    self.namesOfFish = namesOfFish
  }

  private var names: String { ([tool] + otherNames).joined(separator: " ") }

  /// Returns the script for a shell; nil if the shell is not supported.
  private func script(of shell: Substring) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  /// Prints the script that the arguments request, and returns the exit code. Returns nil if they do not request a
  /// script.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  package func run(_ arguments: [String]) -> Int32? {
    guard let first = arguments.first, first == Self.option || first.hasPrefix(Self.option + "=") else { return nil }
    let shell =
      first == Self.option
      ? arguments.dropFirst().first ?? ProcessInfo.processInfo.environment["SHELL"] ?? ""
      : String(first.dropFirst(Self.option.count + 1))
    guard let script = script(of: shell.split(separator: "/").last ?? "") else {
      note("\(tool): error: \(shell.quoted) is not a supported shell; use bash, zsh or fish.")
      return ExitCodes.usage
    }
    do {
      try output(script)
      return ExitCodes.success
    } catch {
      note(error.line(about: "standard output"))
      return ExitCodes.inputOutput
    }
  }

  private var bash: String {
    #"""
    # Completions for \#(tool) and its other names. Source this file, or copy it under each name into a folder such as
    # /usr/share/bash-completion/completions.
    _\#(tool)() {
      local tool=\#(tool) line
      [[ ${1##*/} == \#(tool) && -x $1 ]] && tool=$1
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          $'\t'files) compopt -o default ;;
          $'\t'folders) compopt -o dirnames ;;
          $'\t'nospace) compopt -o nospace ;;
          *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac 2>/dev/null
      done < <("$tool" complete bash "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" "$2" 2>/dev/null)
    }
    complete -F _\#(tool) \#(names)
    """#
  }

  private var zsh: String {
    #"""
    #compdef \#(names)
    # Completions for \#(tool) and its other names. Source this file after compinit, or copy it as _\#(tool) into
    # a folder of fpath.
    _\#(tool)() {
      local tool=\#(tool) line kind= width=0
      local -a typed texts shown end
      local -A helps
      [[ ${words[1]:t} == \#(tool) && -x ${words[1]} ]] && tool=${words[1]}
      typed=("${(@Q)words}")
      typed[CURRENT]=${(Q)IPREFIX}${(Q)PREFIX}
      for line in "${(@f)$(command $tool complete zsh $((CURRENT - 1)) "${typed[@]}" 2>/dev/null)}"; do
        case $line in
          ($'\t'files|$'\t'folders) kind=${line#$'\t'} ;;
          ($'\t'nospace) end=(-S '') ;;
          (?*)
            texts+=("${line%%$'\t'*}")
            helps[${texts[-1]}]=${line#*$'\t'}
            (( ${#texts[-1]} > width )) && width=${#texts[-1]}
            ;;
        esac
      done
      [[ $kind == ?* && $PREFIX == --*=* ]] && compset -P '--*='
      case $kind in
        (files) _files && return ;;
        (folders) _files -/ && return ;;
      esac
      (( $#texts )) || return 1
      for line in "${texts[@]}"; do
        if [[ -n ${helps[$line]} ]]; then shown+=("${(r:width:)line}  ${helps[$line]}"); else shown+=("$line"); fi
      done
      # The closing quotation mark is after the cursor.
      [[ -n $QISUFFIX ]] && end=(-S '')
      compadd -l "${end[@]}" -d shown -a texts
    }
    if [[ ${funcstack[1]} == _\#(tool) ]]; then
      _\#(tool) "$@"
    elif (( $+functions[compdef] )); then
      compdef _\#(tool) \#(names)
    fi
    """#
  }

  private var fish: String {
    #"""
    # Completions for \#(tool) and its other names. Source this file, or copy it under each name into a folder such as
    # /usr/share/fish/vendor_completions.d.
    function __\#(tool)_complete
        set -l before (commandline -opc)
        set -l all (commandline -op)
        set -l token (commandline -t)
        set -l current (commandline -ct)
        set -l tool \#(tool)
        string match -q -- '*/\#(tool)' $before[1]; and test -x $before[1]; and set tool $before[1]
        # The words after the cursor.
        set -l next (math (count $before) + 1)
        test -n "$token"; and set next (math $next + 1)
        set -l rest
        test $next -le (count $all); and set rest $all[$next..-1]
        for line in (command $tool complete fish (count $before) $before "$current" $rest 2>/dev/null)
            switch $line
                case \tfiles \tfolders
                    set -l option (string match -r -- '^--[^=]*=' "$current")
                    set -l name (string replace -- "$option" '' "$current")
                    set -l complete __fish_complete_path
                    test $line = \tfolders; and set complete __fish_complete_directories
                    for found in ($complete "$name")
                        printf '%s%s\n' "$option" $found
                    end
                case \tnospace
                case '*'
                    printf '%s\n' $line
            end
        end
    end
    # Fish has its own completions for some of these, and would load them later.
    for name in \#(namesOfFish.joined(separator: " "))
        complete -C "$name -" >/dev/null
        complete -c $name -e
    end
    for name in \#(names)
        complete -c $name -f -a '(__\#(tool)_complete)'
    end
    """#
  }
}
