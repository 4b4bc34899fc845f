import { type Html, html } from './html.ts'

/** Of the drawing; it is stretched to the width of the page. */
const WIDTH_PIXELS = 600
const HEIGHT_PIXELS = 160
/** Part of a bar's step that it fills. */
const BAR_SHARE = 0.7
/** Classes of the lines of the first and the second series. */
const LINES = ['first', 'second'] as const

type Series = {
  /** What people read in the legend; empty where the heading says it. */
  readonly name: string
  /** Oldest first; null: a gap. */
  readonly values: readonly (number | null)[]
}

type Plot = {
  readonly kind: 'bars' | 'lines'
  readonly heading: string
  /** One, or two in the colours of the legend. */
  readonly series: readonly Series[]
  /** An amount of the axis. */
  readonly format: (value: number) => string
  /** The axis reaches to this at least. */
  readonly min: number
  /** Words below the axis of time, from left to right. */
  readonly ticks: readonly string[]
  /** The plot in one sentence, for who does not see it. */
  readonly summary: string
  /** What shows when the pointer is on a bar. */
  readonly titleOf?: (index: number) => string
  /** Whether the legend has the last value of each series. */
  readonly hasLastValues?: boolean
}

/** A plot over time from zero, with the amounts beside and the times below. */
export function plot({ kind, heading, series, format, min, ticks, summary, titleOf, hasLastValues = false }: Plot): Html {
  const top = roundedUp(Math.max(min, ...series.flatMap(({ values }) => values).filter((value) => value !== null)))
  const amounts = kind === 'bars' ? [top, top / 2, 0] : [top, 0]
  return html`<figure class="plot plot-${kind}"><figcaption>${heading}${hasLastValues && series.map((each, index) => legend(each, index, format))}</figcaption>
<div class="amounts" aria-hidden="true">${amounts.map((amount) => html`<span>${amount === 0 ? '0' : format(amount)}</span>`)}</div>
<svg viewBox="0 0 ${WIDTH_PIXELS} ${HEIGHT_PIXELS}" preserveAspectRatio="none" role="img" aria-label="${heading}: ${summary}">
<path class="grid" d="${amounts.map((amount) => `M0 ${yOf(amount, top)}H${WIDTH_PIXELS}`).join('')}" vector-effect="non-scaling-stroke"/>
${kind === 'bars' ? bars(series[0]?.values ?? [], top, titleOf) : series.map(({ values }, index) => line(LINES[index] ?? 'second', values, top)).toReversed()}</svg>
<div class="times" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</div></figure>`
}

function legend({ name, values }: Series, index: number, format: (value: number) => string): Html {
  const last = values.findLast((value) => value !== null)
  return html` <span class="${LINES[index] ?? 'second'}">${name} <strong>${last == null ? '–' : format(last)}</strong></span>`
}

const yOf = (value: number, top: number): string => (HEIGHT_PIXELS - (value / top) * HEIGHT_PIXELS).toFixed(1)

function bars(values: readonly (number | null)[], top: number, titleOf: (index: number) => string = () => ''): Html {
  const step = WIDTH_PIXELS / Math.max(1, values.length)
  return html`${values.map((value, index) => {
    const height = ((value ?? 0) / top) * HEIGHT_PIXELS
    return html`<rect x="${(index * step + (step * (1 - BAR_SHARE)) / 2).toFixed(1)}" y="${yOf(value ?? 0, top)}" width="${(step * BAR_SHARE).toFixed(1)}" height="${height.toFixed(1)}"><title>${titleOf(index)}</title></rect>`
  })}`
}

function line(name: string, values: readonly (number | null)[], top: number): Html {
  const step = WIDTH_PIXELS / Math.max(1, values.length - 1)
  const points = values.map((value, index) => (value === null ? null : `${(index * step).toFixed(1)},${yOf(value, top)}`))
  // A path that begins anew behind each gap; a lone point is a short line.
  const path = points
    .map((point, index) => (point === null ? '' : index > 0 && points[index - 1] ? `L${point}` : `M${point}h0.5`))
    .join('')
  return html`<path class="${name}" d="${path}" vector-effect="non-scaling-stroke"/>`
}

/** The next of 1, 2, 5, 10, 20, 50, … that is not less. */
function roundedUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power
}
