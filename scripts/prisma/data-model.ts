import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import internals from '@prisma/internals'

/** The folder of all data models. */
export const PRISMA_FOLDER = join(import.meta.dirname, '../../prisma')

/** Owners of data models, which are in folders of that name: subgraphs, and the gateway. */
export const DATA_MODELS = ['directory', 'gateway', 'social', 'store', 'trust'] as const
export type DataModel = (typeof DATA_MODELS)[number]

/** A file of a data model. */
export type PrismaFile = { readonly path: string; readonly content: string }

/** Files of the data model in `prisma/<name>`, by name. */
export function prismaFiles(name: string, folder = PRISMA_FOLDER): readonly PrismaFile[] {
  return readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.prisma'))
    .sort()
    .map((file) => ({ path: file, content: readFileSync(join(folder, name, file), 'utf8') }))
}

/** A model as Prisma parses it. */
export type PrismaModel = Awaited<ReturnType<typeof internals.getDMMF>>['datamodel']['models'][number]

/** Models of a data model, as Prisma parses it. Throws Prisma's own message for a bad one. */
export async function modelsOf(files: readonly PrismaFile[]): Promise<readonly PrismaModel[]> {
  const { datamodel } = await internals.getDMMF({ datamodel: files.map(({ path, content }) => [path, content]) })
  return datamodel.models
}
