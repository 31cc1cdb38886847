import FoundationEssentials
import PropertyLists

/// The scripts that have a shell ask ``Completion``. One script is for all names that the tool can be called by.
enum CompletionScript {
  static let option = "--generate-completion-script"

  private static let scripts = ["bash": bash, "zsh": zsh, "fish": fish]

  /// The script that the arguments of the tool ask for; nil if they ask for something else.
  ///
  /// - Parameter arguments: without the name of the program.
  static func run(_ arguments: [String]) -> Int32? {
    guard let first = arguments.first, first == option || first.hasPrefix(option + "=") else { return nil }
    let shell =
      first == option
      ? arguments.dropFirst().first ?? ProcessInfo.processInfo.environment["SHELL"] ?? ""
      : String(first.dropFirst(option.count + 1))
    guard let script = scripts[shell.split(separator: "/").last.map(String.init) ?? ""] else {
      note("plistutil: error: \(shell.quoted) is no shell that there is a script for; there are bash, zsh and fish.")
      return ExitCodes.usage
    }
    do throws(PropertyListError) {
      try output(script)
      return ExitCodes.success
    } catch {
      note(error.line(about: "standard output"))
      return ExitCodes.inputOutput
    }
  }

  private static let names = "plistutil plutil defaults PlistBuddy plist2json"

  private static let bash = #"""
    # Completions for plistutil and the other names it can be called by. Source this, or put it with the name of each
    # into a folder such as /usr/share/bash-completion/completions.
    _plistutil() {
      local tool=plistutil line
      [[ ${1##*/} == plistutil && -x $1 ]] && tool=$1
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
    complete -F _plistutil \#(names)
    """#

  private static let zsh = #"""
    #compdef \#(names)
    # Completions for plistutil and the other names it can be called by. Source this after compinit, or put it as
    # _plistutil into a folder of fpath.
    _plistutil() {
      local tool=plistutil line kind= width=0
      local -a typed texts shown end
      local -A helps
      [[ ${words[1]:t} == plistutil && -x ${words[1]} ]] && tool=${words[1]}
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
      # A quotation mark that is closed stands after the cursor.
      [[ -n $QISUFFIX ]] && end=(-S '')
      compadd -l "${end[@]}" -d shown -a texts
    }
    if [[ ${funcstack[1]} == _plistutil ]]; then
      _plistutil "$@"
    elif (( $+functions[compdef] )); then
      compdef _plistutil \#(names)
    fi
    """#

  private static let fish = #"""
    # Completions for plistutil and the other names it can be called by. Source this, or put it with the name of each
    # into a folder such as /usr/share/fish/vendor_completions.d.
    function __plistutil_complete
        set -l before (commandline -opc)
        set -l all (commandline -op)
        set -l token (commandline -t)
        set -l current (commandline -ct)
        set -l tool plistutil
        string match -q -- '*/plistutil' $before[1]; and test -x $before[1]; and set tool $before[1]
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
    # Fish has its own for two of these, and would load them later beside ours.
    for name in plutil defaults
        complete -C "$name -" >/dev/null
        complete -c $name -e
    end
    for name in \#(names)
        complete -c $name -f -a '(__plistutil_complete)'
    end
    """#
}
