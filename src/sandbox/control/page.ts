import { pagePath, type Reply } from '../exchange.ts';

/** The built page; the shell needs nothing else. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

const shell = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>SANDBOX · bizmsg</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%23f5b301'/%3E%3Cpath d='M4 4h8v6H8l-3 3v-3H4z' fill='%231d1600'/%3E%3C/svg%3E">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
<body><div id="page"></div><noscript>This page needs JavaScript. bizmsg sandbox log lists the messages on a terminal.</noscript>
</html>
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** The files of the page. They contain no data, so they need no token. Undefined for any other path. */
export function pageReply(path: string, page: PageFiles): Reply | undefined {
  if (path === pagePath) return file('text/html', shell);
  if (path === `${pagePath}page.js`) return file('text/javascript', page.script);
  if (path === `${pagePath}page.css`) return file('text/css', page.style);
  return undefined;
}

function file(type: string, body: string): Reply {
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8`, ...pageHeaders }, body };
}
