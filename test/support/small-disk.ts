import { execFileSync } from 'node:child_process';
import { temporaryHome } from './bin.ts';

export function mount(folder: string, options: string): void {
  asRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
}

export function asRoot(...words: readonly string[]): void {
  execFileSync('sh', ['-c', 'exec "$@"', 'sh', ...words], { stdio: 'ignore' });
}

/** Only root may, and not everywhere. */
export function mounts(): boolean {
  const home = temporaryHome();
  try {
    mount(home.path, 'size=64k');
    asRoot('umount', home.path);
    return true;
  } catch {
    return false;
  } finally {
    home.remove();
  }
}
