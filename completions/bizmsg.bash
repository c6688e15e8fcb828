# bash completion of bizmsg, by bizmsg completion. It works from bash 3.2 on, and needs nothing beside it.

# Inserted is what bizmsg quoted for bash, and nothing of it is ever evaluated.
_bizmsg() {
  local answer kind line
  COMPREPLY=()
  # The line goes through stdin: every user can read the arguments of a process.
  answer=$(printf '%s\0' "${COMP_LINE:0:COMP_POINT}" "$2" | bizmsg __complete bash 2>/dev/null) || return 0
  kind=${answer%%$'\n'*}
  case $kind in
    words*)
      if [[ $answer == *$'\n'* ]]; then
        while IFS= read -r line; do COMPREPLY[${#COMPREPLY[@]}]=$line; done <<<"${answer#*$'\n'}"
      fi
      [[ $kind != *open ]] || _bizmsg_option nospace
      ;;
    files) _bizmsg_option default ;;
    folders) _bizmsg_option dirnames ;;
    command) _bizmsg_command ;;
  esac
}

# bash 3.2 has no compopt, and falls back to files as it was told below.
_bizmsg_option() {
  if [[ $(type -t compopt) == builtin ]]; then compopt -o "$1"; fi
}

# What stands after --, as bash completes it elsewhere.
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
