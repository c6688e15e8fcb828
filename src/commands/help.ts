import { CliError } from '../base/errors.ts';
import { command, commandsBelow, type Context, type Group } from '../cli/command.ts';
import { globals } from '../cli/globals.ts';
import { topicNames } from '../cli/help.ts';
import { folded } from '../cli/output/text.ts';
import { knowing, namesOf, type Params, words } from '../cli/params.ts';
import { listed } from '../cli/parser.ts';

export const helpCommand = command({
  name: 'help',
  summary: 'Show help for a command, a topic, an option or an exit code',
  details: `Topics: ${topicNames.join(', ')}.\n-o json prints the whole tree of commands, or one command, for programs.`,
  params: {
    words: knowing('help', words('[words...]', 'a command, a topic, an option or an exit code')),
  },
  examples: ['help contacts create', 'help twice', 'help rate', 'help 13', 'help contacts import -o json'],
  accepts: ['output'],
  run: async (context, { words }) => {
    const [word = ''] = words.length === 1 ? words : [];
    const topic = topicNames.find((name) => name === word);
    if (topic) return { page: topics[topic], data: { topic, text: topics[topic] } };
    try {
      const { path, node, answer = '' } = await context.parse([...words, '--help']);
      const { output } = context.given;
      if (output === undefined || output === 'table') return { page: answer, data: undefined };
      return { page: '', data: await (await import('../cli/describe.ts')).describeNode(path, node) };
    } catch (error) {
      const page = error instanceof CliError && word !== '' ? await pageOf(word, context) : undefined;
      if (page === undefined) throw error;
      return { page, data: { topic: word, text: page } };
    }
  },
  data: ({ data }) => data,
  view: (_, __, { page }) => page,
});

/** Each code with its meaning, and after `>` what to do next, which only the page of the code shows. */
const codes = `  0    done
  1    internal error: a bug in bizmsg
       > Report it with the command and what it printed. bizmsg history shows
       > whether a message was sent.
  2    usage error, or unreadable input
       > Nothing was sent. Correct the command line or the file; bizmsg COMMAND
       > --help lists the options.
  3    configuration: no profile, no key, a damaged store, a full disk
       > Nothing was sent. bizmsg whoami shows which profile and key are used,
       > and bizmsg doctor checks them and this machine.
  4    the key was refused (401, 403)
       > Nothing was done. 401: bizmsg login renews the key. 403: the plan or the
       > scope of the key does not allow the call.
  5    not found (404)
       > Nothing was done. Check the name or the id: templates list, batches list
       > and webhooks list show them.
  6    rejected (400 and most other 4xx)
       > Nothing was done, and repeating it fails again. Correct what the error
       > names, such as the number of variables.
  7    rate limit reached, and all retries failed (429)
       > Nothing was done. Repeat the command after a minute, or next month if
       > the quota of the plan is used up.
  8    service fault, or an invalid response; nothing changed
       > Repeat the command later. If it fails again, contact the support of the
       > service.
  9    network, TLS or time-out; nothing changed
       > bizmsg doctor checks the address and the connection. Then repeat the
       > command.
  10   some rows or replayed events failed, are unsure, or were left: held,
       changed, or waiting without being in the file
       > bizmsg batches show has the next command for each outcome, and bizmsg
       > batches report the reason of each row.
  11   refused for safety: the mode, a key of another address, a missing
       confirmation, a redirect, a message that was just sent
       > If it is what you want, repeat the command with the option that the hint
       > names, such as --yes.
  12   a check failed, or the opposite of the awaited event occurred
       > A signature is bad, or message.failed came instead of a receipt: bizmsg
       > webhooks show has the event with its reason.
  13   unsure: the request may have been processed, since a POST was sent and no
       clear answer came; it is not repeated. Or: an awaited event did not come
       > Do not repeat it yet: bizmsg history PHONE shows what is known (in the
       > sandbox: bizmsg sandbox log). Then bizmsg batches mark PHONE --sent or
       > --not-sent settles it.
  126  the command of sandbox exec or webhooks expect cannot be run
  127  the command of sandbox exec or webhooks expect was not found
  129  hung up
  130  interrupted
       > bizmsg batches resume goes on with a batch.
  143  terminated
`;

const exitCodes = `Exit codes

${codes.replace(/^ +> .*\n/gm, '')}
sandbox exec and webhooks expect exit with the code of their command. Ctrl-C
ends webhooks listen and sandbox start with 0. A batch that stopped goes on with
the same command, or with batches resume.
`;

const environment = `Environment

  BIZMSG_API_KEY, BIZMSG_BASE_URL  a key and its address, set together
  BIZMSG_PROFILE         the profile; cannot be combined with BIZMSG_API_KEY
  BIZMSG_MODE            sandbox or live, like --mode
  BIZMSG_ACCOUNT         whose messages these are; a profile's own comes first
  BIZMSG_TEAM            the URL of the team's database
  BIZMSG_LOCAL_ONLY      "1": refuse every target except the local sandbox
  BIZMSG_WEBHOOK_SECRET  the secret that signs webhook events
  BIZMSG_CONFIG_DIR      the folder of the profiles with their keys
                         (default: ~/.config/bizmsg; Windows: %APPDATA%\\bizmsg)
  BIZMSG_STATE_DIR       the folder of everything else, also of what was sent
            (default: ~/.local/state/bizmsg; Windows: %LOCALAPPDATA%\\bizmsg)
  XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, NODE_EXTRA_CA_CERTS,
  HTTPS_PROXY, ALL_PROXY, NO_PROXY, NO_COLOR, FORCE_COLOR, BROWSER  as usual
  CI, ACCESSIBLE         no lines that change in place; with CI no prompts

A BIZMSG_ variable that is set but empty is an error (exit 3), because a missing
secret looks like that; so is a relative folder. bizmsg whoami shows which key a
command would use.
`;

const twice = `Nobody gets the same template twice by accident

In one batch each person gets one message, however often you repeat the command,
or with --per order one for each order. Another batch of the template looks at
what was sent with live keys of the account, in batches and single messages:

               the same text              another text
  sent         27 days: counts as sent    20 hours: held
  on its way   held                       held
  unsure       held until it is marked    20 hours: held

A terminal asks whether these people get it once more. A script sends to the
others and exits with 10. --again sends to all: a weekly message with the same
text is --batch news-{week} --again. --resend changed sends the people of this
batch the text that the file has now; --resend failed and unsure try again.

A single message asks if the same text went to the person within 10 minutes,
within 20 hours by a batch, or may have been sent; a script exits with 11, and
--again sends it. With a sandbox key, only the batch itself counts.
`;

const agents = `For agents and scripts

Practice in the sandbox, which needs no account and sends nothing:

  bizmsg send-template +12025550101 welcome --profile local -o json
  bizmsg sandbox log --type messages -o json
  bizmsg sandbox exec npm test

BIZMSG_LOCAL_ONLY=1 refuses every other target, --dry-run sends nothing, and
--no-input never prompts: a missing value is exit 2, a missing confirmation
exit 11, and the hint names the option. A live batch from a script needs --batch
NAME --at-most N. bizmsg help -o json has all commands with their options.

Read the exit code before you repeat anything. 7, 8 and 9: nothing was done, so
repeat the command. 10: some rows need a person; batches show lists why. 13: the
message may have been sent; do not repeat it, but look at the events or ask a
person. A batch may be repeated: each person gets it once.
With -o json, stderr has one JSON object a line, and the last one is the error:
code, message, hint, and done, which is "no" or "unknown".

A live command that sends or changes something elsewhere is refused (exit 11) if
a variable such as AI_AGENT or CLAUDECODE shows an AI agent. A person can allow
it with bizmsg profiles set NAME --agents live. This is a seat belt, not a lock:
give an agent a sandbox key.
`;

const files = `Files of rows, for send-batch and contacts import

Excel workbooks (.xlsx), CSV and TSV with any separator, NDJSON, or a JSON
array; - is stdin. The first line of a table names its columns, in any case. In
JSON a column is a field. Cells of a workbook are read as they are shown.

  --map Mobile=phone     the column Mobile has the phones; a column phone, to
                         or mobile is found without it (an import: phone)
  -p :name               send-batch: the next variable is the value of the
                         column name; -p VALUE is the same text for all rows,
                         -p= is empty, and -p ::text begins with a colon
  --where country=DE     only the rows with this value in a column; in JSON also
                         in a nested field: address.city=Bonn
  --type age=number      contacts import: number, boolean, json, list (split at
                         commas) or list:semicolon

Phones with + or 00 are read in any notation: +1 (202) 555-0101. National ones
need --country: DE, Germany, or :land for the column land; with intl, all begin
with a country code (49170…), as Excel leaves them. A file that is not UTF-8
needs --encoding. A row with an empty variable fails, unless --default. A person
who is listed twice gets the first message.

Failed rows of a batch X: bizmsg batches report X --outcome failed > fix.csv
writes them with the reasons. Correct the file, and send it with --batch X.
`;

const options = `Options of all commands

Put them before or after the command. A command refuses those that it does not
support (exit 2). Durations are 30, 30s or 5m.

${listed(globals)}

Results go to stdout, everything else to stderr. On a terminal a list is a
table. In a pipe it is tab-separated with a header, and a send prints only the
message_id. In tsv a tab is \\t, a line feed \\n, a carriage return \\r, a NUL \\0
and a backslash \\\\. In csv a text that a spreadsheet would run gets an
apostrophe in front ('=1+1). contacts import undoes both.
`;

/** The texts of the help topics. */
const topics: Readonly<Record<(typeof topicNames)[number], string>> = {
  options,
  files,
  twice,
  'exit-codes': exitCodes,
  environment,
  agents,
};

/** The page of an exit code or an option; undefined if the name is unknown. */
async function pageOf(word: string, context: Context): Promise<string | undefined> {
  if (/^\d+$/.test(word)) return codePage(word);
  const { node } = await context.parse(['--help']);
  return node.kind === 'group' ? optionPage(`--${word.replace(/^-+/, '')}`, node) : undefined;
}

function codePage(code: string): string | undefined {
  const lines = new RegExp(`^  ${code} .*\n(?:     .*\n)*`, 'm').exec(codes)?.[0];
  const page = lines?.replace(/^ +> /m, '\n$&').replaceAll(/^( +)> /gm, '$1');
  return page && `Exit code ${code}\n\n${page}\nAll of them: bizmsg help exit-codes\n`;
}

async function optionPage(name: string, tree: Group): Promise<string | undefined> {
  const uses = new Map<string, string[]>();
  const collect = (params: Params, where: string) => {
    for (const param of Object.values(params)) {
      if (!namesOf(param).includes(name)) continue;
      const text = listed({ param });
      uses.set(text, [...(uses.get(text) ?? []), where]);
    }
  };
  collect(globals, 'all commands');
  for (const { path, command } of await commandsBelow(tree)) collect(command.params, path.join(' '));
  const texts = [...uses].map(
    ([text, where]) => `${text}\n${folded([`in ${where.join(', ')}`], 78, '').replaceAll(/^/gm, '  ')}`,
  );
  return texts.length === 0 ? undefined : `The option ${name}\n\n${texts.join('\n\n')}\n`;
}
