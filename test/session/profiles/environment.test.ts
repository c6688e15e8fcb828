import { describe, expect, it } from 'vitest';
import { configFolder, stateFolder } from '../../../src/session/profiles/environment.ts';
import { posixOnly } from '../../support/system.ts';

describe('the folders', () => {
  it.each([
    [{}, '/home/ada/.config/bizmsg', '/home/ada/.local/state/bizmsg'],
    [{ XDG_CONFIG_HOME: '/x', XDG_STATE_HOME: '/y' }, '/x/bizmsg', '/y/bizmsg'],
    [{ XDG_CONFIG_HOME: '', XDG_STATE_HOME: 'relative' }, '/home/ada/.config/bizmsg', '/home/ada/.local/state/bizmsg'],
    [{ XDG_CONFIG_HOME: '/x', BIZMSG_CONFIG_DIR: '/c', BIZMSG_STATE_DIR: '/s' }, '/c', '/s'],
  ])('follow %o', (env, config, state) => {
    posixOnly('its folders are elsewhere');
    expect([configFolder(env, '/home/ada'), stateFolder(env, '/home/ada')]).toEqual([config, state]);
  });

  it('are refused when their variable is empty', () => {
    expect(() => configFolder({ BIZMSG_CONFIG_DIR: '' }, '/home/ada')).toThrow('BIZMSG_CONFIG_DIR is set but empty');
    expect(() => stateFolder({ BIZMSG_STATE_DIR: ' ' }, '/home/ada')).toThrow('BIZMSG_STATE_DIR is set but empty');
  });
});
