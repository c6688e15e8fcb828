interface GaugeProps {
  readonly label: string;
  readonly used: number;
  /** Null without a limit; then nothing is counted. */
  readonly limit: number | null;
}

/** Where the limit is, in percent of the width. */
const line = 80;

/** How much of a limit is used, with the line where the answers become 429. */
export function Gauge({ label, used, limit }: GaugeProps) {
  if (limit === null) {
    return (
      <p>
        <strong>{label}</strong> · no limit
      </p>
    );
  }
  const isFull = used >= limit;
  const rest = isFull ? 'the next one is answered 429' : `${(limit - used).toLocaleString('en')} left`;
  const text = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}, ${rest}`;
  return (
    <div class={`gauge ${isFull ? 'full' : ''}`}>
      <p class="top">
        <strong>{label}</strong>
        <span>{text}</span>
      </p>
      <svg
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={text}
      >
        <rect class="ground" width="100" height="10" />
        <rect class="used" width={Math.min(line, limit === 0 ? line : (used / limit) * line)} height="10" />
        <rect class="over" x={line} width={100 - line} height="10" />
        <line x1={line} x2={line} y1="0" y2="10" />
      </svg>
      <p class="scale" aria-hidden="true">
        <span style={{ marginInlineStart: `${line}%` }}>429</span>
      </p>
    </div>
  );
}
