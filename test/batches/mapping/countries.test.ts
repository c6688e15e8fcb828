import { getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, it } from 'vitest';
import { messageMapper } from '../../../src/batches/mapping/message.ts';
import { openMobiles } from '../../../src/contract/phone.ts';

const countries = ['DE', 'GB', 'BR', 'JP'] as const;

/** A mobile number of a country: its last four digits come from the row. */
function mobileOf(at: number) {
  const country = countries[at % countries.length] ?? 'DE';
  const example = getExampleNumber(country, examples);
  if (!example) throw new Error(country);
  const digits = example.nationalNumber.slice(0, -4) + String(at % 10_000).padStart(4, '0');
  const trunk = country === 'DE' || country === 'GB' || country === 'JP' ? '0' : '';
  return { country, digits, e164: `+${example.countryCallingCode}${digits}`, national: `${trunk}${digits}` };
}

/** A file of a CRM: each row has its phone in another way, and each 20th has none. */
const rows = Array.from({ length: 20_000 }, (_, at) => {
  const { country, digits, e164, national } = mobileOf(at);
  const ways = [national, e164, `${e164.slice(0, 3)} ${e164.slice(3, 7)}-${e164.slice(7)}`, ` ${national} `];
  const broken = ['', '12', 'n/a', `${e164.slice(0, 3)} ${digits.slice(0, 3)}`];
  const phone = (at % 20 === 19 ? broken : ways)[Math.floor(at / 20) % 4] ?? '';
  return { fields: { phone, country }, e164, isBroken: at % 20 === 19 };
});

const texts = rows.map(({ fields }) => fields);

async function phonesWith(country: string, texts: readonly { readonly phone: string; readonly country: string }[]) {
  const options = { template: 'sale', per: '', params: [], defaults: [], phone: undefined, country };
  const map = await messageMapper(options, ['phone', 'country']);
  return texts.map((fields) => map(fields));
}

it('20,000 rows of four countries, with the country in a column, have the right number or a reason', async () => {
  const mapped = await phonesWith(':country', texts);
  const wrong = rows.filter(({ e164, isBroken }, at) =>
    isBroken ? !mapped[at]?.problem : mapped[at]?.phone !== e164 || mapped[at]?.problem !== undefined,
  );
  expect(wrong).toEqual([]);
});

it('20,000 numbers that begin with a country code are the right ones, with intl', async () => {
  const bare = rows.map(({ e164, fields }) => ({ ...fields, phone: e164.slice(1) }));
  const mapped = await phonesWith('intl', bare);
  expect(rows.filter(({ e164 }, at) => mapped[at]?.phone !== e164)).toEqual([]);
});

it('with the country of a part of 20,000 rows, the others fail, or more than a tenth are not mobile numbers', async () => {
  const isMobile = await openMobiles();
  const mapped = await phonesWith('DE', texts);
  const sendable = mapped.flatMap(({ phone, problem }) =>
    phone === undefined || problem !== undefined ? [] : [phone],
  );
  const made = rows.filter(({ e164 }, at) => mapped[at]?.problem === undefined && mapped[at]?.phone !== e164);
  const others = sendable.filter((phone) => !isMobile(phone));
  expect(made.length).toBeGreaterThan(0);
  expect(others.length).toBeGreaterThan(sendable.length / 10);
});
