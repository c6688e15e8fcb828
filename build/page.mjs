// Builds the page of the sandbox: one script and one style sheet.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const source = join(root, 'src/page');
const target = join(root, 'dist/page');

/** In this order. */
const sheets = ['base', 'activity'];

export const pageEntry = join(target, 'page.js');

/** Builds into a temporary folder; returns the chunk. */
export async function makePage(temporary) {
  const { rolldown } = await import('rolldown');
  mkdirSync(temporary, { recursive: true });
  const made = await rolldown({
    input: { page: join(source, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
  });
  const written = { dir: temporary, format: 'esm', entryFileNames: '[name].js', codeSplitting: false, minify: true };
  const { output } = await made.write(written);
  await made.close();
  const styles = sheets.map((name) => readFileSync(join(source, `styles/${name}.css`), 'utf8'));
  writeFileSync(join(temporary, 'page.css'), withoutSpace(styles.join('')));
  return output;
}

export function installPage(temporary) {
  mkdirSync(target, { recursive: true });
  for (const file of ['page.css', 'page.js']) renameSync(join(temporary, file), join(target, file));
}

function withoutSpace(css) {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1');
}
