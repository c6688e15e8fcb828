import { statSync } from 'node:fs';
import { unsafe } from '../../base/errors.ts';
import { exposedBy, exposureOf } from '../../base/exposure.ts';
import { shellWord } from '../../base/shell-word.ts';
import { storeFile } from './store.ts';

/** Throws if other users can change the store in a folder, and with it a live key or the address that it goes to. */
export function requireSafeStore(folder: string): void {
  const exposure = exposureOf(folder) ?? exposureOf(storeFile(folder));
  if (!exposure) return;
  throw unsafe(
    'store-exposed',
    `the live key is not used: ${exposedBy(exposure)}`,
    exposure.owner === undefined
      ? `check the addresses in bizmsg profiles list, then run chmod go-w ${shellWord(exposure.path)}`
      : 'set BIZMSG_CONFIG_DIR to a folder of your own, and add the profile there',
  );
}

/** What to tell the user of a live key that other users can read; undefined if they cannot. */
export function readableStore(folder: string): string | undefined {
  const file = storeFile(folder);
  const [outside, inside] = [statSync(folder).mode, statSync(file).mode];
  const isGroups = (outside & 0o010) !== 0 && (inside & 0o040) !== 0;
  const isEverybodys = (outside & 0o001) !== 0 && (inside & 0o004) !== 0;
  if (!isGroups && !isEverybodys) return undefined;
  return `other users can read the live key in ${file}; chmod 600 ${shellWord(file)} stops that`;
}
