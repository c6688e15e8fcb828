import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkDisk } from '../../src/base/network-disk.ts';
import { temporaryHome } from '../support/bin.ts';
import { posixOnly } from '../support/system.ts';

function newHome(): string {
  const home = temporaryHome();
  onTestFinished(home.remove);
  return realpathSync(home.path);
}

const root = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw';

/** The line of a mount, with the optional fields that some mounts have. */
function mount(point: string, type: string): string {
  return `61 27 0:52 / ${point.replaceAll(' ', String.raw`\040`)} rw,nosuid shared:12 master:3 - ${type} source rw,vers=4.2`;
}

describe('a folder', () => {
  it.each(['nfs', 'nfs4', 'cifs', 'smb3', '9p', 'afs', 'ceph', 'lustre', 'fuse.sshfs', 'fuse.glusterfs', 'virtiofs'])(
    'is on a network file system of type %s',
    (type) => {
      const home = newHome();
      expect(networkDisk(home, [root, mount(home, type)].join('\n'))).toBe(type);
    },
  );

  it.each(['ext4', 'tmpfs', 'overlay', 'fuse.gocryptfs', 'fuse.fuse-overlayfs', 'fuseblk'])(
    'is local on a file system of type %s',
    (type) => {
      const home = newHome();
      expect(networkDisk(home, [root, mount(home, type)].join('\n'))).toBeUndefined();
    },
  );

  it('belongs to the deepest mount above it', () => {
    const home = newHome();
    mkdirSync(join(home, 'local'));
    const mounts = [mount(join(home, 'local'), 'ext4'), mount(home, 'nfs'), root].join('\n');
    expect(networkDisk(join(home, 'local'), mounts)).toBeUndefined();
    expect(networkDisk(home, mounts)).toBe('nfs');
  });

  it('belongs to the later one of two mounts at the same place', () => {
    const home = newHome();
    expect(networkDisk(home, [mount(home, 'ext4'), mount(home, 'nfs')].join('\n'))).toBe('nfs');
  });

  it('does not belong to a mount whose name only begins like its own', () => {
    const home = newHome();
    mkdirSync(join(home, 'state-2'));
    expect(networkDisk(join(home, 'state-2'), [root, mount(join(home, 'state'), 'nfs')].join('\n'))).toBeUndefined();
  });

  it('is found although it does not exist yet', () => {
    const home = newHome();
    expect(networkDisk(join(home, 'not/yet/there'), [root, mount(home, 'nfs')].join('\n'))).toBe('nfs');
  });

  it('is found through a symbolic link and with a space in its name', () => {
    posixOnly('a symbolic link needs a privilege');
    const home = newHome();
    const share = join(home, 'my share');
    mkdirSync(share);
    symlinkSync(share, join(home, 'link'));
    expect(networkDisk(join(home, 'link'), [root, mount(share, 'cifs')].join('\n'))).toBe('cifs');
  });

  it('counts as local where the mounts are unknown', () => {
    expect(networkDisk(newHome(), '')).toBeUndefined();
  });
});
