import { existsSync } from 'node:fs'
import { startProgram } from '../../support/program.ts'

const NATS = '/usr/sbin/nats-server'

/** Whether tests with NATS can run; where REQUIRE_NATS is set they run, and fail without it. */
export const hasNats = existsSync(NATS) || Boolean(process.env.REQUIRE_NATS)

/** A NATS server of the test's own, in memory only. */
export async function natsServer() {
  const begin = (options?: { readonly port: number }) =>
    startProgram(
      (at) => [NATS, ['--addr', '127.0.0.1', '--port', `${at}`]],
      async ({ said }) => said().includes('Server is ready'),
      options,
    )
  let running = await begin()
  return {
    url: `nats://127.0.0.1:${running.port}`,
    // Clients are to reconnect.
    async start() {
      running = await begin({ port: running.port })
    },
    stop: () => running.kill('SIGKILL'),
  }
}
