import { join } from 'node:path';
import type { Circumstances } from './identity.ts';
import { placeOf, runsFolder } from './identity.ts';
import { runIds } from './find.ts';
import { knownAt } from './known.ts';
import type { Known } from './known.ts';

export interface AlikeRun extends Known {
  readonly id: string;
  readonly folder: string;
}

type Meant = Pick<Circumstances, 'kind' | 'template' | 'address' | 'mode'>;

/** Those that send the same to the same place, by whatever mapping or key, the newest first; their rows are not read. */
export function runsAlike(stateFolder: string, { kind, template, address, mode }: Meant): readonly AlikeRun[] {
  return runIds(stateFolder)
    .flatMap((id) => {
      const folder = join(runsFolder(stateFolder), id);
      const known = knownAt(folder);
      return known ? [{ id, folder, facts: known.facts, content: known.content }] : [];
    })
    .filter(({ facts }) => facts.kind === kind && facts.template === template)
    .filter(({ facts }) => facts.address === address && facts.mode === mode)
    .sort((a, b) => b.facts.startedAt - a.facts.startedAt);
}

/** Whatever it held then. */
export function isOfFile({ facts, content }: Known, file: string): boolean {
  return facts.place !== null && facts.place === placeOf({ ...facts, content, file });
}
