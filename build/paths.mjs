/**
 * The same path with slashes, also on Windows.
 * @param {string} path
 */
export function slashed(path) {
  return path.replaceAll('\\', '/');
}
