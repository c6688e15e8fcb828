// 20,000 events, as fast as they are acknowledged.
import { perSecond, whole } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { eventsNow } from './events.mjs';
import { startListener, startResend } from './listeners.mjs';
import { trial } from './trial.mjs';

const amount = 20_000;

export async function rates(isQuick) {
  const [own, resend] = [await startListener(), await startResend()];
  const trials = [];
  const contestants = resend.unmeasured ? [own] : [own, resend];
  const result = await takeTurns(contestants, { rounds: isQuick ? 3 : 9, seconds: 90 }, async (server) => {
    const done = await trial(server, eventsNow(amount));
    if (server === own) trials.push(done);
    return done;
  });
  const rows = resend.unmeasured ? [resend] : besideResend(result, own, resend);
  rows.push(keptRow(own, trials));
  await Promise.all(contestants.map(({ end }) => end()));
  return rows;
}

function besideResend({ median, ratios, cpu }, own, resend) {
  const rowOf = (field) => ({
    value: perSecond(median(own, field)),
    rival: `${resend.name}: ${perSecond(median(resend, field))}`,
    ratios: ratios(own, resend, field),
  });
  const acknowledged = { least: 1.5, why: 'the service repeats what is acknowledged late' };
  const printed = { cpu: cpu(own, resend), least: 1, why: 'a signature and a record may cost what is saved elsewhere' };
  return [
    { what: 'events acknowledged', ...rowOf('perSecond'), ...acknowledged },
    { what: 'events printed', ...rowOf('printedPerSecond'), ...printed },
  ];
}

/** Counts the events that every trial printed once and in order, and that are recorded once for each trial. */
function keptRow(own, trials) {
  const times = own.recorded();
  const isKept = trials.every(({ isOnce, isOrdered }) => isOnce && isOrdered);
  const kept = Array.from({ length: amount }, (_, n) => times.get(n) === trials.length).filter(Boolean).length;
  return {
    what: 'events recorded and printed once, in order',
    figure: isKept ? kept * trials.length : 0,
    show: whole,
    least: amount * trials.length,
    why: 'no event may be lost, repeated or reordered',
  };
}
