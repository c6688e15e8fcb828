import type { Row } from '../../cli/output/rows.ts';

/** A request that reached the sandbox, as a row that always has the same columns. */
export function callRow({ at, method, target, status, key, fault, detail }: Row): Row {
  return {
    at: new Date(Number(at)).toISOString(),
    method,
    path: target,
    status,
    key: key ?? null,
    fault: fault ?? null,
    detail: detail ?? null,
  };
}
