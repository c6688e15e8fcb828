import { join } from 'node:path';
import { CliError, unsafe } from '../../errors.ts';
import { progressOf } from './decide.ts';
import { factsAt, isFinished, runAt, runIds } from './find.ts';
import type { Identity } from './identity.ts';
import { placeOf, runId, runsFolder } from './identity.ts';
import type { RunFacts } from './records.ts';
import type { Story } from './story.ts';

/** Throws where what is to be resumed is known, but was begun with something else, such as another key. */
export function refuseElsewhere(stateFolder: string, identity: Identity): void {
  for (const id of runIds(stateFolder)) {
    const folder = join(runsFolder(stateFolder), id);
    const facts = factsAt(folder);
    if (!facts || !isOfSameInput(id, facts, identity)) continue;
    const story = runAt(folder, id)?.story;
    if (story && !(story instanceof CliError) && !isFinished(story)) throw refusal(id, story, identity);
  }
}

/** Told by the first record alone: the rest of a journal, of which there may be many, is long. */
function isOfSameInput(id: string, facts: RunFacts, { kind, content, file }: Identity): boolean {
  if (facts.kind !== kind) return false;
  const { mapping, template, address, mode, keyDigest } = facts;
  const begun = { kind, content, file, mapping, template, address, mode, keyDigest };
  return id === runId(begun) || (facts.place !== null && facts.place === placeOf(begun));
}

function refusal(id: string, story: Story, identity: Identity): CliError {
  const { kind, path } = story.facts;
  const other = differencesOf(story.facts, identity).join(' and ');
  const message = `this ${kind} of "${path}" was begun with ${other}, and is not finished: ${progressOf(story)}; run ${id}`;
  const hint = `--resume goes on with what it was begun with; --restart sends all rows, also those that "bizmsg runs show ${id}" tells as done`;
  return unsafe('run-elsewhere', message, hint);
}

function differencesOf(facts: RunFacts, identity: Identity): readonly string[] {
  const differs = [
    facts.address !== identity.address && `another address (${facts.address})`,
    facts.mode !== identity.mode && `another mode (${facts.mode})`,
    facts.keyDigest !== identity.keyDigest && `another key (${facts.key})`,
    facts.template !== identity.template && `another template (${facts.template ?? 'none'})`,
    facts.mapping !== identity.mapping && 'another mapping',
  ];
  return differs.filter((one) => one !== false);
}
