import { isoTime } from '../../base/iso-time.ts';
import type { Ui } from '../../cli/output/ui.ts';
import { type Step, stepsOf } from '../../sandbox/control/story.ts';
import type { MessageStory, RequestRow } from '../../sandbox/rows.ts';
import type { SandboxEvent } from '../../sandbox/state/records.ts';

/** A request on one line. */
export function requestLine({ at, method, path, status, message_id, fault, detail }: RequestRow, ui: Ui): string {
  const about = [message_id, fault, detail].filter((value) => value !== null);
  const code = status === 0 ? 'no answer' : String(status);
  const outcome = status >= 200 && status < 300 ? ui.color.green(code) : ui.color.red(code);
  return ui.line([ui.time(at), method.padEnd(4), path, outcome, ...about]);
}

/** A message, its text, and what happened to it, in order. */
export function storyText(story: MessageStory, ui: Ui): string {
  const { id, to, template, status, text } = story;
  const head = [ui.color.bold(id), to, template, statusText(status, ui)].join('  ');
  const lines = stepsOf(story).map((step) => stepLine(step, ui));
  return [head, text ?? 'its template was deleted, so the text is unknown', '', ...lines].join('\n');
}

function statusText(status: MessageStory['status'], { color }: Ui): string {
  if (status === 'failed') return color.red(status);
  return status === 'accepted' ? color.yellow(status) : color.green(status);
}

const arrows = { request: '', event: '', delivery: '→ ', handler: '  → handler ' } as const;

function stepLine({ kind, what, note, at, state, event }: Step, ui: Ui): string {
  const subject = arrows[kind] + (what ?? (kind === 'request' ? 'sent' : note));
  const paint = state === 'bad' ? ui.color.red : ui.color.green;
  const notes = what === null || note === '' ? [] : [state === 'pending' ? note : paint(note)];
  const time = ui.time(isoTime(at));
  if (state === 'pending') return ui.line([time, ui.color.dim(`${subject} is due`), ...notes]);
  return ui.line([time, subject, ...(event === undefined ? [] : [event]), ...notes]);
}

/** The id of the record that an event is about. */
export function subjectOf(data: SandboxEvent['data']): unknown {
  return data['message_id'] ?? data['order_id'] ?? data['flow_run_id'] ?? data['campaign_id'] ?? data['id'];
}

interface SentPart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly encoding?: string;
  /** The number of bytes, if the body is cut. */
  readonly bytes?: number | undefined;
}

/** A request or an answer as `curl -v` shows it. The body is one line, because a view gets texts without line feeds. */
export function partLines(
  mark: string,
  first: string,
  { headers, body, encoding, bytes }: SentPart,
): readonly string[] {
  const content = [
    ...(encoding === undefined ? [] : [`(${encoding})`]),
    ...(body === '' ? [] : [body]),
    ...(bytes === undefined ? [] : [`(the first 16 KB of ${bytes} bytes)`]),
  ];
  const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return [...lines, ...(content.length > 0 ? ['', ...content] : [])].map((line) => `${mark} ${line}`.trimEnd());
}
