import {
  AcceptRoomInvitationDocument,
  AddRoomMemberDocument,
  CreateRoomDocument,
  DeclineRoomInvitationDocument,
  LeaveRoomDocument,
  RemoveRoomMemberDocument,
  SendMessageDocument,
} from '#generated/operations.ts'
import { userForm } from '../account/page.ts'
import { toChanged } from '../frame/change.ts'
import { dataOf } from '../frame/page.ts'
import { ROOMS, room, rooms } from './pages.ts'

const pathOfRoom = (id: string): string => `${ROOMS}/${encodeURIComponent(id)}`

export const roomForms = [
  userForm({
    path: ROOMS,
    on: rooms,
    operations: [CreateRoomDocument],
    async submit({ field, run }) {
      const { result } = dataOf(await run(CreateRoomDocument, { name: field('name') }))
      const at = result.__typename === 'CreateRoomSuccess' ? pathOfRoom(result.room.id) : ROOMS
      return toChanged(result, { at, notice: 'made' })
    },
  }),
  userForm({
    path: `${ROOMS}/{id}`,
    on: room,
    operations: [SendMessageDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(SendMessageDocument, { roomId: id, text: field('text').replaceAll('\r\n', '\n') }))
      return toChanged(result, { at: pathOfRoom(id), notice: '' })
    },
  }),
  userForm({
    path: `${ROOMS}/{id}/answer`,
    on: rooms,
    operations: [AcceptRoomInvitationDocument, DeclineRoomInvitationDocument],
    async submit({ path: { id }, field, run }) {
      if (field('answer') === 'accept') {
        const { result } = dataOf(await run(AcceptRoomInvitationDocument, { roomId: id }))
        return toChanged(result, { at: pathOfRoom(id), notice: 'joined' })
      }
      const { result } = dataOf(await run(DeclineRoomInvitationDocument, { roomId: id }))
      return toChanged(result, { at: ROOMS, notice: 'declined' })
    },
  }),
  userForm({
    path: `${ROOMS}/{id}/invite`,
    on: room,
    operations: [AddRoomMemberDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(AddRoomMemberDocument, { roomId: id, userId: field('user') }))
      return toChanged(result, { at: pathOfRoom(id), notice: 'invited' })
    },
  }),
  userForm({
    path: `${ROOMS}/{id}/remove`,
    on: room,
    operations: [RemoveRoomMemberDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(RemoveRoomMemberDocument, { roomId: id, userId: field('user') }))
      return toChanged(result, { at: pathOfRoom(id), notice: 'removed' })
    },
  }),
  userForm({
    path: `${ROOMS}/{id}/leave`,
    on: room,
    operations: [LeaveRoomDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(LeaveRoomDocument, { roomId: id }))
      return toChanged(result, { at: ROOMS, notice: 'left' })
    },
  }),
]
