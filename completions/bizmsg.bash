# bash completion of bizmsg, by bizmsg completion. It works with bash 3.2 and newer.

# Quotes what it inserts; nothing is evaluated.
_bizmsg() {
  local answer kind line
  COMPREPLY=()
  # Passes the line through stdin, because every user can read the arguments of a process.
  answer=$(printf '%s\0' "${COMP_LINE:0:COMP_POINT}" "$2" | bizmsg __complete bash 2>/dev/null) || return 0
  kind=${answer%%$'\n'*}
  case $kind in
    words)
      while IFS=$'\t' read -r line _; do
        [[ -n $line ]] || continue
        # In quotes that are open, only words come that need no others.
        case ${COMP_WORDS[COMP_CWORD]} in \"* | \'*) ;; *) printf -v line %q "$line" ;; esac
        COMPREPLY[${#COMPREPLY[@]}]=$line
      done <<<"${answer#"$kind"}"
      ;;
    files) _bizmsg_option default ;;
    command) _bizmsg_command ;;
  esac
}

# bash 3.2 has no compopt; it completes files, as set below.
_bizmsg_option() {
  if [[ $(type -t compopt) == builtin ]]; then compopt -o "$1"; fi
}

# Completes the command after -- like bash itself.
_bizmsg_command() {
  local first=1 line
  while ((first < COMP_CWORD)) && [[ ${COMP_WORDS[first]} != -- ]]; do first=$((first + 1)); done
  first=$((first + 1))
  if [[ $(type -t _comp_command_offset) == function ]]; then
    _comp_command_offset "$first"
  elif [[ $(type -t _command_offset) == function ]]; then
    _command_offset "$first"
  elif ((COMP_CWORD == first)); then
    while IFS= read -r line; do
      printf -v line %q "$line"
      COMPREPLY[${#COMPREPLY[@]}]=$line
    done < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else
    _bizmsg_option default
  fi
}

if [[ $(type -t compopt) == builtin ]]; then
  complete -F _bizmsg bizmsg
else
  complete -o default -F _bizmsg bizmsg
fi
