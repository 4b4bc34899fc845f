import {
  AddToItemCollectionDocument,
  CreateItemCollectionDocument,
  DeleteItemCollectionDocument,
  MoveInItemCollectionDocument,
  RemoveFromItemCollectionDocument,
  UpdateItemCollectionDocument,
} from '#generated/operations.ts'
import { userForm } from '../account/page.ts'
import { toChanged } from '../frame/change.ts'
import { dataOf } from '../frame/page.ts'
import { visibilityIn } from './fields.ts'
import { collection, collections } from './pages.ts'
import { COLLECTIONS, pathOfCollection } from './path.ts'

/** Forms send line breaks as CR LF; texts are stored with LF, as programs send them. */
const textOfForm = (text: string): string => text.replaceAll('\r\n', '\n')

export const collectionForms = [
  userForm({
    path: COLLECTIONS,
    on: collections,
    operations: [CreateItemCollectionDocument],
    async submit({ field, run }) {
      const input = {
        name: field('name'),
        description: textOfForm(field('description')),
        visibility: visibilityIn(field('visibility')) ?? 'PRIVATE',
        itemId: field('itemId') || null,
      }
      const { result } = dataOf(await run(CreateItemCollectionDocument, { input }))
      const at = result.__typename === 'CreateItemCollectionSuccess' ? pathOfCollection(result.collection.id) : COLLECTIONS
      return toChanged(result, { at, notice: 'created' })
    },
  }),
  userForm({
    path: `${COLLECTIONS}/{id}/edit`,
    on: collection,
    operations: [UpdateItemCollectionDocument],
    async submit({ path: { id }, field, run }) {
      const visibility = visibilityIn(field('visibility'))
      const input = {
        name: field('name'),
        description: textOfForm(field('description')),
        ...(visibility !== null && { visibility }),
      }
      const { result } = dataOf(await run(UpdateItemCollectionDocument, { id, input }))
      return toChanged(result, { at: pathOfCollection(id), notice: 'changed' })
    },
  }),
  userForm({
    path: `${COLLECTIONS}/{id}/delete`,
    on: collection,
    operations: [DeleteItemCollectionDocument],
    async submit({ path: { id }, run }) {
      const { result } = dataOf(await run(DeleteItemCollectionDocument, { id }))
      return toChanged(result, { at: COLLECTIONS, notice: 'deleted' })
    },
  }),
  userForm({
    path: `${COLLECTIONS}/{id}/items`,
    on: collection,
    operations: [AddToItemCollectionDocument],
    async submit({ path: { id }, field, run }) {
      // A page that does not show the note of an item that may be there keeps it.
      const note = field('keep') === '1' && field('note').trim() === '' ? null : field('note')
      const { result } = dataOf(await run(AddToItemCollectionDocument, { id, itemId: field('itemId'), note }))
      return toChanged(result, { at: pathOfCollection(id), notice: 'added' })
    },
  }),
  userForm({
    path: `${COLLECTIONS}/{id}/items/remove`,
    on: collection,
    operations: [RemoveFromItemCollectionDocument],
    async submit({ path: { id }, field, run }) {
      const { result } = dataOf(await run(RemoveFromItemCollectionDocument, { id, itemId: field('itemId') }))
      return toChanged(result, { at: pathOfCollection(id), notice: 'removed' })
    },
  }),
  userForm({
    path: `${COLLECTIONS}/{id}/move`,
    on: collection,
    operations: [MoveInItemCollectionDocument],
    async submit({ path: { id }, field, run }) {
      const position = /^[1-9]\d{0,3}$/.test(field('position')) ? Number(field('position')) : 0
      const { result } = dataOf(await run(MoveInItemCollectionDocument, { id, itemId: field('itemId'), position }))
      return toChanged(result, { at: pathOfCollection(id), notice: 'moved' })
    },
  }),
]
