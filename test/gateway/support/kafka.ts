import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { startProgram, unusedPort } from '../../support/program.ts'

/** Folder with the jars of `kafka-broker.xml`. */
const KAFKA_LIB = process.env.KAFKA_LIB ?? ''

/** Whether tests with Kafka can run; where REQUIRE_KAFKA is set they run, and fail without it. */
export const hasKafka = KAFKA_LIB !== '' || Boolean(process.env.REQUIRE_KAFKA)

/** The user of the listener with passwords; what it may do is said by its access control list. */
export const KAFKA_USER = { name: 'reader', password: 'p:a/ss' } as const

const CLUSTER_ID = 'MkU3OEVBNTcwNTJENDM2Qk'
const JAVA = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', `${KAFKA_LIB}/*`] as const

/** A broker of the test's own: one node, its own controller, in a temporary folder. */
export async function kafkaServer() {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-kafka-'))
  const properties = join(folder, 'server.properties')
  const [controller, sasl] = [await unusedPort(), await unusedPort()]
  const begin = (options?: { readonly port: number }) =>
    startProgram(
      async (at) => {
        writeFileSync(properties, settings(folder, { at, controller, sasl }))
        if (!options) await format(folder, properties)
        return ['java', [...JAVA, 'kafka.Kafka', properties]]
      },
      async ({ port }) => isReady(`127.0.0.1:${port}`),
      options,
    )
  let running = await begin()
  const bootstrap = { clientId: 'test', bootstrapBrokers: [`127.0.0.1:${running.port}`] }
  const admin = new Admin(bootstrap)
  const producer = new Producer({ ...bootstrap, serializers: stringSerializers, retries: 20, retryDelay: 200 })

  return {
    url: `kafka://127.0.0.1:${running.port}`,
    /** The listener that wants user and password. */
    saslUrl: `kafka://${KAFKA_USER.name}:${encodeURIComponent(KAFKA_USER.password)}@127.0.0.1:${sasl}`,
    bootstrap,
    admin,
    /** The file of a partition's first segment. */
    segmentOf: (topic: string, partition = 0) => join(folder, 'data', `${topic}-${partition}`, `${'0'.repeat(20)}.log`),
    /** Starts node 2, a broker of the same cluster; returns what kills it. */
    async startSecond(): Promise<() => Promise<void>> {
      const own = mkdtempSync(join(tmpdir(), 'atrium-kafka-'))
      const file = join(own, 'server.properties')
      const second = await startProgram(
        async (at) => {
          writeFileSync(file, secondSettings(own, { at, controller }))
          await promisify(execFile)('java', [...JAVA, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', file])
          return ['java', [...JAVA, 'kafka.Kafka', file]]
        },
        async ({ port }) => isReady(`127.0.0.1:${port}`),
      )
      return async () => {
        await second.kill('SIGKILL')
        rmSync(own, { recursive: true, force: true })
      }
    },
    async publish(topic: string, message: unknown, partition = 0) {
      const value = typeof message === 'string' ? message : JSON.stringify(message)
      await producer.send({ messages: [{ topic, value, partition }], acks: -1 })
    },
    // Clients are to reconnect.
    async start() {
      running = await begin({ port: running.port })
    },
    kill: () => running.kill('SIGKILL'),
    async stop() {
      await Promise.allSettled([admin.close(), producer.close()])
      await running.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function format(folder: string, properties: string): Promise<void> {
  rmSync(join(folder, 'data'), { recursive: true, force: true })
  const { name, password } = KAFKA_USER
  const user = ['--add-scram', `SCRAM-SHA-256=[name=${name},password="${password}"]`]
  await promisify(execFile)('java', [...JAVA, 'kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', properties, ...user])
}

async function isReady(broker: string): Promise<boolean> {
  const admin = new Admin({ clientId: 'ready', bootstrapBrokers: [broker], retries: 0, connectTimeout: 1_000 })
  try {
    return (await admin.metadata({ topics: [] })).brokers.size > 0
  } finally {
    await admin.close()
  }
}

const settings = (
  folder: string,
  { at, controller, sasl }: { readonly at: number; readonly controller: number; readonly sasl: number },
) =>
  `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${at},SASL_PLAINTEXT://127.0.0.1:${sasl},CONTROLLER://127.0.0.1:${controller}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
sasl.enabled.mechanisms=SCRAM-SHA-256
listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
log.dirs=${join(folder, 'data')}
message.max.bytes=20000000
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
broker.session.timeout.ms=3000
`

const secondSettings = (folder: string, { at, controller }: { readonly at: number; readonly controller: number }) =>
  `
process.roles=broker
node.id=2
controller.quorum.voters=1@127.0.0.1:${controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${at}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=${join(folder, 'data')}
`
