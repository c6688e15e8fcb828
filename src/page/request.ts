/** The method and path; most paths begin the same. */
export function requestText(method: string, path: string): string {
  return `${method} ${path.replace('/api/public/', '')}`;
}
