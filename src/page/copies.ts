import { posixQuote } from '../base/posix-quote.ts';
import { endpoints } from '../contract/endpoints.ts';

interface Sent {
  readonly to: string;
  readonly template: string;
  readonly params: readonly string[];
}

/** The commands and code that send the same message again. */
export const copies: readonly { readonly name: string; readonly text: (message: Sent) => string }[] = [
  { name: 'bizmsg', text: asCommand },
  { name: 'curl', text: asCurl },
  { name: 'fetch', text: asFetch },
];

const { path } = endpoints.sendTemplate;

function asCommand({ to, template, params }: Sent): string {
  const words = [
    to,
    template,
    ...params.flatMap((param) => (param.startsWith('-') ? [`--param=${param}`] : ['-p', param])),
  ];
  return `bizmsg send-template ${words.map(posixQuote).join(' ')} --profile local`;
}

function asCurl(message: Sent): string {
  return [
    `curl "$BIZMSG_BASE_URL${path}"`,
    '-H "Authorization: Bearer $BIZMSG_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${posixQuote(JSON.stringify(body(message)))}`,
  ].join(' \\\n  ');
}

function asFetch(message: Sent): string {
  return `await fetch(process.env.BIZMSG_BASE_URL + '${path}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.BIZMSG_API_KEY}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(body(message))}),
});`;
}

function body({ to, template, params }: Sent): Sent {
  return { to, template, params };
}
