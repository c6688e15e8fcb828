import { cell, isRow, isRows, type Row } from '../../cli/output/rows.ts';

/** A delivery with every attempt: what was sent, and what came back. */
export function deliveryText({ id, event, type, url, state, last, next_at: next, fault, attempts }: Row): string {
  const outcome = next === null ? last : `next at ${cell(next)}`;
  const head = [id, type, url, state, isRows(attempts) && attempts.length > 0 ? outcome : undefined];
  const about = `event ${cell(event)}${typeof fault === 'string' ? `, struck by ${fault}` : ''}`;
  const made = isRows(attempts) ? attempts.map((attempt, at) => attemptText(attempt, at + 1, url)) : [];
  return [line(head), about, ...made].join('\n');
}

function attemptText({ at, request, response, error, took }: Row, ordinal: number, url: unknown): string {
  const head = `attempt ${ordinal}  ${new Date(Number(at)).toISOString()}  ${cell(took)} ms`;
  const sent = isRow(request) ? message('>', `POST ${cell(url)}`, request) : [];
  const answered = isRow(response) ? message('<', cell(response['status']), response) : [];
  return ['', head, ...sent, ...answered, ...(error === undefined ? [] : [`! ${cell(error)}`])].join('\n');
}

function message(mark: string, first: string, { headers, body, encoding }: Row): readonly string[] {
  const named = isRow(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${cell(value)}`) : [];
  const content = [...(encoding === undefined ? [] : [`(${cell(encoding)})`]), ...(body === '' ? [] : [cell(body)])];
  return [first, ...named, ...(content.length > 0 ? ['', ...content] : [])].map((text) => `${mark} ${text}`.trimEnd());
}

function line(parts: readonly unknown[]): string {
  return parts
    .map(cell)
    .filter((part) => part !== '')
    .join('  ');
}
