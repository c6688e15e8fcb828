import { expectEvent } from './expect.ts';
import { listEvents } from './list.ts';
import { listenForEvents } from './listen.ts';
import { replayEvents } from './replay.ts';
import { showEvent } from './show.ts';
import { verifyEvent } from './verify.ts';

export const webhooksCommands = [listenForEvents, listEvents, showEvent, replayEvents, verifyEvent, expectEvent];
