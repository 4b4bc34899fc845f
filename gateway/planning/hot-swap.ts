import type { Logger } from 'pino'
import type { Admission, Gateway } from '../gateway.ts'

/** A graph that serves, and what else must end with it. */
export type Graph = {
  readonly gateway: Gateway
  /** Called once, after the last of its operations. */
  readonly release: () => Promise<unknown>
}

/** A gateway whose graph can be replaced while it serves. */
export type SwappableGateway = Gateway & {
  /** Operations that begin from now on run on `next`; those that run end where they began, and then their graph is released. */
  readonly swap: (next: Graph) => void
}

type Admitted = Extract<Admission, { readonly kind: 'admitted' }>

/** A graph and what still runs on it. */
type Generation = Graph & {
  running: number
  isCurrent: boolean
  isReleased: boolean
  /** Its admissions, with the counting of what runs. */
  readonly admissions: WeakMap<Admission, Admission>
}

/** Serves `first` until something else is swapped in. Facades keep the client of the graph that they began with. */
export function swappable(first: Graph, log: Logger): SwappableGateway {
  const told = new Set<() => void>()
  const living = new Set<Generation>()
  const releasing = new Set<Promise<unknown>>()
  let current = begin(first)

  return {
    get schema() {
      return current.gateway.schema
    },
    get client() {
      return current.gateway.client
    },
    get cache() {
      return current.gateway.cache
    },
    get limits() {
      return current.gateway.limits
    },
    get slots() {
      return current.gateway.slots
    },
    admit: (text, operationName) => admitted((gateway) => gateway.admit(text, operationName)),
    admitAsked: (asked) => admitted((gateway) => gateway.admitAsked(asked)),
    circuits: () => current.gateway.circuits(),
    subscriptions: () => [...living].reduce((sum, { gateway }) => sum + gateway.subscriptions(), 0),
    onSwap: (tell) => void told.add(tell),
    swap(next) {
      const before = current
      current = begin(next)
      before.isCurrent = false
      releaseWhenDone(before)
      for (const tell of told) tell()
    },
    async close() {
      for (const generation of living) release(generation)
      await Promise.all(releasing)
    },
  }

  function begin(graph: Graph): Generation {
    const generation: Generation = { ...graph, running: 0, isCurrent: true, isReleased: false, admissions: new WeakMap() }
    living.add(generation)
    return generation
  }

  function releaseWhenDone(generation: Generation): void {
    if (!generation.isCurrent && generation.running === 0) release(generation)
  }

  function release(generation: Generation): void {
    if (generation.isReleased) return
    generation.isReleased = true
    living.delete(generation)
    const ending = generation.gateway
      .close()
      .then(generation.release)
      .catch((error: unknown) => log.error({ err: error }, 'a graph that was replaced could not be released'))
      .finally(() => releasing.delete(ending))
    releasing.add(ending)
  }

  function admitted(admit: (gateway: Gateway) => Admission): Admission {
    const generation = current
    const admission = admit(generation.gateway)
    if (admission.kind === 'refused') return admission
    const known = generation.admissions.get(admission)
    if (known) return known
    const noted = counting(generation, admission, () => admitted(admit))
    generation.admissions.set(admission, noted)
    return noted
  }

  /** `admission`, whose graph is not released while it runs; `again` admits the same anew, should that have happened before it began. */
  function counting(generation: Generation, admission: Admitted, again: () => Admission): Admitted {
    const { run, answer, subscribe } = admission

    return {
      ...admission,
      run: (variables, passage) =>
        during(
          () => run(variables, passage),
          (anew) => (anew.kind === 'admitted' ? anew.run(variables, passage) : Promise.resolve({ errors: anew.errors })),
        ),
      answer:
        answer &&
        ((variables, passage) =>
          during(
            () => answer(variables, passage),
            async (anew) => {
              if (anew.kind === 'refused') return { result: { errors: anew.errors } }
              return anew.answer?.(variables, passage) ?? { result: await anew.run(variables, passage) }
            },
          )),
      subscribe:
        subscribe &&
        (async (variables, passage) => {
          if (generation.isReleased) {
            const anew = again()
            if (anew.kind === 'refused') return { kind: 'refused', errors: anew.errors }
            return (await anew.subscribe?.(variables, passage)) ?? { kind: 'refused', errors: [] }
          }
          generation.running++
          const opened = await subscribe(variables, passage)
          if (opened.kind === 'refused') {
            ended()
            return opened
          }
          const { source } = opened
          let isOver = false
          const end = () => {
            source.return()
            if (!isOver) ended()
            isOver = true
          }
          return { kind: 'open', source: { follow: (recipient) => source.follow(recipient), return: end } }
        }),
    }

    async function during<Result>(work: () => Promise<Result>, anew: (admission: Admission) => Promise<Result>): Promise<Result> {
      if (generation.isReleased) return anew(again())
      generation.running++
      try {
        return await work()
      } finally {
        ended()
      }
    }

    function ended(): void {
      generation.running--
      releaseWhenDone(generation)
    }
  }
}
