import { describe, expect, it } from 'vitest';
import { begin, apply } from '../../src/store/load.ts';
import { drivers } from './drivers.ts';
import { hour, load, planOf, rows, send, start, worker } from './rig.ts';
import { batchWithId } from '../../src/store/batch.ts';
import { expire } from '../../src/store/retention.ts';
import { release } from '../../src/store/work.ts';
const same = { phone: '+1', text: 'hi' };

describe.each(drivers)('loading into a batch that exists, $where', ({ open }) => {
  const unreadable = { phone: '1x', problem: 'no phone number', name: 'Ann' };

  it('is repeated after it was cut off anywhere', async () => {
    const people = Array.from({ length: 7 }, (_, at) => ({ phone: `+${at + 3}`, text: at % 2 ? 'new' : 'hi' }));
    for (let cut = 0; cut < 12; cut++) {
      const database = await open();
      const target = await send(database, [same, { phone: '+4' }, { phone: '+5', text: 'old' }, unreadable]);
      const plan = await planOf(database, people, { target });
      const kept = { name: target.name, per: '', told: '{}', command: '', columns: '[]' };
      const begun = await begin(database, plan, kept, worker);
      let writes = cut;
      const dying = {
        read: database.read.bind(database),
        close: () => database.close(),
        write: <T>(body: Parameters<typeof database.write<T>>[0]) =>
          writes-- > 0 ? database.write(body) : Promise.reject(new Error('killed')),
      };
      const loading = { batch: begun, worker, clock: () => start, pieceSize: 2 };
      await apply(dying, plan, loading).catch(() => {});
      await release(database, target.id, worker, start);
      const again = await database.read(() => batchWithId(target.id));
      const batch = await load(database, people, { target: again, pieceSize: 3 });
      const states = (await rows(database, batch)).map(({ who, state, body }) => `${who.slice(0, 2)} ${state} ${body}`);
      expect(states.toSorted(), `cut after ${cut}`).toEqual([
        '+1 sent hi',
        '+3 waiting hi',
        '+4 sent hi',
        '+5 sent old',
        '+6 waiting new',
        '+7 waiting hi',
        '+8 waiting new',
        '+9 waiting hi',
        expect.stringMatching(/^\?\w failed hi$/),
      ]);
    }
  });

  it('is refused after a question that was open for longer than its draft is kept', async () => {
    const database = await open();
    const target = await send(database, [same]);
    const plans = [await planOf(database, [same]), await planOf(database, [same], { target })];
    await expire(database, start + 2 * 24 * hour);
    const kept = { name: 'other', per: '', told: '{}', command: 'send-batch', columns: '[]' };
    for (const plan of plans)
      await expect(begin(database, plan, kept, worker)).rejects.toMatchObject({ code: 'batch-changed' });
  });
});
