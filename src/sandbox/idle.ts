import type { Clock } from './clock.ts';

export interface Idle {
  /** Something came. */
  touch(): void;
  /** Something begins; what is returned says that it ended. */
  begin(): () => void;
  close(): void;
}

/** Tells once that nothing has gone on for so long. What still goes on keeps it from telling. */
export function watchIdle(clock: Clock, span: number, onIdle: () => void): Idle {
  let busy = 0;
  let last = clock.now();
  let callOff = clock.at(last + span, check);
  return {
    touch() {
      last = clock.now();
    },
    begin() {
      busy += 1;
      return () => {
        busy -= 1;
        last = clock.now();
      };
    },
    close: () => callOff(),
  };

  function check(): void {
    const now = clock.now();
    if (busy === 0 && now >= last + span) onIdle();
    else callOff = clock.at(busy > 0 ? now + span : last + span, check);
  }
}
