import { describe, expect, it } from 'vitest';
import { createDecoder, encodingOf } from '../../../src/runs/input/encoding.ts';
import { thrown } from '../../support/thrown.ts';
import { readText } from './rig.ts';

const text = 'phone,name\n+1,Zoë 李 👋🏽\n';

describe('the encoding', () => {
  it.each([
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
    ['UTF-16 LE', Buffer.from(text, 'utf16le'), 'utf-16le'],
    ['UTF-16 LE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
    ['UTF-16 BE', Buffer.from(text, 'utf16le').swap16(), 'utf-16be'],
    ['UTF-16 BE with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be'],
  ])('is detected: %s', async (_, bytes, name) => {
    expect(encodingOf(bytes).name).toBe(name);
    expect(await readText('people.csv', bytes)).toMatchObject([{ raw: ['+1', 'Zoë 李 👋🏽'] }]);
  });

  it('is the given one', async () => {
    const rows = await readText('people.csv', Buffer.from('phone,name\n+1,Zo\xeb\n', 'latin1'), { encoding: 'latin1' });
    expect(rows).toMatchObject([{ raw: ['+1', 'Zoë'] }]);
  });

  it('is that of the byte order mark rather than the given one', () => {
    expect(encodingOf(Buffer.from('\ufeffa', 'utf16le'), 'windows-1252')).toEqual({ name: 'utf-16le', bom: true });
  });

  it('is refused if it is unknown', () => {
    expect(thrown(() => encodingOf(Buffer.from('a'), 'latin-99'))).toMatchObject({
      exit: 'usage',
      message: '--encoding: "latin-99" is not an encoding',
    });
  });

  it('keeps a byte order mark that is not the first character', async () => {
    const rows = await readText('people.csv', `phone\n\ufeff+1\n`);
    expect(rows).toMatchObject([{ raw: ['\ufeff+1'] }]);
  });
});

describe('invalid bytes', () => {
  it.each([
    ['a lone continuation', [0x61, 0x80, 0x61], 1],
    ['a character cut off in the middle', [0x61, 0x62, 0xe2, 0x82, 0x61], 2],
    ['a character cut off at the end', [0xc3, 0xab, 0xf0, 0x9f, 0x91], 2],
    ['an overlong form', [0x61, 0xc0, 0xaf], 1],
    ['a surrogate', [0x61, 0x61, 0x61, 0xed, 0xa0, 0x80], 3],
    ['a byte outside UTF-8', [0xf5, 0x80, 0x80, 0x80], 0],
  ])('are reported with their offset, in chunks of any size: %s', (_, bytes, offset) => {
    for (const size of [1, 2, 3, 100]) {
      expect(thrown(() => decodeIn(Uint8Array.from(bytes), size, 'utf-8'))).toMatchObject({
        exit: 'usage',
        message: `"people.csv" is not valid UTF-8 at byte ${offset}`,
        hint: expect.stringContaining('--encoding'),
      });
    }
  });

  it('are reported with an approximate offset in other encodings', () => {
    expect(thrown(() => decodeIn(Uint8Array.from([0x61, 0x00, 0x00, 0xdc]), 4, 'utf-16le'))).toMatchObject({
      message: '"people.csv" is not valid utf-16le between the bytes 0 and 4',
    });
  });
});

function decodeIn(bytes: Uint8Array, size: number, name: string): void {
  const decoder = createDecoder({ name, bom: false }, 'people.csv');
  for (let at = 0; at < bytes.length; at += size) decoder.decode(bytes.subarray(at, at + size), false);
  decoder.decode(new Uint8Array(0), true);
}
