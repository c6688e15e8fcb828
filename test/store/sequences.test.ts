import { describe, expect, it } from 'vitest';
import { createBoth } from './both.ts';
import { drivers } from './drivers.ts';
import { createModel } from './model.ts';
import { createStoreWorld } from './store-world.ts';
import { type Answer, type File, type How, isProcess, type Process, type SendOptions, type World } from './world.ts';

/**
 * Commands, and what a user would want of them: `send BATCH FILE OPTIONS = exit sent`. A file is `1,2=text,3` with the
 * text of the last ones, "hi" by default, `1#A` with an order, or `[phone;column=cell]`. `^2` stops a command after two
 * messages, `kill@4` kills it at its fourth step. `got 1` are the live messages of a person, `twice` the people with
 * more than one.
 */
const sequences = `
excluded on Friday, repeated on Monday without it
  send k 1000..1039 --exclude=1030 ^19 = 130 19 | +66h | send k 1000..1039 = 0 20 | got 1030 = 0
lifted
  send k 1000..1039 --exclude=1030 = 0 39 | send k 1000..1039 --no-exclude = 0 1 | got 1030 = 1
daily text, a name a day
  send d-{date} 1,2,3=Mon = 0 3 | +24h | send d-{date} 1,2,3=Tue = 0 3
another branch under the same name: reported, and no person is lost
  send k 1000..1039 ^10 = 130 10 | send k 1050..1059 = 10 10 | waits k = 30 | resume k = 0 30
delta after an outage
  send orders 1000..1024=o1 ^5 = 130 5 | +1h | send orders 1040..1041=o2 = 10 2 | resume orders = 0 20 | twice = 0
repair file while others wait
  answers 2=failed | send h 1,2,3 ^1 = 130 1 | send h 1,2,3 = 10 1 | answers | send h 2=fixed = 0 1
typo after 2, corrected, then --resend changed
  send k 1,2,3=Fr ^2 = 130 2 | send k 1,2,3=Sa = 10 1 | send k 1,2,3=Sa --resend=changed = 0 2 | texts Sa = 3
weekly newsletter, one had a single
  single 1 x = 0 | +2h | send w48 1,2,3=48 = 10 2 | +20h | send w48 1,2,3=48 = 0 1 | got 1 = 2
second order the same day without --per is held
  send o9 1=A1 = 0 1 | +3h | send o12 1=A2,2=B = 10 1
the same with --per
  send o 1#1=A1 --per=order = 0 1 | +3h | send o 1#1=A1,1#2=A2 --per=order = 0 1
two clients at one address
  send a 1000..1004 --account=A = 0 5 | send a 1003..1007 --account=B = 0 5
a live script without a name
  send - 1,2,3 = 2 0 | got 1 = 0
typo fixed in a waiting row after Ctrl-C
  send a 1,2,3 ^1 = 130 1 | send a 1=hi,2=hi!,3 = 0 2 | text 2 = hi!
typo fixed in a sent row: told once
  send a 1,2,3 ^1 = 130 1 | send a 1=hi!,2,3 = 10 2 | send a 1=hi!,2,3 = 0 0 | got 1 = 1
another name after Ctrl-C: no person twice
  send a 1,2,3 ^1 = 130 1 | send b 1,2,3 = 10 2 | resume a = 10 0 | twice = 0
daily reminder, same name, same text: once
  send a 1,2,3 = 0 3 | +24h | send a 1,2,3 = 0 0
next day, other people, same name: yesterday is reported
  send a 1,2,3 ^1 = 130 1 | +17h | send a 4=x,5=y = 10 2 | resume a = 0 2
interrupted Friday, repeated Monday
  send a 1,2,3 ^1 = 130 1 | +64h | send a 1,2,3 = 0 2 | resume a = 0 0
hourly cron, then a weekend
  send c 1 = 0 1 | +1h | send c 1,2 = 0 1 | +60h | send c 1,2,3 = 0 1 | twice = 0
cron, a sent text changes: told once
  send c 1,2,3 = 0 3 | +24h | send c 1=hi,2=3points,3 = 10 0 | +24h | send c 1=hi,2=3points,3 = 0 0
twice a day, the second is held
  send am 1,2,3 = 0 3 | +8h | send pm 1,2,3=b = 10 0 | +15h | send am2 1,2,3=c = 0 3
two orders without --per
  send o o/2=x,1#1=o1,1#2=o2 = 11 0 | got 1 = 0
--per phone: one each, the first
  send o o/2=x,1#1=o1,1#2=o2 --per=phone = 0 2 | got 1 = 1
another --per later
  send o 1,2,3 = 0 3 | send o 1,2,3 --per=order = 2 0
late people, own file, same name
  send p 1,2,3 ^1 = 130 1 | send p late/4 = 10 1 | resume p = 0 2
failed rows repaired after Ctrl-C
  answers 1=failed | send p 1,2,3 kill@6 = 137 0 | answers | send p 1=fixed = 10 1 | resume p = 0 2
row removed, added again
  send a 1,2,3 ^1 = 130 1 | send a 1,2 = 10 1 | send a 1,2,3 = 0 1
excluded by mistake, list corrected
  send a 1,2,3 --exclude=2 = 0 2 | send a 1,2,3 --no-exclude --exclude=3 = 0 1 | got 2 = 1
STOP while it works; START an hour later
  begin a 1,2,3 step@3 | STOP 2 | ends = 0 2 | +1h | START 2 | send a 1,2,3 = 0 1
single to a waiting person while the batch works
  begin a 1,2,3 step@3 | single 3 hi = 0 | ends = 10 2 | twice = 0
--again in a loop
  send a 1,2,3 = 0 3 | send x 1,2,3 --again = 0 3 | send x 1,2,3 --again = 0 0 | got 1 = 2
--again under a name that has sent: what it sent itself is not sent again
  send x 1,2,3 = 0 3 | send x 1,2,3 --again = 0 0 | got 1 = 1
killed run of last week, other text today
  send x 1,2,3 kill@4 = 137 0 | +168h | send r 1,2,3=r = 0 3
cancelled, cron repeats
  send c 1,2,3 ^1 = 130 1 | cancel c = 0 | +1h | send c 1,2,3 = 11 0 | resume c = 11 0 | twice = 0
sandbox, then live, then resume
  send a 1,2,3 --sandbox = 0 3 | send a 1,2,3 ^1 = 130 1 | resume a = 0 2 | got 1 = 1
--first 1 in an interrupted batch: the rest waits
  send a 1,2,3 --first=1 = 0 1 | send a 1,2,3 = 0 2 | twice = 0
two templates, one name
  send a 1,2,3 = 0 3 | send a 1,2,3 --template=U = 2 0
reminder two days later, same text, then --again
  send a 1,2,3 = 0 3 | +48h | send r2 1,2,3 = 10 0 | send r3 1,2,3 --again = 0 3
a phone that was fixed replaces its row
  send a l/[+1;n=A][x2;n=B] = 10 1 | send a l/[+1;n=A][+2;n=B] = 0 1 | rows = 2
another row in the place of a wrong phone is a new one
  send a l/[+1;n=A][x2;n=B] = 10 1 | send a l/[+1;n=A][+2;n=C] = 0 1 | rows = 3
the same failed row is not tried again; --resend failed does
  answers 2=failed | send a 1,2,3 = 10 2 | answers | send a 1,2,3 = 0 0 | send a 1,2,3 --resend=failed = 0 1
unsure: not once more by itself; --resend unsure
  answers 2=unsure | send a 1,2,3 = 10 2 | answers | send a 1,2,3 = 10 0 | send a 1,2,3 --resend=unsure = 0 1
mark --sent
  answers 2=unsure-accepted | send a 1,2,3 = 10 2 | mark a sent = 0 | send a 1,2,3 = 0 0 | got 2 = 1
mark --not-sent
  answers 2=unsure | send a 1,2,3 = 10 2 | answers | mark a not-sent = 0 | send a 1,2,3 = 0 1 | got 2 = 1
mark --not-sent of another text: the one before counts again
  send a 1,2 = 0 2 | answers 2=unsure | send a 1=hi,2=B --resend=changed = 10 0 | answers | mark a not-sent = 0 | send a 1,2 = 0 0
kill -9 after the claim: unsure, never twice
  send a 1,2,3 kill@4 = 137 0 | send a 1,2,3 = 10 2 | twice = 0
follow-up to those who got it
  answers 2=failed | send a 1,2,3 = 10 2 | answers | send f from=a --template=U --text=more = 0 2
--from-batch a:failed under another template
  answers 2=failed | send a 1,2,3 = 10 2 | answers | send f from=a:failed --template=U --text=x = 0 1
--from-batch of a sandbox batch with a live key
  send a 1,2,3 --sandbox = 0 3 | send f from=a --template=U --text=x = 5 0
cancel --person stays cancelled
  send a 1,2,3 ^1 = 130 1 | cancel a --person=2 = 0 | send a 1,2,3 = 0 1 | got 2 = 0
cancel --missing
  send a 1,2,3 ^1 = 130 1 | send a 1 = 10 0 | cancel a --missing = 0 | resume a = 0 0 | got 3 = 0
cancel stops a process
  begin a 1,2,3 step@6 | cancel a = 0 | ends = 0 1 | got 2 = 0
two commands at the same time, one batch
  begin a 1,2,3 step@4 | send a 1,2,3 = 11 0 | ends = 0 3 | twice = 0
two batches at the same time, the same people
  begin a 1,2,3 step@4 | send b 1,2,3 = 10 0 | ends = 0 3 | twice = 0 | send b 1,2,3 = 10 0
--at-most
  send a 1,2,3 --at-most=2 = 11 0 | send a 1,2,3 --at-most=3 = 0 3
--where is kept
  send a 1#x,2#y=h --where=order:x = 0 1 | send a 1#x,2#y=h = 0 0 | send a 1#x,2#y=h --no-where = 0 1
import repeated; a changed contact is reported once
  send c 1,2,3 --import = 0 3 | send c 1,2,3 --import = 0 0 | send c 1=new,2,3 --import = 10 0
  send c 1=new,2,3 --import = 0 0
import without a name, then send to the same file
  send - 1,2,3 --import --sandbox = 0 3 | send - 1,2,3 --sandbox = 0 3 | batches = list,list-2
sandbox without a name: practise again and again
  send - 1,2,3 --sandbox = 0 3 | send - 1,2,3 --sandbox = 0 3 | send - 1,2,3 --sandbox ^1 = 130 1
  send - 1,2,3 --sandbox = 0 2
{date} across midnight: no person twice
  +23.9h | send n-{date} 1,2,3 ^1 = 130 1 | +0.2h | send n-{date} 1,2,3 = 10 2 | twice = 0
delete, then the same people
  send a 1,2,3 = 0 3 | delete a = 0 | send b 1,2,3 = 0 3
opted out outranks --again and singles
  STOP 1 | send a 1,2,3 --again = 0 2 | single 1 x --again = 11
single twice within 10 minutes
  single 1 x = 0 | single 1 x = 11 | +0.2h | single 1 x = 0
single after a batch, same text
  send a 1,2,3 = 0 3 | +5h | single 1 hi = 11 | single 1 hi --again = 0
a refused --resend changed keeps what was sent
  send a 1,2,3 = 0 3 | answers 1=failed | send a 1=B,2,3 --resend=changed = 10 0 | send b 1,2,3 = 10 0
cut off while loading: resume must not send a part
  send a 1,2,3 kill@2 = 137 0 | resume a = 11 0 | send a 1,2,3 = 0 3
who got it by another batch is reported with its name
  send a 1,2,3 = 0 3 | send b 1,2,3 = 10 0 | by b = a
held rows by --again under the same name
  send vip 1=a = 0 1 | send autumn 1,2,3=b = 10 2 | send autumn 1,2,3=b --again = 0 1
  send autumn 1,2,3=b --again = 0 0 | got 1 = 2
--again is kept: a repeat without it sends no person twice
  send a 1,2,3 = 0 3 | send b 1,2,3 --again ^1 = 130 1 | send b 1,2,3 = 0 2 | send b 1,2,3 = 0 0 | got 3 = 2
--again once more also sends who has the same text from elsewhere
  send vip 1 = 0 1 | send all 1,2,3 = 10 2 | send all 1,2,3 --again = 0 1 | got 1 = 2 | got 2 = 1
what others send after --again was given counts
  send a 1,2,3 --again ^1 = 130 1 | +1h | send b 2 = 0 1 | resume a = 10 1 | got 2 = 1
under way counts also with --again
  begin a 1 step@3 | send b 1 --again = 10 0 | ends = 0 1 | got 1 = 1
same text elsewhere stays sent: also after 28 days
  send vip 1 = 0 1 | send all 1,2,3 = 10 2 | +672h | send all 1,2,3 = 0 0 | got 1 = 1
same text elsewhere, a new batch after 28 days sends
  send a 1,2,3 = 0 3 | +672h | send b 1,2,3 = 0 3
sent by another, then the text changes: told once, --resend changed
  send vip 1 = 0 1 | +24h | send b 1 = 10 0 | send b 1=new = 10 0 | send b 1=new = 0 0
  send b 1=new --resend=changed = 0 1 | got 1 = 2
held another text for 20 hours, then sent by the same command
  send am 1,2,3=a = 0 3 | +8h | send pm 1,2,3=b = 10 0 | +13h | send pm 1,2,3=b = 0 3
a held row does not hold others
  send x 1=a = 0 1 | +15h | send y 1=b = 10 0 | +6h | send z 1=c = 0 1
mark by phone, singles too
  answers 1=unsure | single 1 hi = 13 | answers | +9000h | send b 1 = 10 0 | mark +1 not-sent = 0 | send b 1 = 0 1
  got 1 = 1
mark by phone --sent: the batch counts it as sent
  answers 1=unsure-accepted | single 1 hi = 13 | answers | send b 1 = 10 0 | mark +1 sent = 0 | send b 1 = 10 0
  got 1 = 1
mark by phone, two orders of one person: --lines
  answers 1=unsure | send o 1#1=A,1#2=B --per=order = 10 0 | mark +1 sent = 2 | mark +1 sent --lines=1 = 0
  mark +1 not-sent --lines=2 = 0 | answers | send o 1#1=A,1#2=B --per=order = 0 1
mark while a process works on it
  answers 1=unsure | begin a 1,2,3 step@7 | mark +1 sent = 11 | ends = 10 2
the report corrected: bizmsg_row replaces its row
  send a [+1][x2][x3] = 10 1 | send a fix/[+3;bizmsg_row=3] = 0 1 | phones = +1,?{,+3
the report uncorrected: the same row is not tried again
  answers 2=failed | send a 1,2,3 = 10 2 | answers | send a fix/[+2;order=;bizmsg_row=2] = 0 0
line 1 of another file is not line 1 of the batch
  send a [x1;n=A][x2;n=B] = 10 0 | send a fix/[+9;n=A] = 0 1 | rows = 3
a phone alone does not tell which line was fixed
  send a [x1][x2] = 10 0 | send a [+2] = 0 1 | rows = 3
cancelled rows stay, whatever the file says
  send a 1,2,3 ^1 = 130 1 | cancel a --person=2 = 0 | send a 1,2,3=new --resend=failed,unsure = 10 1
  send a 1,2,3=new --again = 0 0 | got 2 = 0
cancel in another account does nothing here
  send a 1,2,3 ^1 = 130 1 | cancel a --account=B = 5 | send a 1,2,3 = 0 2
a cut load of a batch that exists: resume is refused, the command goes on
  send a 1,2,3 = 0 3 | send a 1000..1004 kill@5 = 137 0 | resume a = 11 0 | send a 1000..1004 = 0 5 | twice = 0
a cut load keeps --exclude-from
  send a 1,2,3 --exclude=2 kill@2 = 137 0 | send a 1,2,3 = 0 2 | got 2 = 0
--resend changed refused keeps sent: no second message, told once
  send a 1 = 0 1 | answers 1=failed | send a 1=B --resend=changed = 10 0 | answers | send a 1=B = 0 0 | send a 1 = 0 0
  got 1 = 1
--resend changed killed under way: repeated, it never sends the new text twice
  send a 1 = 0 1 | answers 1=unsure-accepted | send a 1=B --resend=changed = 10 0 | answers
  send a 1=B --resend=changed = 10 0 | got 1 = 2
the earlier text of a --resend still counts
  send a 1 = 0 1 | send a 1=B --resend=changed = 0 1 | +48h | send b 1 = 10 0 | send c 1=B = 10 0
--resend sends only people of the file
  answers 2=unsure 3=unsure | send a 1,2,3 = 10 1 | answers | send a 2 --resend=unsure = 0 1 | got 3 = 0
a row counts where it was sent: with that batch deleted it can be sent again
  send vip 1,2,3 = 0 3 | send b 1,2,3 = 10 0 | delete vip = 0 | send c 1,2,3 = 0 3
resume --resend failed
  answers 2=failed | send a 1,2,3 = 10 2 | answers | resume a = 0 0 | resume a --resend=failed = 0 1
--first across repeats: the second sends nothing, the third the rest
  send a 1,2,3 --first=1 = 0 1 | send a 1,2,3 --first=1 = 0 0 | send a 1,2,3 --first=2 = 0 1 | send a 1,2,3 = 0 1
--first counts unsure, and --at-most what --first leaves
  answers 1=unsure | send a 1,2,3 --first=1 --at-most=1 = 10 0 | send a 1,2,3 --first=1 = 10 0
--per: a second order in another batch goes, the first not again
  send mon 1#1=A --per=order = 0 1 | +3h | send tue 1#1=A,1#2=B --per=order = 10 1 | got 1 = 2
--per: a send without a value counts only for the same text
  single 1 A = 0 | +3h | send o 1#1=A,1#2=B --per=order = 10 1
without --per any value counts
  send o 1#1=A --per=order = 0 1 | +3h | send p 1=B = 10 0
--per, a corrected order under the same name is changed
  send o 1#1=A --per=order = 0 1 | send o 1#1=A! --per=order = 10 0 | send o 1#1=A! = 0 0
failed told once, changed told once for each new text
  answers 2=failed | send a 1,2,3 = 10 2 | send a 1,2,3 = 0 0 | send a 1=x,2,3 = 10 0 | send a 1=x,2,3 = 0 0
  send a 1=y,2,3 = 10 0
sandbox: the same people under two names, a note only
  send a 1,2,3 --sandbox = 0 3 | send b 1,2,3 --sandbox = 0 3 | send a 1,2,3 --sandbox = 0 0
two accounts: same name, same people, and STOP of one only
  STOP 1 | send a 1,2,3 = 0 2 | send a 1,2,3 --account=B = 0 3
kept options: excluded phones add up
  send a 1,2,3 --exclude=1 = 0 2 | send a 1,2,3,4 --exclude=4 = 0 0 | send a 1,4 = 0 0
resume keeps them too, and takes --exclude-from
  send a 1,2,3 --exclude=2 ^1 = 130 1 | resume a --exclude=3 = 0 0 | send a 1,2,3 --no-exclude = 0 2
several --where must all hold; the next replaces them
  send a FOUR --where=city:B,tier:1 = 0 1 | send a FOUR = 0 0 | send a FOUR --where=city:B = 0 1
  send a FOUR --no-where = 0 2
resume without a name: the only one that waits
  send a 1,2,3 ^1 = 130 1 | resume = 0 2 | resume = 11 0 | send b 1000..1001 ^1 = 130 1 | send c 1005..1006 ^1 = 130 1
  resume = 11 0
without a name the latest counts, and a template has its own
  send - 1,2,3 --sandbox = 0 3 | send - 1,2,3 --sandbox --template=U = 0 3 | send - 1,2,3 --sandbox ^1 = 130 1
  send - 1,2,3 --sandbox = 0 2 | batches = list,list-2,list-3
a terminal: none, all once more
  send a 1,2,3 = 0 3 | send b 1,2,3 --nobody = 11 0 | send b 1,2,3 --all = 0 3 | send b 1,2,3 = 0 0
an import: another body elsewhere is changed, told once; STOP does not stop a contact
  STOP 1 | send c 1,2,3 --import = 0 3 | +9000h | send d 1,2,3=new --import = 10 0 | send d 1,2,3=new --import = 0 0
an import has no --resend changed; a row without a phone is its body
  send c [email=a][email=b] --import = 0 2 | send c [email=a][email=c] --import = 0 1
  send c 1,2,3 --import --resend=changed = 2 0
`;

interface Options extends SendOptions {
  readonly missing?: boolean;
  readonly person?: string;
  readonly lines?: readonly number[];
}

const phones = (value: string) => value.split(',').map((phone) => `+${phone}`);
const cells = (value: string) => Object.fromEntries(value.split(',').map((cell) => cell.split(':')));

const readers: Readonly<Record<string, (value: string) => Options & How & { readonly step?: number }>> = {
  '--again': () => ({ again: true }),
  '--resend': (value) => ({
    resend: (['changed', 'unsure', 'failed'] as const).filter((rows) => value.includes(rows)),
  }),
  '--exclude': (value) => ({ excludeFrom: phones(value) }),
  '--no-exclude': () => ({ noExcludeFrom: true }),
  '--first': (value) => ({ first: Number(value) }),
  '--at-most': (value) => ({ atMost: Number(value) }),
  '--per': (per) => ({ per }),
  '--where': (value) => ({ where: cells(value) }),
  '--no-where': () => ({ noWhere: true }),
  '--all': () => ({ terminal: 'all' }),
  '--nobody': () => ({ terminal: 'nobody' }),
  '--account': (account) => ({ account }),
  '--sandbox': () => ({ mode: 'sandbox' }),
  '--import': () => ({ kind: 'import' }),
  '--template': (template) => ({ template }),
  '--text': (text) => ({ text }),
  '--missing': () => ({ missing: true }),
  '--person': (phone) => ({ person: `+${phone}` }),
  '--lines': (line) => ({ lines: [Number(line)] }),
  from: (fromBatch) => ({ fromBatch }),
  '^': (count) => ({ stopAfter: Number(count) }),
  'kill@': (step) => ({ killAt: Number(step) }),
  'step@': (step) => ({ step: Number(step) }),
};

function fileOf(text: string): File {
  const [, name = 'list', list = ''] = /^(?:(\w+)\/)?(.*)$/.exec(text) ?? [];
  if (list === 'FOUR') return fileOf('[+1;city=B;tier=1][+2;city=B;tier=2][+3;city=K;tier=1][+4;city=K;tier=2]');
  const range = /^(\d+)\.\.(\d+)(.*)$/.exec(list);
  if (range) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    const all = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return { ...fileOf(`${all.join()}${range[3]}`), name };
  }
  return { name, rows: list.startsWith('[') ? recordsIn(list) : peopleIn(list) };
}

function recordsIn(list: string): File['rows'] {
  return list
    .slice(1, -1)
    .split('][')
    .map((record) => {
      const pairs = record.split(';').map((cell) => (cell.includes('=') ? cell : `phone=${cell}`).split('='));
      const { bizmsg_row: row, ...rest } = Object.fromEntries(pairs);
      return { text: 'hi', ...rest, ...(row !== undefined && { bizmsg_row: Number(row) }) };
    });
}

function peopleIn(list: string): File['rows'] {
  let text = 'hi';
  const rows = list
    .split(',')
    .toReversed()
    .map((person) => {
      const [who = '', own] = person.split('=');
      const [phone, order = ''] = who.split('#');
      text = own ?? text;
      return { phone: `+${phone}`, order, text };
    });
  return rows.toReversed();
}

const answers: readonly Answer[] = ['failed', 'unsure', 'unsure, accepted'];
const background = new WeakMap<World, Process>();
const isLive = ({ mode }: { readonly mode: string }) => mode === 'live';

type Act = (world: World, words: readonly string[], options: ReturnType<(typeof readers)[string]>) => Promise<unknown>;

const pair = ({ exit, sent }: { readonly exit: number; readonly sent: number }) => `${exit} ${sent}`;
const exitOf = async (result: ReturnType<World['mark']>) => (await result).exit;

function sendOptions(batch: string | undefined, file: string | undefined, options: Options): SendOptions {
  return { batch: batch === '-' ? undefined : batch, ...(file !== undefined && { file: fileOf(file) }), ...options };
}

const verbs: Readonly<Record<string, Act>> = {
  send: async (world, [batch, file], o) => pair(await world.sendBatch(sendOptions(batch, file, o), o)),
  resume: async (world, [name], { resend = [], excludeFrom = [] }) =>
    pair(await world.resume({ name, resend, ...(excludeFrom.length > 0 && { excludeFrom }) })),
  single: (world, [phone, text = ''], o) => exitOf(world.sendTemplate({ phone: `+${phone}`, text, ...o }, o)),
  mark: (world, [of = '', as], { lines }) => {
    const named = of.startsWith('+') ? { phone: of } : { name: of };
    return exitOf(world.mark({ ...named, as: as === 'sent' ? as : 'not sent', ...(lines && { lines }) }));
  },
  cancel: (world, [name = ''], { account = 'A', missing = false, person }) =>
    exitOf(world.cancel({ name, account, missing, ...(person !== undefined && { person }) })),
  delete: (world, [name = '']) => exitOf(world.remove({ name })),
  STOP: (world, [phone]) => world.optOut('A', `+${phone}`),
  START: (world, [phone]) => world.optIn('A', `+${phone}`),
  async answers(world, map) {
    const replies = new Map(map.map((answer) => [`+${answer.split('=')[0]}`, answer.split('=')[1]]));
    world.answer = ({ phone }) => answers.find((answer) => answer.replace(', ', '-') === replies.get(phone)) ?? 'sent';
  },
  async begin(world, [batch, file], { step = 0, ...o }) {
    const process = await world.begin(sendOptions(batch, file, o));
    if (!isProcess(process)) throw new Error(`refused: ${process.exit}`);
    background.set(world, process);
    for (let n = 0; n < step; n++) await process.step();
  },
  async ends(world) {
    const process = background.get(world);
    while (process?.isAlive()) await process.step();
    return pair(process?.result() ?? { exit: -1, sent: 0 });
  },
  got: async ({ messages }, [phone]) =>
    messages.filter((message) => message.phone === `+${phone}` && isLive(message)).length,
  async twice({ messages }) {
    const people = messages.filter(isLive).map(({ phone }) => phone);
    return new Set(people.filter((phone, at) => people.indexOf(phone) !== at)).size;
  },
  texts: async ({ messages }, [wanted]) => messages.filter(({ text }) => text === wanted).length,
  text: async ({ messages }, [number]) => messages[Number(number) - 1]?.text,
  waits: async (world, [name]) =>
    (await world.rows()).filter(({ batch, state }) => batch === name && state === 'waiting').length,
  by: async (world, [name]) => (await world.rows()).find(({ batch }) => batch === name)?.by,
  rows: async (world) => (await world.rows()).length,
  phones: async (world) => (await world.rows()).map(({ phone }) => phone.slice(0, 2)).join(),
  batches: async (world) => (await world.batches()).map(({ name }) => name).join(),
};

/** Takes a step; returns it with its result in this world. */
async function take(world: World, step: string): Promise<string> {
  const [line = '', wanted] = step.split(' = ');
  const hours = /^\+([\d.]+)h$/.exec(line)?.[1];
  if (hours !== undefined) return world.pass(Number(hours)).then(() => step);
  const [verb = '', ...typed] = line.split(' ');
  const options = typed.flatMap((word) => {
    const [, name = '', value = ''] = /^(\^|\w+@|--[\w-]+|from)=?(.*)$/.exec(word) ?? [];
    return readers[name]?.(value) ?? [];
  });
  const words = typed.filter((word) => !/^(\^|\w+@|--|from=)/.test(word));
  const act = verbs[verb];
  if (!act) throw new Error(`no command: ${step}`);
  const result = await act(world, words, Object.assign({}, ...options));
  return wanted === undefined ? line : `${line} = ${String(result)}`;
}

const cases = sequences
  .trim()
  .split(/\n(?! )/)
  .map((sequence) => {
    const [name = '', ...lines] = sequence.split(/\n {2}/);
    return { name, steps: lines.flatMap((line) => line.split(' | ')) };
  });

describe.each(drivers)('$where, as in the model,', ({ open }) => {
  it.each(cases)('$name', async ({ steps }) => {
    const world = createBoth(createModel(), createStoreWorld(await open()));
    const taken: string[] = [];
    for (const step of steps) taken.push(await take(world, step));
    expect(taken).toEqual(steps);
  });
});
