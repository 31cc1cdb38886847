/// A Python program that types into a shell like a user.
enum TypingScript {
  /// Its arguments are the shell, the completion script, a folder for its files, and lines. Each line is typed with a
  /// tab at its end, or in place of `|`, and the resulting line of the shell is printed.
  static let text = #"""
    import fcntl, os, pty, select, struct, sys, termios, time

    shell, script, folder, lines = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    result = folder + "/line"
    save = f"> '{result}.new'; mv '{result}.new' '{result}'"
    setup = {
        "bash": f"""
    PS1='ready> '
    bind 'set enable-bracketed-paste off'
    . '{script}'
    save() {{ printf %s "$READLINE_LINE" {save}; READLINE_LINE=; READLINE_POINT=0; }}
    bind -x '"\\C-g": save'
    """,
        "zsh": f"""
    PS1='ready> '
    autoload -U compinit; compinit -u -D
    . '{script}'
    save() {{ print -rn -- "$BUFFER" {save}; BUFFER= }}
    zle -N save; bindkey '^G' save
    """,
        "fish": f"""
    function fish_prompt; echo 'ready> '; end
    function fish_greeting; end
    source '{script}'
    function save; commandline {save}; commandline ''; end
    bind \\cg save
    """,
    }[shell]
    settings = {
        "bash": folder + "/settings",
        "zsh": folder + "/.zshrc",
        "fish": os.environ["XDG_CONFIG_HOME"] + "/fish/config.fish",
    }[shell]
    os.makedirs(os.path.dirname(settings), exist_ok=True)
    with open(settings, "w") as file:
        file.write(setup)
    command = [shell, "-i"] if shell != "bash" else [shell, "--noprofile", "--rcfile", settings, "-i"]

    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", ZDOTDIR=folder, HOME=folder, XDG_DATA_HOME=folder)
        os.execvp(shell, command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 300, 0, 0))
    shown = b""

    def wait(condition):
        global shown
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"{shell} does not answer: {shown[-2000:]!r}")
            if select.select([terminal], [], [], 0.01)[0]:
                shown += os.read(terminal, 65536)

    wait(lambda: b"ready> " in shown)
    for line in lines:
        left, _, right = line.partition("|")
        # ^B goes back by a character.
        os.write(terminal, (left + right + "\x02" * len(right) + "\t\x07").encode())
        wait(lambda: os.path.exists(result))
        with open(result) as file:
            print(file.read().replace("\n", ""))
        os.remove(result)
    os.close(terminal)
    os.waitpid(process, 0)
    """#
}
