/**
 * What is to leave in one turn of the event loop leaves at its end, one right after the other: waking whoever reads it
 * costs more than making it, and a peer of many connections that the first has woken is still awake for the next.
 */
export function createDepartures(): (depart: () => void) => void {
  let ready: (() => void)[] = [];
  return (depart) => {
    if (ready.push(depart) === 1) setImmediate(leave);
  };

  function leave(): void {
    const all = ready;
    ready = [];
    for (const depart of all) depart();
  }
}
