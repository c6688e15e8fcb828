import { expect } from 'vitest';
import { isProcess, type Process, type RowState, type World } from './world.ts';
import { shortHash } from '../../src/store/schema.ts';

/** Runs each command in two worlds, and compares the results. `told` describes the commands so far. */
export function createBoth(model: World, store: World, told: string[] = []): World {
  const same = async <T>(what: string, act: (world: World) => Promise<T>): Promise<T> => {
    told.push(what);
    const [wanted, real] = [await act(model), await act(store)];
    expect(real).toEqual(wanted);
    told.push(`  -> ${JSON.stringify(wanted)}`);
    await compare(model, store);
    return wanted;
  };
  const both: World = {
    get now() {
      return model.now;
    },
    set now(hours) {
      model.now = hours;
      store.now = hours;
    },
    messages: model.messages,
    get answer() {
      return model.answer;
    },
    set answer(answer) {
      model.answer = answer;
      store.answer = answer;
    },
    sendBatch: (options, how) =>
      same(`send-batch ${JSON.stringify({ ...options, ...how })}`, (world) => world.sendBatch(options, how)),
    resume: (options) => same(`resume ${JSON.stringify(options)}`, (world) => world.resume(options)),
    mark: (options) => same(`mark ${JSON.stringify(options)}`, (world) => world.mark(options)),
    cancel: (options) => same(`cancel ${JSON.stringify(options)}`, (world) => world.cancel(options)),
    remove: (options) => same(`delete ${JSON.stringify(options)}`, (world) => world.remove(options)),
    sendTemplate: (options, how) =>
      same(`send-template ${JSON.stringify({ ...options, ...how })}`, (world) => world.sendTemplate(options, how)),
    optOut: (account, phone) => same(`opt out ${account} ${phone}`, (world) => world.optOut(account, phone)),
    optIn: (account, phone) => same(`opt in ${account} ${phone}`, (world) => world.optIn(account, phone)),
    pass: (hours) => same(`+${hours} h`, (world) => world.pass(hours)),
    rows: () => model.rows(),
    batches: () => model.batches(),
    async begin(options) {
      told.push(`begin ${JSON.stringify(options)}`);
      const [wanted, real] = [await model.begin(options), await store.begin(options)];
      if (isProcess(wanted) && isProcess(real)) return bothProcesses(wanted, real);
      expect(real).toEqual(wanted);
      return wanted;
    },
  };
  return both;

  function bothProcesses(wanted: Process, real: Process): Process {
    return {
      isAlive: () => wanted.isAlive(),
      result: () => wanted.result(),
      stop() {
        wanted.stop();
        real.stop();
      },
      async kill() {
        told.push('kill');
        await Promise.all([wanted.kill(), real.kill()]);
        await compare(model, store);
      },
      async step() {
        const steps = [await wanted.step(), await real.step()];
        told.push(`step ${steps[0]}`);
        expect(steps[1]).toBe(steps[0]);
        expect(real.result()).toEqual(wanted.result());
        await compare(model, store);
        return steps[0];
      },
    };
  }
}

/** Facts, always; all else is decided again until a load is complete. */
const facts = new Set(['sent', 'failed', 'unsure', 'under way', 'cancelled']);

async function compare(model: World, store: World): Promise<void> {
  expect(store.messages).toEqual(model.messages);
  const batches = await model.batches();
  expect(await store.batches()).toEqual(batches);
  const loading = new Set(batches.filter(({ isLoading }) => isLoading).map(({ name }) => name));
  const shown = (rows: readonly RowState[], isModel: boolean) =>
    rows
      .filter(({ batch, state, by }) => !loading.has(batch) || (facts.has(state) && by === '-'))
      .map((row) => line(row, isModel))
      .toSorted();
  expect(shown(await store.rows(), false)).toEqual(shown(await model.rows(), true));
}

function line({ batch, phone, per, line, state, text, by }: RowState, isModel: boolean): string {
  const hash = isModel ? shortHash(text) : text;
  return `${batch} ${phone.startsWith('+') ? `${phone} ${hash}` : '-'} ${per} ${line} ${state} ${by}`;
}
