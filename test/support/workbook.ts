import { crc32, deflateRawSync } from 'node:zlib';

interface ZipOptions {
  /** The unpacked size that the archive states for each part, instead of the real one. */
  readonly stated?: number;
}

/** A zip archive with these parts. */
export function zip(parts: Readonly<Record<string, string | Buffer>>, { stated }: ZipOptions = {}): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const [path, plain] = [Buffer.from(name), Buffer.from(content)];
    const packed = deflateRawSync(plain);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(stated ?? plain.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, rest, path]));
    bodies.push(body);
    offset += body.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\x05\x06'), end]);
}

/** A cell: an inline text, a number with the number format of a style, or XML. */
export type Cell = string | number | readonly [value: number, style: string] | { readonly xml: string };

export interface SheetParts {
  readonly name?: string;
  readonly rows: readonly (readonly Cell[])[];
  readonly state?: 'hidden';
  /** The rows that a filter hides, counted from 1. */
  readonly hidden?: readonly number[];
}

export interface WorkbookOptions extends ZipOptions {
  /** The shared strings, as XML within each <si>. */
  readonly strings?: readonly string[];
  readonly since1904?: boolean;
}

/** An Excel workbook as Excel writes it. */
export function workbook(sheets: readonly SheetParts[], options: WorkbookOptions = {}): Buffer {
  return zip(workbookParts(sheets, options), options);
}

export function workbookParts(
  sheets: readonly SheetParts[],
  { strings = [], since1904 = false }: WorkbookOptions = {},
): Record<string, string> {
  const styles: string[] = [];
  const styleOf = (code: string) => (styles.includes(code) ? styles.indexOf(code) : styles.push(code) - 1);
  const type = (name: string) => `http://schemas.openxmlformats.org/officeDocument/2006/relationships/${name}`;
  const links = (list: readonly (readonly [id: string, type: string, target: string])[]) =>
    `<Relationships>${list.map(([id, kind, target]) => `<Relationship Id="${id}" Type="${type(kind)}" Target="${target}"/>`).join('')}</Relationships>`;
  const cellXml = (cell: Cell, at: string) => {
    if (typeof cell === 'string') return `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`;
    if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
    return 'xml' in cell ? cell.xml : `<c r="${at}" s="${styleOf(cell[1]) + 1}"><v>${cell[0]}</v></c>`;
  };
  const sheetXml = ({ rows, hidden = [] }: SheetParts) =>
    `<worksheet><sheetData>${rows.map((cells, row) => (cells.length === 0 ? '' : `<row r="${row + 1}"${hidden.includes(row + 1) ? ' hidden="1"' : ''}>${cells.map((cell, at) => cellXml(cell, `${String.fromCharCode(65 + at)}${row + 1}`)).join('')}</row>`)).join('')}</sheetData></worksheet>`;
  const xml = sheets.map(sheetXml);
  const codes = styles.map((code, at) =>
    code.startsWith('#') && /^#\d+$/.test(code) ? Number(code.slice(1)) : 164 + at,
  );
  return {
    '_rels/.rels': links([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns:r="${type('')}"><workbookPr date1904="${since1904 ? 1 : 0}"/><sheets>${sheets.map(({ name, state }, at) => `<sheet name="${name ?? `Sheet${at + 1}`}" sheetId="${at + 1}"${state ? ` state="${state}"` : ''} r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links([
      ...sheets.map((_, at) => [`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['rIdS', 'styles', 'styles.xml'],
      ['rIdT', 'sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': `<styleSheet><numFmts>${styles.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${codes.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(xml.map((text, at) => [`xl/worksheets/sheet${at + 1}.xml`, text])),
  };
}
