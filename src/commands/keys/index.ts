import { listKeys } from './list.ts';
import { removeKey } from './remove.ts';
import { setKey } from './set.ts';
import { switchMode } from './switch-mode.ts';

export const keysCommands = [setKey, listKeys, removeKey, switchMode];
