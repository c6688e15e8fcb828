export const outputTopic = `Output

Results go to stdout, everything else to stderr. On a terminal a list is an
aligned table; through a pipe it is tab-separated with a header line, and a
send prints the bare message_id. Reports, such as doctor, and runs read the
same in both.

  -o table    aligned; on a terminal as much as fits, with times as its clock
              has them
  -o tsv      tab-separated; inside a value a tab is \\t, a line feed \\n, a
              carriage return \\r, a NUL \\0, a backslash \\\\, a quote at the
              beginning \\", and another control character such as \\u001b
  -o csv      RFC 4180; a value that a spreadsheet would run as a formula gets
              an apostrophe in front ('=1+1), unless --raw-formulas is given;
              one with control characters is '\\ and the value with \\u001b for
              ESC and \\\\ for a backslash
  -o json     one document; a list is the array of its records
  -o ndjson   one object a line
  -o id       the id alone, a line each

An import undoes all of this. On a terminal, marks that reorder or hide text are
escaped too unless stdout is a file.

Times are UTC, such as 2026-05-01T12:00:00.000Z, but for those of a table on a
terminal. What goes on, such as webhooks listen or a run, prints each item as it
happens with -o ndjson, and one summary with -o json.

With -o json and -o ndjson stderr is one object a line too: notes as
{"note":{"code","message"}}, and last, on failure,
{"error":{"code","message","hint","status","body","done"}}, where done is "no"
or "unknown" for a call that changes something.

--columns a,b chooses columns (dots reach into objects), --no-header leaves the
header line out, --query takes a JMESPath expression: --query '[].phone' prints
a line each. --quiet leaves out notes, but not those that say whether a send is
real, and no errors. --debug adds the requests to stderr, without keys.

Without a terminal nothing is asked: a value that is missing is exit 2, and a
confirmation exit 11, naming the option that gives it. --no-input has it so on a
terminal too.
`;
