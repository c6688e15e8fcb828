import { expectEvent } from './expect.ts';
import { webhooksHistory } from './history.ts';
import { listenForEvents } from './listen.ts';
import { replayEvents } from './replay.ts';
import { showEvent } from './show.ts';
import { verifyEvent } from './verify.ts';

export const webhooksCommands = [listenForEvents, webhooksHistory, showEvent, expectEvent, verifyEvent, replayEvents];
