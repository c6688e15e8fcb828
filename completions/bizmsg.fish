# fish completion of bizmsg, by bizmsg completion.

# fish quotes what it inserts; nothing is evaluated.
function __bizmsg_complete
    set -l current (commandline -ct)
    # Passes the words through stdin, because every user can read the arguments of a process.
    set -l answer (printf '%s\0' (commandline -opc) "$current" | bizmsg __complete fish 2>/dev/null)
    set -q answer[1]; or return
    set -l kind $answer[1]
    set -l before $answer[2]
    set -e answer[1..2]
    set -l word (string sub -s (math 1 + (string length -- "$before")) -- "$current")
    switch $kind
        case words
            for line in $answer
                printf '%s%s\n' "$before" "$line"
            end
        case files
            for path in (__fish_complete_path "$word")
                printf '%s\n' "$before$path"
            end
        case command
            complete -C (commandline -cp | string join ' ' | string replace -r '^.*? -- ' '')
    end
end

complete -c bizmsg -f -a '(__bizmsg_complete)'
