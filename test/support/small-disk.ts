import { execFileSync } from 'node:child_process';
import { temporaryHome } from './bin.ts';

export function mount(folder: string, options: string): void {
  asRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
}

export function asRoot(...words: readonly string[]): void {
  execFileSync('sh', ['-c', 'exec "$@"', 'sh', ...words], { stdio: 'ignore' });
}

/** True if this process may mount, which root may in most places. */
export function canMount(): boolean {
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
