/** A periodic task per member, spread over the interval, so that not all run at once. */
export type Heartbeat<Member> = {
  readonly add: (member: Member) => void
  readonly delete: (member: Member) => void
}

/** Calls `beat` for each member every `seconds`, with one timer for all; none without members. */
export function heartbeat<Member>(seconds: number, beat: (member: Member) => void): Heartbeat<Member> {
  const turns = Array.from({ length: seconds }, () => new Set<Member>())
  const turnOf = new Map<Member, Set<Member>>()
  let now = 0
  let timer: NodeJS.Timeout | null = null

  function next(): void {
    now = (now + 1) % seconds
    for (const member of turns[now] ?? []) beat(member)
  }

  return {
    add(member) {
      const turn = turns[now]
      if (!turn || turnOf.has(member)) return
      turn.add(member)
      turnOf.set(member, turn)
      timer ??= setInterval(next, 1_000)
    },
    delete(member) {
      turnOf.get(member)?.delete(member)
      turnOf.delete(member)
      if (turnOf.size > 0 || timer === null) return
      clearInterval(timer)
      timer = null
    },
  }
}
