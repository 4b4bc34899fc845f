/**
 * A process of its own that listens and prints the numbers of its events: `node listener.ts
 * CONNECTION TOPIC NAME [RELAY_URL]`.
 */
import pino from 'pino'
import { eventFeed } from '../../../../platform/events/event-feed.ts'

const [connectionString = '', topic = '', name = '', relayUrl] = process.argv.slice(2)
const feed = await eventFeed({ connection: { connectionString }, relayUrl, schema: 'social', log: pino({ level: 'silent' }) })
const events = await feed.listen(topic, name)
console.log('listening')
for await (const { number } of events) console.log(number)
