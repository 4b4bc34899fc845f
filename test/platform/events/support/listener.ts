/**
 * A process of its own that listens and prints the numbers of what it is told: `node listener.ts
 * CONNECTION TOPIC NAME`.
 */
import pino from 'pino'
import { eventFeed } from '../../../../platform/events/event-feed.ts'

const [connectionString = '', topic = '', name = ''] = process.argv.slice(2)
const feed = await eventFeed({ connection: { connectionString }, schema: 'social', log: pino({ level: 'silent' }) })
const events = await feed.listen(topic, name)
console.log('listening')
for await (const { number } of events) console.log(number)
