import { installCompletion } from './install.ts';
import { printForBash, printForFish, printForZsh } from './print.ts';
import { uninstallCompletion } from './uninstall.ts';

export const completionCommands = [printForBash, printForZsh, printForFish, installCompletion, uninstallCompletion];
