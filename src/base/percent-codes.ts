/** Whether each percent sign begins a code, and all codes are UTF-8. */
export function hasValidCodes(text: string): boolean {
  try {
    // The minifier drops a call whose result is not used.
    return decodeURIComponent(text).length <= text.length;
  } catch {
    return false;
  }
}
