import { command } from '../cli/command.ts';
import { printing } from '../cli/globals.ts';
import { usage } from '../base/errors.ts';
import { checkContract, contractParams } from './conformance/contract-params.ts';
import { doctorText } from './doctor-text.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'Check this machine, the profile, the network and the service, and say what to do',
  details: [
    'It changes nothing and starts no sandbox. It makes one GET for each list that the API has, which counts',
    'as any call does. The exit code is that of the first failure; warnings are exit 0. In ndjson, csv and tsv',
    'each check is a line.',
    '',
    "With --contract the service is compared with the API's document: what holds, what differs (exit 12), what",
    'cannot be told, and how it does what the document does not show. It makes some twenty calls, GETs and',
    'requests that have to be refused, and writes nothing without --allow-writes. Where one of these is accepted,',
    'it says so with its message_id, and posts no more there; with a live key, nowhere. No value of a record is shown.',
  ].join('\n'),
  params: contractParams,
  examples: [
    'doctor --profile local',
    'doctor --profile local -o json',
    'doctor --contract --profile local',
    'doctor --contract --allow-writes 2 --to +12025550101 --template welcome --profile local',
  ],
  sample:
    'This machine\n  …\n  ok    store        1 profile\n  …\nService\n  ok    contacts     answered in 12 ms\n  …',
  honours: ['profile', 'mode', 'baseUrl', ...printing],
  piped: 'text',
  run: async (context, input) => {
    checkContract(input);
    const { output, columns, query } = context.given;
    if (output === 'id' && query === undefined)
      throw usage('doctor has no id to print', 'leave -o id out, or take -o json');
    const isRows = query === undefined && (columns !== undefined || ['ndjson', 'csv', 'tsv'].includes(output ?? ''));
    if (!input.contract) return { ...(await context.diagnose()), isRows };
    const { compare } = await import('./conformance/compare.ts');
    return compare(context, input, isRows);
  },
  data: (result) => {
    if ('report' in result) return result.data;
    const { isRows, checks, calls, exit } = result;
    return isRows ? checks : { checks, calls, exit };
  },
  view: (result, ui) => ('report' in result ? result.text(result.report, ui) : doctorText(result, ui)),
  exit: ({ exit }) => exit,
  changes: (result) => 'report' in result && result.changed,
});
