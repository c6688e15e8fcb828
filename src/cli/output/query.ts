import { isRecord } from '../../contract/readers.ts';
import { usage } from '../../base/errors.ts';

export interface Query {
  (data: unknown): unknown;
  /** Whether it selects records, and may find none. */
  readonly isFilter: boolean;
}

/** Compiles a JMESPath expression. It is tried on null, so that a mistake is found before anything is sent. */
export async function compileQuery(expression: string): Promise<Query> {
  const { default: jmespath } = await import('jmespath');
  const slip = (error: unknown): Error =>
    usage(
      `--query "${expression}": ${error instanceof Error ? inWords(error.message) : String(error)}`,
      'see https://jmespath.org',
    );
  const query = (data: unknown) => {
    try {
      const found: unknown = jmespath.search(replaced(data, toLong), expression);
      return replaced(found, fromLong);
    } catch (error) {
      throw slip(error);
    }
  };
  try {
    jmespath.search(null, expression);
  } catch (error) {
    // A type error only means that null has the wrong type.
    if (!(error instanceof Error && error.message.startsWith('TypeError'))) throw slip(error);
  }
  return Object.assign(query, { isFilter: expression.includes('[?') });
}

/** jmespath names the kind of token that it expected. */
function inWords(message: string): string {
  return message
    .replace(/^Expected \w+, got: EOF$/, 'it ends too early')
    .replace(/^(?:\w*Error: )?Expected \w+, got: (.+)$/, '$1 is not expected there');
}

/** A large integer for JMESPath, which does not support bigint but accepts this as a number. */
class Long extends Number {
  readonly exact: bigint;

  constructor(exact: bigint) {
    super(exact);
    this.exact = exact;
  }

  toJSON(): string {
    return this.exact.toString();
  }
}

function toLong(value: unknown): unknown {
  return typeof value === 'bigint' ? new Long(value) : value;
}

function fromLong(value: unknown): unknown {
  return value instanceof Long ? value.exact : value;
}

function replaced(value: unknown, replace: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (!isRecord(value) || value instanceof Long) return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, replace)]));
}
