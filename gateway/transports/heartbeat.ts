/**
 * Members that something is done for now and then, spread over the time between: all at once would
 * hold up everything else.
 */
export type Heartbeat<Member> = {
  readonly add: (member: Member) => void
  readonly delete: (member: Member) => void
}

/**
 * Calls `beat` for each member every `seconds`. One timer for all of them, and none while there are
 * none.
 */
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
