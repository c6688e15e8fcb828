import { describe, expect, it } from 'vitest';
import { fields, fileOf, open, read, readBytes, refusal } from './rig.ts';

const text = 'phone,name\n+1,Zoë 李 👋🏽\n';
const expected = [{ phone: '+1', name: 'Zoë 李 👋🏽' }];
const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');

describe('the encoding', () => {
  it.each([
    ['UTF-8', Buffer.from(text), {}],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`), {}],
    ['UTF-16 LE by its byte order mark', utf16, {}],
    ['UTF-16 BE by its byte order mark', Buffer.from(utf16).swap16(), {}],
    ['that of the byte order mark rather than the one given', utf16, { encoding: 'windows-1252' }],
    ['the one given', Buffer.from(text, 'utf16le'), { encoding: 'utf-16' }],
  ])('is %s', async (_, bytes, options) => {
    expect(fields((await read('people.csv', bytes, options)).rows)).toEqual(expected);
    expect(fields((await readBytes(bytes, options)).rows)).toEqual(expected);
  });

  it('may be windows-1252 with all its signs', async () => {
    const bytes = Buffer.from('name\n\x80 \x84a\x93 \x96 \x8a\x9e\x9f \xfc\n', 'latin1');
    const { rows } = await read('people.csv', bytes, { encoding: 'latin1' });
    expect(fields(rows)).toEqual([{ name: '€ „a“ – ŠžŸ ü' }]);
  });

  it('is refused if it is unknown', async () => {
    await expect(read('people.csv', text, { encoding: 'latin-99' })).rejects.toMatchObject(
      refusal('--encoding: "latin-99" is not an encoding'),
    );
  });

  it('keeps a byte order mark that is not the first character', async () => {
    expect(fields((await read('people.csv', `phone\n\ufeff+1\n`)).rows)).toEqual([{ phone: '\ufeff+1' }]);
  });
});

describe('a file that is not UTF-8', () => {
  const names = Buffer.from('name,city\nM\xfcller,K\xf6ln\nB\xf6hm,K\xf6ln\n', 'latin1');

  it.each([
    ['in its first rows', names, 2],
    [
      'far below',
      Buffer.concat([Buffer.from('name,city\n'), Buffer.alloc(2_000_000, `Ada,${'x'.repeat(995)}\n`), names]),
      2_003,
    ],
    ['at the end of a file that was cut off', Buffer.from('name\nAda\nZo\xc3', 'latin1'), 3],
  ])('is refused in a script, with the line: %s', async (_, bytes, line) => {
    await expect(read('people.csv', bytes)).rejects.toMatchObject(
      refusal(new RegExp(`^line ${line} of ".*people.csv" is not UTF-8$`), '--encoding windows-1252'),
    );
  });

  it('is read as windows-1252 if a person recognizes its words', async () => {
    const { input, rows, questions } = await read('people.csv', names, { answer: 'yes' });
    expect(questions).toEqual(['The file is not UTF-8. Read it as windows-1252: Müller, Köln, Böhm — right?']);
    expect(rows[0]?.fields).toEqual({ name: 'Müller', city: 'Köln' });
    expect(input.encoding).toBe('windows-1252');
  });

  it('is refused if a person does not recognize its words', async () => {
    await expect(read('people.csv', names, { answer: 'no' })).rejects.toMatchObject({ code: 'declined' });
  });

  it.each([
    ['only signs that are not letters', Buffer.from('price\n5 \x80\n', 'latin1')],
    ['no text', Buffer.from('\x89PNG\r\n\0\xfc\xfc', 'latin1')],
  ])('is refused without a question if it has %s', async (_, bytes) => {
    await expect(read('people.csv', bytes, { answer: 'yes' })).rejects.toMatchObject({
      exit: 'usage',
      hint: expect.stringContaining('--encoding'),
    });
  });
});

describe('text that was damaged before', () => {
  it.each([
    ['JÃ¼rgen', 'JÃ¼rgen'],
    ['Hallo ??', 'Hallo ??'],
    ['M\ufffdller', 'M\ufffdller'],
    ['itâ€™s', 'itâ€'],
  ])('is noted: %s', async (name, shown) => {
    const { notes } = await read('people.csv', `phone,name\n+1,${name}\n`);
    expect(notes).toEqual([`"${shown}" looks as if a program had read it in a wrong encoding`]);
  });

  it.each(['Jürgen', 'Really??', 'SÃO JOÃO', 'â', '??'])('is not what is spelled so: %s', async (name) => {
    expect((await open(fileOf('people.csv', `phone,name\n+1,${name}\n`))).notes).toEqual([]);
  });
});
