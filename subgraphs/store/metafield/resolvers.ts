import type { MetafieldResolvers, Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { demand, demandForField } from '../access/guard.ts'
import { scopesFor } from '../access/rules.ts'
import type { Context } from '../context.ts'
import { deleteMetafields, setMetafields } from './actions.ts'
import { OWNER_TYPES, OWNERS, type Owned, type Owner, type OwnerType } from './owners.ts'
import { ownerKey } from './repository.ts'

/** The owner with an opaque id; null for every other id. */
function ownerOf(id: string): Owner | null {
  const type = OWNER_TYPES.find((each) => decodeId(id, each) !== null)
  const row = type && Number(decodeId(id, type))
  return row && row <= 2_147_483_647 ? { type, id: row } : null
}

/** The same, for a caller who may change it; rejects with FORBIDDEN otherwise. */
async function ownerToChange(id: string, { access }: Context): Promise<Owner | null> {
  const owner = ownerOf(id)
  if (owner) demand(await access(), OWNERS[owner.type].scopes)
  return owner
}

/** The field `metafields` of a type that has them. */
const ownedBy = (type: OwnerType) => ({
  metafields: async (
    { id }: { readonly id: number },
    { namespace }: { readonly namespace?: string | null | undefined },
    { load }: Context,
  ) => {
    const found = await load.metafieldsOfOwner.load(ownerKey({ type, id }))
    return namespace == null ? found : found.filter((metafield) => metafield.namespace === namespace)
  },
})

/** All metafields of an owner, for callers who may read it. */
const ofOwner =
  (payload: string) =>
  async ({ owner }: Owned, _: unknown, { access, load }: Context) => {
    demandForField(await access(), `${payload}.metafields`, scopesFor(owner.type) ?? [])
    return load.metafieldsOfOwner.load(ownerKey(owner))
  }

export const metafieldResolvers = {
  // Types that the schema does not have yet are left out when the schema is built.
  ...(Object.fromEntries(OWNER_TYPES.map((type) => [type, ownedBy(type)])) as Pick<Resolvers, 'Page'>),
  Mutation: {
    setMetafields: async (_, { input }, context) => {
      const owner = await ownerToChange(input.ownerId, context)
      return context.write('setMetafields', input, (unit) => setMetafields(unit, { ...input, owner }))
    },
    deleteMetafields: async (_, { input }, context) => {
      const owner = await ownerToChange(input.ownerId, context)
      return context.write('deleteMetafields', input, (unit) => deleteMetafields(unit, { ...input, owner }))
    },
  },
  Metafield: { id: ({ id }) => encodeId('Metafield', String(id)) } satisfies MetafieldResolvers,
  SetMetafieldsSuccess: { metafields: ofOwner('SetMetafieldsSuccess') },
  DeleteMetafieldsSuccess: { metafields: ofOwner('DeleteMetafieldsSuccess') },
} satisfies Resolvers
