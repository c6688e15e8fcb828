import { addProfile } from './add.ts';
import { listProfiles } from './list.ts';
import { removeProfile } from './remove.ts';
import { setProfile } from './set.ts';
import { showProfile } from './show.ts';
import { useProfile } from './use.ts';

export const profilesCommands = [addProfile, showProfile, setProfile, listProfiles, useProfile, removeProfile];
