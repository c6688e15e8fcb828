import { join } from 'node:path';
import { CliError, unsafe } from '../../errors.ts';
import type { RunFlags } from './decide.ts';
import { progressOf } from './decide.ts';
import { isFinished, runAt, runIds } from './find.ts';
import type { Identity } from './identity.ts';
import { placeOf, runsFolder } from './identity.ts';
import { inputName } from './input-name.ts';
import { knownAt } from './known.ts';
import type { Known } from './known.ts';
import type { Story } from './story.ts';

/**
 * Throws where what is to go on is not there, and an unfinished run of the same input could be meant: one that differs
 * by its mapping or by its key alone. Others are told of. `--new-key` means one that is there.
 */
export function refuseElsewhere(
  stateFolder: string,
  identity: Identity,
  { resume, newKey }: RunFlags,
): readonly string[] {
  if (!resume) return [];
  const notes: string[] = [];
  for (const id of runIds(stateFolder)) {
    const folder = join(runsFolder(stateFolder), id);
    const known = knownAt(folder);
    if (!known || known.facts.kind !== identity.kind || !isOfSameInput(known, identity)) continue;
    const story = runAt(folder, id)?.story;
    if (!story || story instanceof CliError || isFinished(story)) continue;
    const others = differencesOf(story, identity);
    if (newKey || couldBeMeant(story, identity)) throw refusal(id, story, identity);
    notes.push(`run ${id}, which was begun with ${others.join(' and ')}, is not finished: ${progressOf(story)}`);
  }
  if (newKey) throw nothingThere(identity);
  return notes;
}

/** Of the same content, or of the same file whatever it held then. */
export function isOfSameInput({ facts, content }: Known, identity: Identity): boolean {
  const { file } = identity;
  return content === identity.content || (facts.place !== null && facts.place === placeOf({ ...facts, content, file }));
}

function couldBeMeant({ facts }: Story, identity: Identity): boolean {
  const { address, mode, template, mapping, keyDigest } = identity;
  const isThere = facts.address === address && facts.mode === mode && facts.template === template;
  return isThere && (facts.mapping === mapping || facts.keyDigest === keyDigest);
}

function refusal(id: string, story: Story, identity: Identity): CliError {
  const { kind, path } = story.facts;
  const others = differencesOf(story, identity);
  const begun = others.length > 0 ? others.join(' and ') : 'another key';
  const what = `this ${kind} of ${inputName(path)} was begun with ${begun}`;
  const message = `${what}, and is not finished: ${progressOf(story)}; run ${id}`;
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
    // The template is a part of it.
    facts.template === identity.template && facts.mapping !== identity.mapping && 'another mapping',
    content !== identity.content && 'another content',
  ];
  return differs.filter((one) => one !== false);
}

function nothingThere({ kind }: Identity): CliError {
  const message = `no unfinished ${kind} of this content is known that another key began`;
  return unsafe('run-unknown', message, 'see "bizmsg runs list"; --resume without --new-key begins it');
}
