import { usage } from '../errors.ts';

export type Query = (data: unknown) => unknown;

/** Tried on nothing before anything is sent, so that a slip in it costs nothing. */
export async function compileQuery(expression: string): Promise<Query> {
  const { default: jmespath } = await import('jmespath');
  const slip = (error: unknown): Error =>
    usage(
      `--query "${expression}": ${error instanceof Error ? error.message : String(error)}`,
      'see https://jmespath.org',
    );
  const query: Query = (data) => {
    try {
      const found: unknown = jmespath.search(data, expression);
      return found;
    } catch (error) {
      throw slip(error);
    }
  };
  try {
    jmespath.search(null, expression);
  } catch (error) {
    // That nothing is of the wrong type says nothing about the expression.
    if (!(error instanceof Error && error.message.startsWith('TypeError'))) throw slip(error);
  }
  return query;
}
