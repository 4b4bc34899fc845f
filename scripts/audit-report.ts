import { z } from 'zod'

/** One known vulnerability of one package that is in the lock file. */
export type Advisory = {
  /** The last part of its address, such as `GHSA-vh95-rmgr-6w4m`. */
  readonly id: string
  readonly package: string
  readonly severity: string
  readonly title: string
  readonly url: string
  /** The versions that have it. */
  readonly range: string
  /** Only needed to develop: it is in no production installation. */
  readonly isDevelopment: boolean
}

const Via = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
})
const Report = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), Via])), nodes: z.array(z.string()) })),
  // Absent when the source answered with an error.
  metadata: z.object({}),
})

/**
 * The advisories in what `npm audit --json` writes, each once, in its order; null when the text is
 * no report. `isDevelopment` says it of a place in node_modules. Packages that are affected through
 * another one are not named: that one is.
 */
export function advisoriesIn(text: string, isDevelopment: (path: string) => boolean): readonly Advisory[] | null {
  const report = Report.safeParse(parsed(text))
  if (!report.success) return null
  const found = new Map<string, Advisory>()
  for (const { via, nodes } of Object.values(report.data.vulnerabilities)) {
    for (const each of via) {
      if (typeof each === 'string') continue
      const { name, title, url, severity, range } = each
      const id = url.slice(url.lastIndexOf('/') + 1)
      found.set(`${id} ${name}`, { id, package: name, severity, title, url, range, isDevelopment: nodes.every(isDevelopment) })
    }
  }
  return [...found.values()]
}

const Exception = z.strictObject({
  /** As in `Advisory.id`. */
  advisory: z.string().min(1),
  package: z.string().min(1),
  /** Why it does no harm here, or what is waited for. */
  reason: z.string().min(20, 'a reason of 20 characters or more'),
  /** The last day of it, in UTC. */
  until: z.iso.date(),
})

/** An advisory that is known, and does not fail the audit until its day. */
export type Exception = z.infer<typeof Exception>

/** The exceptions in a file's text. Throws an Error that names what is wrong. */
export function exceptionsIn(text: string): readonly Exception[] {
  const read = z.array(Exception).safeParse(parsed(text))
  if (read.success) return read.data
  const faults = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
  throw new Error(`Expected a list of {"advisory", "package", "reason", "until": "YYYY-MM-DD"}. ${faults.join('. ')}`)
}

/**
 * What an audit comes to: lines for people, and whether the build fails. `advisories` is null where
 * no source answered.
 */
export function verdictOf(
  advisories: readonly Advisory[] | null,
  exceptions: readonly Exception[],
  today: string,
): { readonly lines: readonly string[]; readonly isFailed: boolean } {
  const expired = exceptions.filter(({ until }) => until < today)
  const isExcepted = (advisory: Advisory) =>
    exceptions.some((each) => each.until >= today && each.advisory === advisory.id && each.package === advisory.package)
  const all = advisories ?? []
  const failing = all.filter((advisory) => !PASSING.has(advisory.severity) && !isExcepted(advisory))
  const unused = exceptions.filter(
    (each) => advisories !== null && !all.some(({ id, package: name }) => id === each.advisory && name === each.package),
  )
  const lines = [
    ...all.map((advisory) => lineOf(advisory, isExcepted(advisory) ? 'excepted: ' : '')),
    ...expired.map(({ advisory, package: name, until }) => `The exception for ${advisory} of ${name} ended on ${until}.`),
    ...unused.map(({ advisory, package: name }) => `The exception for ${advisory} of ${name} is not needed any more.`),
  ]
  return { lines, isFailed: failing.length > 0 || expired.length > 0 }
}

/** Those of npm's words that do not stop a build: an unknown word does not pass as harmless. */
const PASSING: ReadonlySet<string> = new Set(['info', 'low', 'moderate'])

const lineOf = ({ severity, package: name, range, title, url, isDevelopment }: Advisory, prefix: string): string =>
  `${prefix}${severity}: ${name} ${range}${isDevelopment ? ' (development)' : ''}: ${title}, ${url}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
