import { hash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../contract/readers.ts';
import { draftIn } from '../base/drafts.ts';
import { configuration, fsError } from '../base/errors.ts';
import { readRegular, createStateFolder } from '../base/files.ts';
import type { RowDigest } from './ledger.ts';

export const digestSize = 12;
/** A row is three digests: `who`, `per` and `text`. */
export const rowSize = 3 * digestSize;
/** The first two are its identity. */
export const identitySize = 2 * digestSize;

const checkSize = 8;

const secretSize = 32;
const name = 'ledger.secret';

export interface Message {
  readonly template: string;
  readonly to: string;
  readonly params: readonly string[];
  /** The values of the `--per` columns. */
  readonly per?: readonly string[] | undefined;
}

export interface Contact {
  readonly phone: string;
  /** As it is sent. */
  readonly body: unknown;
}

/** `who` is the recipient and the template, `per` the occasion if there is one, `text` the params. */
export function messageRow(secret: string, { template, to, params, per = [] }: Message): RowDigest {
  const row = new Uint8Array(rowSize);
  putHash(row, 0, keyed(secret, ['recipient', template, to]));
  if (per.length > 0) putHash(row, digestSize, keyed(secret, ['per', ...per.map(occasion)]));
  putHash(row, identitySize, keyed(secret, ['text', params]));
  return row;
}

/** A spreadsheet drops leading zeros, and blanks around a value are not seen. */
function occasion(value: string): string {
  const text = value.trim().normalize('NFC');
  return /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text;
}

/** `who` is the whole contact, `per` its phone. It has no text. */
export function contactRow(secret: string, { phone, body }: Contact): RowDigest {
  const row = new Uint8Array(rowSize);
  putHash(row, 0, keyed(secret, ['contact'], canonical(body)));
  putHash(row, digestSize, keyed(secret, ['phone', phone]));
  return row;
}

/** Whether these bytes have the digest, from a place on. */
export function hasDigest(bytes: Uint8Array, digest: Uint8Array, at = 0): boolean {
  for (let byte = 0; byte < digestSize; byte++) if (bytes[at + byte] !== digest[byte]) return false;
  return true;
}

/** Whether it is for no occasion in particular. */
export function isWithoutOccasion(per: Uint8Array): boolean {
  return per.every((byte) => byte === 0);
}

/** The `who` of messages. */
export function recipientDigest(secret: string, { template, to }: Pick<Message, 'template' | 'to'>): Uint8Array {
  return bytesOf(keyed(secret, ['recipient', template, to]), digestSize);
}

/** The `per` of contacts. */
export function phoneDigest(secret: string, phone: string): Uint8Array {
  return bytesOf(keyed(secret, ['phone', phone]), digestSize);
}

/** Equal for values that are equal as JSON, whatever the order of their fields, and for no others. */
export function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  let text = '';
  // Sorted by code unit: locales differ.
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonical(field)}`;
  }
  return `{${text}}`;
}

/** Recognizes the secret without revealing it. The ledger keeps it. */
export function checkOf(secret: string): string {
  return bytesOf(keyed(secret, ['check']), checkSize).toString('hex');
}

/** The secret of the ledger in hexadecimal; created on first use. With `isNeeded` a missing one is an error: rows would look new. */
export function secretIn(folder: string, isNeeded: boolean, pid: number): string {
  const path = join(folder, name);
  const found = contentOf(path);
  if (!found && isNeeded) throw unusable(`${path} is missing`);
  const secret = found ?? created(path, createStateFolder(folder), pid);
  if (secret.length !== secretSize) throw unusable(`${path} is damaged`);
  return secret.toString('hex');
}

export function unusable(message: string): Error {
  const hint = 'restore it from a backup; without it bizmsg cannot recognize what was sent';
  return configuration('ledger-secret', message, hint);
}

/** A link fails if the file exists, and the file is complete from its first instant. */
function created(path: string, folder: string, pid: number): Buffer {
  const secret = randomBytes(secretSize);
  const draft = draftIn(folder, pid);
  try {
    fs.writeFileSync(draft, secret, { mode: 0o600, flag: 'wx', flush: true });
    fs.linkSync(draft, path);
    return secret;
  } catch (error) {
    const fault = fsError(error);
    if (!fault) throw error;
    if (fault.code !== 'EEXIST')
      throw configuration('ledger-unwritable', `cannot write ${path}: ${fault.reason}`, undefined, error);
    return readRegular(path);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readRegular(path);
  } catch (error) {
    if (fsError(error)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A SHA-256 in Latin-1, which takes half the time of a Buffer. The secret has a fixed length and callers keep at most
 * half of the digest, so a prefix is as good as an HMAC here, in a fifth of the time.
 */
function keyed(secret: string, words: readonly (string | readonly string[])[], content = ''): string {
  return hash('sha256', secret + JSON.stringify(words) + content, 'binary');
}

function bytesOf(digest: string, size: number): Buffer {
  return Buffer.from(digest.slice(0, size), 'latin1');
}

function putHash(row: Uint8Array, at: number, digest: string): void {
  for (let byte = 0; byte < digestSize; byte++) row[at + byte] = digest.charCodeAt(byte);
}

/** Puts the digests of a row one after the other. */
export function putRow(
  bytes: Uint8Array,
  { who, per, text }: Readonly<Record<'who' | 'per' | 'text', Uint8Array>>,
): void {
  bytes.set(who);
  bytes.set(per, digestSize);
  bytes.set(text, identitySize);
}
