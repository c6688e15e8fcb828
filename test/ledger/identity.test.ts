import fc from 'fast-check';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  canonical,
  checkOf,
  contactRow,
  messageRow,
  phoneDigest,
  recipientDigest,
  secretIn,
} from '../../src/ledger/identity.ts';
import { secret, temporaryFolder } from './rig.ts';
import { modeOf, ownFile } from '../support/system.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '"', ',', '],[', '\\', '{}', '1'));
const messages = fc.record({
  template: text,
  to: text,
  params: fc.array(text, { maxLength: 4 }),
});

describe('the digest of a row', () => {
  it('is equal only for equal messages', () => {
    fc.assert(
      fc.property(messages, messages, (one, other) => {
        const isEqual = isDeepStrictEqual(one, other);
        expect(hex(messageRow(secret, one)) === hex(messageRow(secret, other))).toBe(isEqual);
      }),
    );
  });

  it('depends on where one param ends and the next begins', () => {
    const base = { template: 't', to: '+1' } as const;
    const rows = [['ab', 'c'], ['a', 'bc'], ['abc'], ['a","b', 'c'], [], ['']].map((params) =>
      messageRow(secret, { ...base, params }),
    );
    expect(new Set(rows.map(hex)).size).toBe(rows.length);
  });

  it("does not depend on the order of a contact's fields", () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.jsonValue()), (body) => {
        const turned = Object.fromEntries(Object.entries(body).toReversed());
        const row = (body: unknown) => hex(contactRow(secret, { phone: '+1', body }));
        expect(row(turned)).toBe(row(body));
      }),
    );
  });

  it('is different for different JSON values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(canonical(one) === canonical(other)).toBe(isDeepStrictEqual(plain(one), plain(other)));
      }),
    );
  });

  it('has a first part that is equal for the same recipient and template', () => {
    const base = { template: 't', to: '+1', params: ['a'] } as const;
    const first = (row: Uint8Array) => hex(row.subarray(0, 12));
    expect(first(messageRow(secret, { ...base, params: ['b'] }))).toBe(first(messageRow(secret, base)));
    expect(first(messageRow(secret, { ...base, template: 'u' }))).not.toBe(first(messageRow(secret, base)));
    expect(first(messageRow(secret, { ...base, to: '+2' }))).not.toBe(first(messageRow(secret, base)));
  });

  it('has a part that identifies a recipient to forget', () => {
    const message = messageRow(secret, { template: 't', to: '+1', params: [] });
    expect(hex(recipientDigest(secret, { template: 't', to: '+1' }))).toBe(hex(message.subarray(0, 12)));
    const contact = contactRow(secret, { phone: '+1', body: {} });
    expect(hex(phoneDigest(secret, '+1'))).toBe(hex(contact.subarray(12, 24)));
  });

  it('has a part for the occasion, without which it is for none', () => {
    const base = { template: 't', to: '+1', params: ['a'] } as const;
    const occasion = (...per: readonly string[]) => hex(messageRow(secret, { ...base, per }).subarray(12, 24));
    expect(occasion()).toBe('00'.repeat(12));
    expect(occasion(' 00017 ')).toBe(occasion('17'));
    expect(occasion('000')).toBe(occasion('0'));
    expect(occasion('Cafe\u0301')).toBe(occasion('Caf\u00e9'));
    expect(new Set([occasion('17'), occasion('17', '1'), occasion('1', '7'), occasion('017a')]).size).toBe(4);
  });

  it('has a last part that is equal for the same params', () => {
    const base = { template: 't', to: '+1', params: ['a'] } as const;
    const last = (row: Uint8Array) => hex(row.subarray(24));
    expect(last(messageRow(secret, { ...base, to: '+2', per: ['1'] }))).toBe(last(messageRow(secret, base)));
    expect(last(messageRow(secret, { ...base, params: ['b'] }))).not.toBe(last(messageRow(secret, base)));
  });

  it('depends on the secret', () => {
    const base = { template: 't', to: '+1', params: ['a'] } as const;
    expect(hex(messageRow('00'.repeat(32), base))).not.toBe(hex(messageRow(secret, base)));
  });
});

describe('the secret', () => {
  it('is created once in a private file, and leaves no other file', () => {
    const folder = temporaryFolder();
    const first = secretIn(folder, false, process.pid);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(secretIn(folder, true, process.pid)).toEqual(first);
    expect(modeOf(join(folder, 'ledger.secret'))).toBe(ownFile);
    expect(readdirSync(folder)).toEqual(['ledger.secret']);
    expect(readFileSync(join(folder, 'ledger.secret')).toString('hex')).not.toContain(checkOf(first));
  });

  it('is not replaced if the ledger needs it', () => {
    const folder = temporaryFolder();
    secretIn(folder, false, process.pid);
    rmSync(join(folder, 'ledger.secret'));
    expect(() => secretIn(folder, true, process.pid)).toThrow(
      expect.objectContaining({ exit: 'configuration', code: 'ledger-secret' }),
    );
  });

  it('is refused if it has another length', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ledger.secret'), 'short');
    expect(() => secretIn(folder, false, process.pid)).toThrow(expect.objectContaining({ code: 'ledger-secret' }));
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
