import { type Html, html } from '../frame/html.ts'

const WIDTH_PIXELS = 240
const HEIGHT_PIXELS = 56

/**
 * A line over time with its last value and its highest; null values are gaps. Drawn from zero to
 * the highest value, `least` at least.
 */
export function plot(
  heading: string,
  values: readonly (number | null)[],
  {
    written,
    least,
    second,
  }: { readonly written: (value: number) => string; readonly least: number; readonly second?: readonly (number | null)[] },
): Html {
  const measured = [...values, ...(second ?? [])].filter((value) => value !== null)
  const [last, max] = [
    measured.length === 0 ? null : (values.findLast((value) => value !== null) ?? null),
    Math.max(least, ...measured),
  ]
  const summary = last === null ? 'no data yet' : `now ${written(last)}, at most ${written(Math.max(0, ...measured))}`
  return html`<figure class="plot">
<figcaption>${heading} <strong>${last === null ? '–' : written(last)}</strong></figcaption>
<svg viewBox="0 0 ${WIDTH_PIXELS} ${HEIGHT_PIXELS}" preserveAspectRatio="none" role="img" aria-label="${heading}: ${summary}">
<rect class="ground" width="${WIDTH_PIXELS}" height="${HEIGHT_PIXELS}"/>
${second && line('second', second, max)}${line('first', values, max)}
</svg>
<p class="quiet" aria-hidden="true">0 to ${written(max)}</p>
</figure>`
}

function line(name: string, values: readonly (number | null)[], max: number): Html {
  const step = WIDTH_PIXELS / Math.max(1, values.length - 1)
  const points = values.map((value, index) =>
    value === null
      ? null
      : `${(index * step).toFixed(1)},${(HEIGHT_PIXELS - 2 - (value / max) * (HEIGHT_PIXELS - 4)).toFixed(1)}`,
  )
  // A path that begins anew behind each gap; a lone point is a short line.
  const path = points
    .map((point, index) => (point === null ? '' : index > 0 && points[index - 1] ? `L${point}` : `M${point}h0.5`))
    .join('')
  return html`<path class="${name}" d="${path}" vector-effect="non-scaling-stroke"/>`
}
