// Formats the results of a listener.
import { milliseconds, perSecond, whole } from '../rig/table.mjs';

const kinds = {
  perSecond: { what: 'events acknowledged', show: perSecond },
  printedPerSecond: { what: 'events printed', show: perSecond, unprinted: 'perSecond' },
  line50: { what: 'from post to line, p50', show: milliseconds, unprinted: 'answer50' },
  line99: { what: 'from post to line, p99', show: milliseconds, unprinted: 'answer99' },
  answer50: { what: 'from post to answer, p50', show: milliseconds },
  answer99: { what: 'from post to answer, p99', show: milliseconds },
};

/** Compares with a rival. If the rival prints nothing, its responses are compared with our lines. */
export function beside({ median, ratios }, { own, rival, load, fields }) {
  return fields.map((field) => {
    const { what, show, unprinted } = kinds[field];
    const rivalField = rival.lines ? field : (unprinted ?? field);
    return {
      what: `${what}${load}`,
      value: show(median(own, field)),
      ratios: ratios(own, rival, field, rivalField),
      rival: rival.name,
      note: `${show(median(rival, rivalField))} there${rivalField === field ? '' : ', answered'}`,
    };
  });
}

/** Checks that no trial lost, repeated or reordered events. */
export function checked(own, trials, amount) {
  const sent = trials.length * amount;
  const times = own.journaled();
  const recorded = Array.from({ length: amount }, (_, n) => times.get(n) === trials.length).filter(Boolean).length;
  const good = trials.filter(({ isOnce, isOrdered }) => isOnce && isOrdered).length;
  return [
    {
      what: `events in the journal, of ${whole(sent)}`,
      value: whole((sent * recorded) / amount),
      ratios: [recorded / amount],
      rival: 'all, once each',
      least: 1,
    },
    {
      what: 'rounds that printed each once, in order',
      value: whole(good),
      ratios: [good / trials.length],
      rival: 'all rounds',
      least: 1,
    },
  ];
}
