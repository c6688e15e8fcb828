import type { Probe } from '../../base/liveness.ts';
import type { Gone } from '../exchange.ts';
import type { Sandbox } from '../sandbox.ts';

/** What the control plane knows of the process that it runs in. */
export interface Controlled {
  readonly sandbox: Sandbox;
  readonly token: string;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly build: string;
  /** The folder that it serves; null when nothing is kept. */
  readonly data: string | null;
  readonly uptime: () => number;
  readonly warn: (text: string) => void;
  readonly kill: Probe;
  /** Ends it once the answer is out. */
  readonly stop: () => void;
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly run: (controlled: Controlled, input: Input) => object | Promise<object>;
}

export interface Input {
  readonly query: URLSearchParams;
  readonly body: () => unknown;
  readonly gone: Gone;
}
