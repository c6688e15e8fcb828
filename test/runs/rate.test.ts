import { expect, it } from 'vitest';
import { batchParams } from '../../src/runs/options.ts';
import { thrown } from '../support/thrown.ts';

it.each([
  ['90%', { share: 90 }],
  ['12.5%', { share: 12.5 }],
  ['100%', { share: 100 }],
  ['300/m', { perWindow: 300, window: 60_000 }],
  ['20/s', { perWindow: 20, window: 1_000 }],
  ['none', 'none'],
])('reads the rate %s', (text, rate) => {
  expect(batchParams.rate.read([text])).toEqual(rate);
});

it.each(['0%', '101%', '0/m', '300', '20/h', '-1%', '', '1e3/m', '90 %'])('refuses the rate %j', (text) => {
  expect(thrown(() => batchParams.rate.read([text]))).toMatchObject({
    exit: 'usage',
    hint: 'use 300/m, 20/s, 90% or none',
  });
});
