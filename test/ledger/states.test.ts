import { describe, expect, it } from 'vitest';
import { events, isOpen, next, states, transitions } from '../../src/ledger/states.ts';

/** The table of the design, row by row. Events that are not listed change nothing. */
const table = `
absent     plan:planned claim:leaving done:done
planned    claim:leaving done:done withdraw:withdrawn
leaving    done:done failed:failed unsure:unsure release:released died:unsure
released   claim:leaving done:done withdraw:withdrawn
withdrawn  plan:planned claim:leaving done:done
done       -
failed     claim:leaving done:done
unsure     claim:leaving done:done failed:failed release:released sent:done not-sent:failed
`;

describe('a row in one scope', () => {
  const moves = new Map(
    table
      .trim()
      .split('\n')
      .map((line): [string, readonly string[]] => {
        const [state = '', ...events] = line.split(/ +/);
        return [state, events];
      }),
  );
  const cases = states.flatMap((state) => events.map((event) => [state, event] as const));

  it.each(cases)('that is %s follows the table after %s', (state, event) => {
    const move = moves.get(state)?.find((one) => one.startsWith(`${event}:`));
    expect(next(state, event)).toBe(move?.slice(event.length + 1) ?? state);
  });

  it('is documented in a table that can be exported', () => {
    const exported: unknown = JSON.parse(JSON.stringify(transitions));
    expect(exported).toEqual(transitions);
    expect(Object.keys(transitions)).toEqual([...states]);
  });

  it('keeps its run open while it is planned, released or leaving', () => {
    expect(states.filter(isOpen)).toEqual(['planned', 'leaving', 'released']);
  });
});
