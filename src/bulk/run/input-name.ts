/** How an input is called in messages; `-` is stdin. */
export function inputName(path: string): string {
  return path === '-' ? 'stdin' : `"${path}"`;
}
