import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Social, startSocial } from './support/social.ts'

let social: Social
beforeAll(async () => {
  social = await startSocial()
})
afterAll(() => social.close())

test('the subgraph reports the type of each event, also without subscribers', async () => {
  const received: (readonly string[] | null)[] = []
  const silence = social.subgraph.onChange?.((types) => received.push(types))
  const until = async (count: number) => {
    while (received.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await social.ask('mutation { createUser(input: { email: "ann@example.org", name: "Ann" }) { user { id } } }')
  await until(1)
  const { caller } = await social.aUser()
  const { data } = await social.ask('mutation { createRoom(name: "R") { ... on CreateRoomSuccess { room { id } } } }', {}, caller)
  const roomId = (data as { createRoom: { room: { id: string } } }).createRoom.room.id
  await social.ask('mutation ($roomId: ID!) { sendMessage(roomId: $roomId, text: "Hi") { __typename } }', { roomId }, caller)
  await until(2)
  expect(received).toEqual([['User'], ['Message', 'Room']])
  silence?.()
})
