// Draws a terminal's screen as an SVG.

const palette = {
  ground: '#1b1f24',
  text: '#d7dde3',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#f2cc60',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
};
const [cell, line, edge] = [8.4, 19, 14];

export function drawn(screen, columns) {
  const lines = screen.replace(/\s+$/, '').split('\n');
  const [width, height] = [columns * cell + 2 * edge, lines.length * line + 2 * edge];
  let style = {};
  const texts = lines.map((one, row) => {
    let [spans, column] = ['', 0];
    for (const { text, codes } of runs(one)) {
      style = codes.reduce(changed, style);
      if (text.trim() !== '') spans += span(text, column, style);
      column += Array.from(text).length;
    }
    return spans && `<text y="${edge + (row + 0.75) * line}">${spans}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}" role="img">
<rect width="100%" height="100%" rx="8" fill="${palette.ground}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="${palette.text}" xml:space="preserve">
${texts.filter(Boolean).join('\n')}
</g>
</svg>
`;
}

/** Splits a line into texts of one style, each with its escape codes. */
function runs(text) {
  // eslint-disable-next-line no-control-regex
  const parts = text.split(/\u001b\[([\d;]*)m/);
  return parts.flatMap((part, at) =>
    at % 2 === 0 ? [{ text: part, codes: at === 0 ? [] : parts[at - 1].split(';').map(Number) }] : [],
  );
}

function changed(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: undefined };
  return palette[code] ? { ...style, color: palette[code] } : style;
}

/** Positions a text by its column, so that any font is aligned. */
function span(text, column, { bold, dim, color }) {
  const [lead] = /^ */.exec(text);
  const looks = `${color ? ` fill="${color}"` : ''}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.6"' : ''}`;
  const shown = text.slice(lead.length).trimEnd();
  const wide = ` textLength="${(Array.from(shown).length * cell).toFixed(1)}"`;
  return `<tspan x="${(edge + (column + lead.length) * cell).toFixed(1)}"${wide}${looks}>${escaped(shown)}</tspan>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
