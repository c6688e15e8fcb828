import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { statsOf } from './files.ts';
import { readIfPresent } from './liveness.ts';

/** File systems whose locks and writes depend on another machine, as Linux names them. */
const network =
  /^(nfs4?|cifs|smb\w*|ncpfs|9p|afs|ceph|glusterfs|lustre|gpfs|beegfs|orangefs|gfs2|ocfs2|coda|virtiofs|vboxsf|vmhgfs|prl_fs|osxfs|fakeowner|davfs|fuse\.(sshfs|rclone|s3fs|gcsfuse|goofys|blobfuse2?|glusterfs|ceph-fuse|juicefs|seaweedfs|mfs|smbnetfs|curlftpfs|grpcfuse|vmhgfs-fuse))$/;

/**
 * Returns the type of the network file system that has a path, such as `nfs4`. Undefined for a local one, and on systems
 * without /proc. `statfs` would not do: it calls some of them local.
 */
export function networkDisk(path: string, mounts = readIfPresent('/proc/self/mountinfo') ?? ''): string | undefined {
  if (!statsOf(path)) return dirname(path) === path ? undefined : networkDisk(dirname(path), mounts);
  const real = realpathSync(path);
  // A later mount hides an earlier one at the same place.
  const [mount] = mounts
    .split('\n')
    .flatMap(mountIn)
    .filter(({ point }) => `${real}/`.startsWith(point === '/' ? '/' : `${point}/`))
    .toSorted((a, b) => a.point.length - b.point.length)
    .slice(-1);
  return mount && network.test(mount.type) ? mount.type : undefined;
}

/** The mount in a line of mountinfo, whose fifth word is the mount point; the type follows a single `-`. */
function mountIn(line: string): { point: string; type: string }[] {
  const [, point, type] = /^(?:\S+ ){4}(\S+) .*? - (\S+)/.exec(line) ?? [];
  if (point === undefined || type === undefined) return [];
  return [{ point: point.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))), type }];
}
