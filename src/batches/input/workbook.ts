import { posix } from 'node:path';
import { usage } from '../../base/errors.ts';
import { numberFormat } from './cell-number.ts';
import { type Handlers, local, openParts, type Parts, readingPart, saveAs } from './office-parts.ts';
import type { Request } from './request.ts';

/** An Excel workbook without its rows. */
export interface Workbook {
  readonly parts: Parts;
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** A number as the style with this index shows it. */
  shown(value: number, style: number): string;
}

export interface Sheet {
  readonly title: string;
  readonly path: string;
  readonly isHidden: boolean;
}

export async function openWorkbook(bytes: Buffer, request: Request): Promise<Workbook> {
  const parts = await openParts(bytes, request);
  const main = (await linksOf(parts, '')).find(({ type }) => type === 'officeDocument')?.path;
  if (!main?.endsWith('.xml')) throw usage(`"${request.name}" is a zip archive without an Excel workbook`, saveAs);
  const links = await linksOf(parts, main);
  const pathOf = (type: string) => links.find((link) => link.type === type)?.path ?? '';
  let since1904 = false;
  const sheets: Sheet[] = [];
  await readPart(parts, main, {
    workbookPr({ date1904 = '' }) {
      since1904 = /^(?:1|true)$/.test(date1904);
    },
    sheet({ name: title = '', state = 'visible', ...others }) {
      const [, target] = Object.entries(others).find(([key]) => local(key) === 'id') ?? [];
      const link = links.find(({ id }) => id === target);
      if (link?.type === 'worksheet') sheets.push({ title, path: link.path, isHidden: state !== 'visible' });
    },
  });
  const strings = await stringsIn(parts, pathOf('sharedStrings'));
  return { parts, sheets, strings, shown: await stylesIn(parts, pathOf('styles'), since1904) };
}

/** Bytes that a part in memory may unpack to. */
const mostBytes = 1 << 28;

async function readPart(parts: Parts, path: string, open: Handlers['open'], close?: Handlers['close']): Promise<void> {
  for await (const _ of readingPart(parts, path, { open, close }, mostBytes));
}

/** The parts that a part refers to. */
async function linksOf(parts: Parts, part: string) {
  const links: { readonly id: string; readonly type: string; readonly path: string }[] = [];
  const folder = posix.dirname(part);
  await readPart(parts, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), {
    Relationship({ Id: id = '', Type: type = '', Target: target = '' }) {
      links.push({ id, type: posix.basename(type), path: posix.resolve('/', folder, target).slice(1) });
    },
  });
  return links;
}

async function stringsIn(parts: Parts, path: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let [text, beforePronunciation] = ['', ''];
  const open = { si: () => (text = ''), rPh: () => (beforePronunciation = text) };
  await readPart(parts, path, open, {
    t: (more) => (text += more),
    rPh: () => (text = beforePronunciation),
    si: () => strings.push(unescaped(text)),
  });
  return strings;
}

async function stylesIn(parts: Parts, path: string, since1904: boolean): Promise<Workbook['shown']> {
  const codes = new Map<string, string>();
  const styles: (string | number)[] = [];
  let isCellStyle = false;
  const open: Handlers['open'] = {
    numFmt: ({ numFmtId = '', formatCode = '' }) => codes.set(numFmtId, formatCode),
    cellXfs: () => (isCellStyle = true),
    xf: ({ numFmtId = '0' }) => isCellStyle && styles.push(codes.get(numFmtId) ?? Number(numFmtId)),
  };
  await readPart(parts, path, open, { cellXfs: () => (isCellStyle = false) });
  // A format is parsed once, not for each cell.
  const formats = new Map<string | number, (value: number) => string>();
  return (value, at) => {
    const style = styles[at] ?? 0;
    const show = formats.get(style) ?? numberFormat(style, since1904);
    formats.set(style, show);
    return show(value);
  };
}

/** Excel writes a control character as _x000D_. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
