/** Reads ahead until it has a number of bytes or rows; `all` yields what was read and then the rest. */
export async function peek<T extends { readonly length: number }>(items: AsyncGenerator<T>, enough: number) {
  const begun: T[] = [];
  for (let length = 0; length < enough;) {
    const step = await items.next();
    if (step.done) break;
    begun.push(step.value);
    length += step.value.length;
  }
  const all = async function* () {
    yield* begun;
    yield* items;
  };
  return { begun, all };
}
