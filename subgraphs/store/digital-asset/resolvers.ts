import type { Resolvers } from '#generated/store/resolvers.ts'
import { DOWNLOAD } from '../file/file.ts'
import { deletingFile, writeWithFile } from '../file/write.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { isOf } from '../product/owner.ts'
import { createDigitalAsset, deleteDigitalAsset } from './actions.ts'

export const digitalAssetResolvers = {
  Query: {
    digitalAsset: async (_, { id, productId, isExternal }, { load }) => {
      const row = decodeId(id, 'DigitalAsset')
      const asset = row === null ? null : await load.digitalAssetById.load(row)
      if (!asset || !isOf(asset, productId)) return null
      return isExternal == null || isExternal === (asset.externalUrl !== null) ? asset : null
    },
  },
  Mutation: {
    createDigitalAsset: (_, { input }, context) =>
      writeWithFile(
        context,
        'createDigitalAsset',
        input,
        { url: input.url, kind: DOWNLOAD, name: input.filename ?? null },
        (unit, file) => createDigitalAsset(unit, input, file),
      ),
    deleteDigitalAsset: (_, given, context) =>
      deletingFile(
        context,
        context.write('deleteDigitalAsset', given, (unit) => deleteDigitalAsset(unit, given)),
      ),
  },
  Product: {
    digitalAssets: ({ id }, _, { load }) => load.digitalAssetsOfProduct.load(id),
    digitalAssetCount: async ({ id }, _, { load }) => (await load.digitalAssetsOfProduct.load(id)).length,
  },
  DigitalAsset: {
    ...identified('DigitalAsset'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'DigitalAsset')
      return row === null ? null : load.digitalAssetById.load(row)
    },
    url: ({ key, filename, externalUrl, expirationSeconds }, _, { files }) =>
      key === null ? (externalUrl ?? '') : files.privateUrl(key, { name: filename ?? 'file', seconds: expirationSeconds }),
    isExternal: ({ externalUrl }) => externalUrl !== null,
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
  },
  CreateDigitalAssetSuccess: {
    digitalAsset: ({ digitalAsset }, _, { load }) => present(load.digitalAssetById.load(digitalAsset), 'digital asset'),
  },
  DeleteDigitalAssetSuccess: gone('DigitalAsset'),
} satisfies Resolvers
