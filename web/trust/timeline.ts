import { z } from 'zod'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { dayOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'

/** What a source said, as the graph gives it. */
type SourceEvidence = { readonly source: string; readonly facts?: unknown }

/** Something that happened, or will, at a time in seconds since 1970. */
type Happening = { readonly at: number; readonly what: string; readonly tone?: 'good' | 'bad' }

const time = z.number().nullable().optional()
const Rdap = z.object({
  registeredAt: time,
  changedAt: time,
  transferredAt: time,
  expiresAt: time,
  registrarName: z.string().nullable().optional(),
})
const Ct = z.object({ firstSeenAt: time })
const Tls = z.object({ issuer: z.string(), notBefore: time, notAfter: time })
const Feeds = z.object({
  hits: z.array(z.object({ feed: z.string(), category: z.string(), firstSeenAt: time, lastSeenAt: time })),
})

/** Reads the facts of one source. What has another shape says nothing here. */
const reader =
  <Facts>(
    shape: z.ZodType<Facts>,
    happeningsIn: (facts: Facts) => readonly (Omit<Happening, 'at'> & { readonly at: number | null | undefined })[],
  ) =>
  (facts: unknown): Happening[] => {
    const read = shape.safeParse(facts)
    return read.success ? happeningsIn(read.data).flatMap(({ at, ...rest }) => (at == null ? [] : [{ at, ...rest }])) : []
  }

const READERS: LookupTable<(facts: unknown) => Happening[]> = lookupTable({
  rdap: reader(Rdap, ({ registeredAt, changedAt, transferredAt, expiresAt, registrarName }) => [
    { at: registeredAt, what: `Domain registered${registrarName ? ` at ${registrarName}` : ''}` },
    { at: transferredAt, what: 'Moved to another registrar' },
    { at: changedAt, what: 'Registration last changed' },
    { at: expiresAt, what: 'Registration ends' },
  ]),
  ct: reader(Ct, ({ firstSeenAt }) => [{ at: firstSeenAt, what: 'First certificate logged' }]),
  tls: reader(Tls, ({ issuer, notBefore, notAfter }) => [
    { at: notBefore, what: `Certificate issued by ${issuer}` },
    { at: notAfter, what: 'Certificate ends' },
  ]),
  feeds: reader(Feeds, ({ hits }) =>
    hits.flatMap(({ feed, category, firstSeenAt, lastSeenAt }) => [
      { at: firstSeenAt, what: `Listed by ${feed} as ${category}`, tone: 'bad' as const },
      { at: lastSeenAt, what: `Last seen by ${feed}`, tone: 'bad' as const },
    ]),
  ),
})

/**
 * What happened to a host, first things first; `looked` and `ends` are when it was looked at and
 * until when the answer holds.
 */
export function timeline(
  sources: readonly SourceEvidence[],
  { looked, ends }: { readonly looked: string; readonly ends: string },
): Html {
  const happenings = [
    ...sources.flatMap(({ source, facts }) => READERS[source]?.(facts) ?? []),
    { at: Date.parse(looked) / 1000, what: 'Evidence collected for this decision', tone: 'good' as const },
    { at: Date.parse(ends) / 1000, what: 'This decision expires' },
  ].sort((one, other) => one.at - other.at)
  return html`<ol class="timeline">${happenings.map(
    ({ at, what, tone }) =>
      html`<li class="tone-${tone ?? 'none'}"><time datetime="${new Date(at * 1000).toISOString()}">${dayOf(at * 1000)}</time> <span>${what}</span></li>`,
  )}</ol>`
}
