import { expect, it } from 'vitest';
import { maskKey } from '../../../src/base/redact.ts';
import { Printer } from '../../../src/cli/output/printer.ts';
import { createUi, plain } from '../../../src/cli/output/ui.ts';

const key = 'sk_test_0123456789abcdef0123456789abcdef';
const rows = [1, 2].map((id) => ({ id, detail: { [key]: 1 }, note: `sent with ${key} at noon`, list: [key, 'x'] }));

it.each(['print', 'items'] as const)('masks a key before a narrow table cuts it (%s)', async (way) => {
  for (let width = 20; width <= 120; width += 4) {
    let text = '';
    const write = async (part: string | Uint8Array) => void (text += String(part));
    const out = { isTTY: true, columns: width, write };
    const printer = new Printer({
      out,
      ui: createUi({ stdout: out, stderr: out, now: () => 0 }, plain, () => undefined),
      format: 'table',
      piped: 'json',
      columns: undefined,
      header: true,
      lists: true,
      clean: (one) => one.replaceAll(key, maskKey(key)),
      note() {},
    });
    if (way === 'print') await printer.print(rows, () => '');
    else await printer.items(rows.map((data) => ({ data, text: () => '' })));
    await printer.end();
    expect(text).not.toContain(key.slice(0, 12));
  }
});
