/**
 * A hash in two lanes of 32 bits, turned at each step so that no bit of one is bound to a bit of the other, and mixed at
 * last.
 */
export function lanesOf(text: string): readonly [high: number, low: number] {
  let one = 0xdeadbeef ^ text.length;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(((one << 13) | (one >>> 19)) ^ unit, 0x9e3779b1);
    two = Math.imul(((two << 7) | (two >>> 25)) ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one >>> 0, two >>> 0];
}
