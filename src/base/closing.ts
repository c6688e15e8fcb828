/** Passes what was opened to a function, and closes it afterwards. */
export async function closing<T extends { close(): Promise<void> }, R>(
  opened: T,
  act: (opened: T) => Promise<R>,
): Promise<R> {
  try {
    return await act(opened);
  } finally {
    await opened.close();
  }
}
