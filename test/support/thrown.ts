/** Returns what a function throws, or undefined. */
export function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Returns the error of this class that a promise rejects with. */
export async function rejection<T>(promise: Promise<unknown>, kind: new (...parts: never[]) => T): Promise<T> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof kind) return error;
  throw new Error(`no ${kind.name} was thrown`, { cause: error });
}
