import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createIds } from '../../../src/sandbox/state/ids.ts';
import type { Reply } from '../../support/service.ts';
import { createModel } from '../../store/model.ts';
import { type Answer, isProcess, type Process, type Result, type SendOptions } from '../../store/world.ts';
import { createChoices, profileOf, profiles } from './choices.ts';
import { createComparison, profileWith, type Request } from './comparison.ts';
import { hour, type Machine, minute } from './rig.ts';
import type { Result as Ended } from './summary.ts';

const replies = {
  sent: 200,
  failed: 422,
  unsure: 409,
  'unsure, accepted': 409,
} as const satisfies Record<Answer, Reply>;

/** In hours. No sum of them is a limit of the rule. */
const spans = [0.11, 1.03, 9.07, 21.3, 73.1, 201] as const;
/** Later, rows that wait are cancelled. */
const longest = 29 * 24;

/** A process whose only request in flight is answered by a later step. */
interface Background {
  readonly running: ReturnType<Machine['start']>;
  readonly model: Process;
  readonly command: number;
  asked: Request | undefined;
  reply: (reply: Reply) => void;
  onRequest: () => void;
}

/** Takes random steps on a machine and in the model, and compares them. `told` describes them. */
export async function walk(machine: Machine, seed: number, steps: number, told: string[]): Promise<void> {
  const choices = createChoices(seed);
  const { random, below, chance, pick } = choices;
  const model = createModel();
  const start = machine.now();
  const { answers, compare, keyOf, outcomesIn, unsureIn } = createComparison(machine, model, choices.usesPer);
  let background: Background | undefined;
  let last: SendOptions | undefined;
  let command = 0;
  /** Requests that are answered before the others hang. */
  let answered = Infinity;
  /** Batches of processes that may have stored what they reported, but were killed before they exited. */
  const mayHaveReported = new Set<string>();

  for (const [key, name] of Object.entries(profiles)) await machine.login(name, key, name.slice(0, 1));
  machine.reply = (asked) => {
    if (isOfBackground(asked)) return new Promise((resolve) => arrive(asked, resolve));
    if (answered-- <= 0) return 'hang';
    const answer = answerOf(command, asked);
    answers.set(asked, answer);
    return replies[answer];
  };
  for (let step = 0; step < steps; step++) await act();
  await endBackground();
  await resumeAll();
  await pass(28 * 24);
  await resumeAll();

  /** The same for the service and the model. */
  function answerOf(command: number, { phone, text }: Pick<Request, 'phone' | 'text'>): Answer {
    const luck = createIds({ seed: `${seed}`, serial: 0 }).random(`${command} ${phone} ${text}`)();
    if (luck < 0.82) return 'sent';
    if (luck < 0.89) return 'failed';
    return luck < 0.95 ? 'unsure' : 'unsure, accepted';
  }

  function beginCommand(): void {
    const now = ++command;
    model.answer = (request) => answerOf(now, request);
    model.now = Math.max(model.now, (machine.now() - start) / hour);
  }

  async function act(): Promise<void> {
    beginCommand();
    const choice = random();
    if (choice < 0.1) return pass(Math.min(pick(spans), longest - model.now));
    if (choice < 0.24) return choices.edit();
    if (choice < 0.34) return background && turnBackground(background);
    if (choice < 0.4) return single();
    if (choice < 0.45) return optOut();
    if (choice < 0.58) return onBatch();
    return send();
  }

  /** Before time passes, which its clock would not notice. */
  async function endBackground(): Promise<void> {
    while (background) await turnBackground(background);
  }

  async function pass(hours: number): Promise<void> {
    await endBackground();
    told.push(`+${hours} h`);
    machine.wait(hours * hour);
    model.now += hours;
  }

  async function send(): Promise<void> {
    const options = last && chance(0.4) ? last : choices.options();
    last = options;
    const choice = options.kind === 'import' || options.batch === undefined ? 1 : random();
    if (choice < 0.22) return killed(options);
    const { again: _, resend: __, ...plain } = options;
    if (choice < 0.32) return interrupted(plain);
    // With --again, it could send more than one at a time.
    if (choice < 0.42 && !background && profileOf(options) === 'a') return begin(plain);
    await compareResults('send', options, await model.sendBatch(options), await sendPlainly(options));
  }

  function sendPlainly(o: SendOptions): Promise<Ended> {
    return o.kind === 'import' ? machine.import(...typed(machine, o)) : machine.send(...typed(machine, o));
  }

  async function killed(options: SendOptions): Promise<void> {
    await endBackground();
    const before = machine.service.asked.length;
    const unsure = await unsureIn(options);
    const isEarly = chance(0.3);
    answered = isEarly ? Infinity : below(4);
    const reached = isEarly ? sleep(below(250)) : machine.arrived(answered + 1);
    const running = machine.start(...typed(machine, options));
    await Promise.race([reached, running.ended]);
    answered = Math.min(answered, 0);
    const ended = await machine.kill(running);
    answered = Infinity;
    if (ended.code !== -1) return compareResults('not killed', options, await model.sendBatch(options), ended);
    machine.wait(2 * minute);
    mayHaveReported.add(options.batch ?? '');
    const requests = machine.service.asked.slice(before).filter((asked) => !isOfBackground(asked));
    const claimed = await settledBy(options, requests, unsure);
    told.push(`killed after ${requests.length} requests: ${JSON.stringify(options)}`);
    if (claimed.size > 0) return killModel(options, claimed);
    // It did not get to its first claim, so the same command starts again.
    const [wanted, again] = [await model.sendBatch(options), await sendPlainly(options)];
    expect(again.now.sent).toBe(wanted.sent);
    await compare();
  }

  /** The outcomes of the rows that a dead process had claimed. */
  async function settledBy(options: SendOptions, requests: readonly Request[], unsure: ReadonlySet<string>) {
    const settled = new Map<string, Answer>();
    const outcomes = await outcomesIn(options);
    for (const key of [...outcomes.keys()].filter((key) => outcomes.get(key) === 'unsure' && !unsure.has(key)))
      settled.set(key, 'unsure');
    for (const asked of requests) {
      const [key, answer = chance(0.5) ? 'unsure' : 'unsure, accepted'] = [keyOf(asked), answers.get(asked)];
      // Columns of sent rows are erased.
      const outcome = outcomes.get(key) ?? 'sent';
      expect(['sent', 'failed', 'unsure']).toContain(outcome);
      const isLost = outcome === 'unsure' && answer === 'sent';
      settled.set(key, isLost ? 'unsure, accepted' : outcome === 'unsure' && answer === 'failed' ? 'unsure' : answer);
      answers.set(asked, settled.get(key) ?? answer);
    }
    return settled;
  }

  async function killModel(options: SendOptions, claimed: Map<string, Answer>): Promise<void> {
    const process = await model.begin(options);
    if (!isProcess(process)) throw new Error(`the model refuses it: ${process.exit}`);
    const rest = new Set(claimed.keys());
    model.answer = (request) => {
      const answer = claimed.get(keyOf(request));
      rest.delete(keyOf(request));
      if (!answer) throw new Error(`the model sends to ${request.phone}, too`);
      return answer;
    };
    for (let step; rest.size > 0 || step !== 'settled';) {
      step = await process.step();
      if (!process.isAlive()) throw new Error(`the model does not send to ${[...rest].join(', ')}`);
    }
    await process.kill();
    await compare();
  }

  async function interrupted(options: SendOptions): Promise<void> {
    const before = machine.service.asked.length;
    const ended = await machine.stopped(1 + below(3), ...typed(machine, options));
    const sent = machine.service.asked.slice(before).filter((asked) => !isOfBackground(asked)).length;
    const process = await model.begin(options);
    if (!isProcess(process)) return compareResults('interrupted', options, process, ended);
    for (let settled = 0; process.isAlive();) {
      if (settled === sent && ended.code === 130) process.stop();
      if ((await process.step()) === 'settled') settled++;
    }
    await compareResults('interrupted', options, process.result(), ended);
  }

  /** A process that has one request in flight. */
  async function begin(options: SendOptions): Promise<void> {
    // People whom another batch reached do not count.
    const reached = (await model.rows()).filter(
      ({ batch, state, by }) => batch === options.batch && /^(sent|unsure)$/.test(state) && by === '-',
    );
    const single = { ...options, first: reached.length + 1 };
    told.push(`begin ${JSON.stringify(single)}`);
    const process = await model.begin(single);
    const running = machine.start(...typed(machine, single, 'a-background'));
    if (!isProcess(process)) return compareResults('begin', single, process, await running.ended);
    background = { running, model: process, command, asked: undefined, reply: () => {}, onRequest: () => {} };
    await nextOf(background);
  }

  function arrive(asked: Request, reply: (reply: Reply) => void): void {
    if (!background) return reply('reset');
    Object.assign(background, { asked, reply });
    background.onRequest();
  }

  /** Until the process and its model have claimed a row, or ended. */
  async function nextOf(process: Background): Promise<void> {
    await Promise.race([
      process.running.ended,
      new Promise<void>((resolve) => {
        process.onRequest = resolve;
        if (process.asked) resolve();
      }),
    ]);
    for (let step; step !== 'claimed' && process.model.isAlive();) step = await process.model.step();
    told.push(`  in flight: ${process.asked?.phone}`);
    expect(process.asked === undefined).toBe(!process.model.isAlive());
    if (process.asked) return;
    background = undefined;
    await compareResults('ends', {}, process.model.result(), await process.running.ended);
  }

  async function turnBackground(process: Background): Promise<void> {
    const { asked, reply, running, model: steps } = process;
    if (!asked) throw new Error('nothing is in flight');
    const isKill = chance(0.4);
    const answer = isKill ? pick(['unsure', 'unsure, accepted'] as const) : answerOf(process.command, asked);
    const { answer: before } = model;
    told.push(`background: ${isKill ? 'killed' : answer}`);
    answers.set(asked, answer);
    model.answer = () => answer;
    await steps.step();
    model.answer = before;
    process.asked = undefined;
    if (!isKill) {
      reply(replies[answer]);
      await steps.step();
      return nextOf(process);
    }
    await machine.kill(running);
    reply('hang');
    await steps.kill();
    background = undefined;
    machine.wait(2 * minute);
    await compare();
  }

  async function single(): Promise<void> {
    const [account, row, again] = [choices.account(), choices.row(), chance(0.1)];
    // It would wait for the process that sends it.
    if (row.phone === background?.asked?.phone) return;
    const { code } = await machine.single(row, ['--profile', account, ...(again ? ['--again'] : [])]);
    const { exit } = await model.sendTemplate({ account, phone: row.phone, text: row.name, again });
    told.push(`single ${account} ${row.phone} ${row.name}${again ? ' --again' : ''}: ${code}`);
    expect(code).toBe(exit);
    await compare();
  }

  async function optOut(): Promise<void> {
    const [account, phone, isOut] = [choices.account(), choices.phone(), chance(0.6)];
    told.push(`opt-outs ${isOut ? 'add' : 'remove'} ${phone} of ${account}`);
    await machine.run(['opt-outs', isOut ? 'add' : 'remove', phone, '--profile', account]);
    await (isOut ? model.optOut(account, phone) : model.optIn(account, phone));
  }

  async function onBatch(): Promise<void> {
    const batches = await model.batches();
    if (batches.length === 0) return;
    const { account, mode, name } = pick(batches);
    const named = { account, mode, name };
    const [choice, as, phone] = [random(), pick(['sent', 'not sent'] as const), choices.phone()];
    const by = ['--profile', profileOf(named)];
    const mark = `--${as.replace(' ', '-')}`;
    const isUnsure = (await model.rows()).some((row) => row.batch === name && row.state === 'unsure');
    if (choice < 0.25 && isUnsure) return compareExits(['mark', name, mark, ...by], await model.mark({ ...named, as }));
    if (choice < 0.35) return compareExits(['cancel', name, ...by], await model.cancel(named));
    if (choice < 0.4)
      return compareExits(['cancel', name, '--missing', ...by], await model.cancel({ ...named, missing: true }));
    if (choice < 0.45)
      return compareExits(['cancel', name, '--person', phone, ...by], await model.cancel({ ...named, person: phone }));
    if (choice < 0.5) return compareExits(['delete', name, '--yes', ...by], await model.remove(named));
    const resend = chance(0.3) ? [pick(['failed', 'unsure'] as const)] : [];
    await resume({ ...named, resend });
  }

  async function resume(o: Parameters<typeof model.resume>[0] & { readonly name: string }): Promise<void> {
    const words = ['--profile', profileOf(o), ...(o.resend ?? []).flatMap((rows) => ['--resend', rows])];
    await compareResults('resume', o, await model.resume(o), await machine.resume(o.name, words));
  }

  async function resumeAll(): Promise<void> {
    beginCommand();
    for (const { account, mode, name } of await model.batches()) await resume({ account, mode, name });
  }

  async function compareExits(words: readonly string[], { exit }: Result): Promise<void> {
    const { code, stderr } = await machine.run(['batches', ...words]);
    told.push(`batches ${words.join(' ')}: ${code}`);
    expect({ code, stderr }).toMatchObject({ code: exit });
    await compare();
  }

  async function compareResults(
    what: string,
    options: object,
    wanted: Result | undefined,
    ended: Ended,
  ): Promise<void> {
    told.push(`${what} ${JSON.stringify(options)}\n  -> ${ended.code}, ${ended.now.sent} sent`);
    // In the model, a process whose batch is cancelled has nothing more to do.
    const isCancelled = ended.stopped?.code === 'batch-cancelled';
    const isReported = mayHaveReported.delete(ended.batch) && ended.code === 0 && wanted?.exit === 10;
    const exit = isCancelled || isReported ? ended.code : wanted?.exit;
    expect({ exit: ended.code, sent: ended.now.sent }, `it ended: ${ended.stderr}`).toEqual({ ...wanted, exit });
    await compare();
  }
}

function isOfBackground({ key }: Request): boolean {
  return profileWith(key) === 'a-background';
}

/** The people of a command, its words, and the file. */
function typed(machine: Machine, o: SendOptions, profile = profileOf(o)) {
  const { name = '', rows = [] } = o.file ?? {};
  const people = rows.map(({ phone = '', order, text }) => ({ phone, order: String(order), name: text }));
  const excluded = (o.excludeFrom ?? []).map((phone) => ({ phone, name: '' }));
  const words = [
    `--profile=${profile}`,
    ...(o.batch === undefined ? [] : ['--batch', o.batch]),
    ...(o.again ? ['--again'] : []),
    ...(o.resend ?? []).flatMap((rows) => ['--resend', rows]),
    ...(excluded.length > 0 ? ['--exclude-from', machine.write(excluded, 'excluded.csv')] : []),
    ...(o.noExcludeFrom ? ['--no-exclude-from'] : []),
    ...(o.first === undefined ? [] : ['--first', String(o.first)]),
    ...(o.atMost === undefined ? [] : ['--at-most', String(o.atMost)]),
    ...(o.per === undefined ? [] : ['--per', o.per]),
    ...Object.entries(o.where ?? {}).flatMap(([column, value]) => ['--where', `${column}=${value}`]),
  ];
  return [people, words, { file: `${name}.csv` }] as const;
}
