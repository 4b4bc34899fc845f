import { atriumReader } from './atrium.ts'
import type { Reader } from './contribution.ts'
import { marketplaceReader } from './marketplace.ts'
import { pluginManifestReader } from './plugin-manifest.ts'
import { skillReader } from './skill.ts'

/** Every format, in order of recognition: the first that recognises a file reads it, so the most particular come first. */
export const readers: readonly Reader[] = [atriumReader, marketplaceReader, pluginManifestReader, skillReader]
