import { join } from 'node:path';
import { CliError, unsafe } from '../../errors.ts';
import type { RunFlags } from './decide.ts';
import { progressOf } from './decide.ts';
import { isFinished, runAt, runIds } from './find.ts';
import type { Identity } from './identity.ts';
import { placeOf, runsFolder } from './identity.ts';
import { knownAt } from './known.ts';
import type { Known } from './known.ts';
import type { Story } from './story.ts';

/** Throws where what is to go on is not there: it is unknown, or was begun with something else, such as another key. */
export function refuseElsewhere(stateFolder: string, identity: Identity, { resume, newKey }: RunFlags): void {
  if (!resume) return;
  for (const id of runIds(stateFolder)) {
    const folder = join(runsFolder(stateFolder), id);
    const known = knownAt(folder);
    if (!known || !isOfSameInput(known, identity)) continue;
    const story = runAt(folder, id)?.story;
    if (story && !(story instanceof CliError) && !isFinished(story)) throw refusal(id, story, identity);
  }
  if (newKey) throw nothingThere(identity);
}

function isOfSameInput({ facts, content }: Known, identity: Identity): boolean {
  const { kind, file } = identity;
  if (facts.kind !== kind) return false;
  return content === identity.content || (facts.place !== null && facts.place === placeOf({ ...facts, content, file }));
}

function refusal(id: string, story: Story, identity: Identity): CliError {
  const { kind, path } = story.facts;
  const others = differencesOf(story, identity);
  const begun = others.length > 0 ? others.join(' and ') : 'another key';
  const message = `this ${kind} of "${path}" was begun with ${begun}, and is not finished: ${progressOf(story)}; run ${id}`;
  const restart = `--restart sends all rows, also those that "bizmsg runs show ${id}" tells as done`;
  const isTheKey = story.content === identity.content && story.facts.keyDigest !== identity.keyDigest;
  const goesOn =
    isTheKey && others.length === 1
      ? '--resume --new-key goes on with this key, if it is of the same account'
      : '--resume goes on with what it was begun with';
  return unsafe('run-elsewhere', message, `${goesOn}; ${restart}`);
}

function differencesOf({ facts, content }: Story, identity: Identity): readonly string[] {
  const differs = [
    facts.address !== identity.address && `another address (${facts.address})`,
    facts.mode !== identity.mode && `another mode (${facts.mode})`,
    facts.keyDigest !== identity.keyDigest && `another key (${facts.key})`,
    facts.template !== identity.template && `another template (${facts.template ?? 'none'})`,
    facts.mapping !== identity.mapping && 'another mapping',
    content !== identity.content && 'another content',
  ];
  return differs.filter((one) => one !== false);
}

function nothingThere({ kind }: Identity): CliError {
  const message = `no unfinished ${kind} of this content is known that another key began`;
  return unsafe('run-unknown', message, 'see "bizmsg runs list"; --resume without --new-key begins it');
}
