import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ask } from '../../cluster/support.ts'

/** A member of a room who is told of its messages. */
export type Listener = {
  /**
   * Waits until everything of `texts` was seen, at most `milliseconds`, and stops; a sentence for
   * each thing that went wrong.
   */
  readonly settle: (texts: readonly string[], milliseconds?: number) => Promise<readonly string[]>
}

/** What a listener waits before it comes again. Milliseconds. */
const AGAIN = 200

/**
 * Follows a room over a WebSocket through the balancer, as docs/reliability.md advises: comes again
 * whenever that ends, and reads with a query what came between as soon as it is told of something
 * new.
 */
export function listenTo(url: string, token: string, room: string): Listener {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  })
  const seen = new Set<string>()
  const wrongs: string[] = []
  let isOver = false
  const following = follow()

  return {
    async settle(texts, milliseconds = 20_000) {
      const end = performance.now() + milliseconds
      const unseen = () => texts.filter((text) => !seen.has(text))
      while (unseen().length > 0 && performance.now() < end) await sleep(50)
      isOver = true
      await client.dispose()
      await following
      return [...wrongs, ...unseen().map((text) => `Nobody was told of "${text}".`)]
    },
  }

  async function follow(): Promise<void> {
    while (!isOver) {
      const received = new Set<string>()
      // Also without another message: a gateway that is gone may have had the last ones.
      void sleep(AGAIN)
        .then(readHistory)
        .catch(() => {})
      try {
        const query = 'subscription ($room: ID!) { messageReceived(roomId: $room) { text } }'
        for await (const { data } of client.iterate<{ readonly messageReceived: { readonly text: string } }>({
          query,
          variables: { room },
        })) {
          if (!data) break
          const { text } = data.messageReceived
          if (received.has(text)) wrongs.push(`A listener was told of "${text}" twice.`)
          seen.add(text)
          received.add(text)
          if (received.size === 1) await readHistory()
        }
      } catch {
        // Whatever ended it, it begins again.
      }
      await sleep(AGAIN)
    }
  }

  async function readHistory(): Promise<void> {
    let after: string | null = null
    do {
      const { edges, pageInfo }: History = (await ask(url, HISTORY, { room, after }, token)).room.messages
      for (const { node } of edges) seen.add(node.text)
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
  }
}

type History = {
  readonly edges: readonly { readonly node: { readonly text: string } }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}
const HISTORY = `query ($room: ID!, $after: String) { room(id: $room) {
  messages(first: 100, after: $after) { edges { node { text } } pageInfo { hasNextPage endCursor } } } }`
