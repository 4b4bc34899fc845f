import { atriumReader } from './atrium.ts'
import type { Reader } from './contribution.ts'
import { dockerReader } from './docker.ts'
import { marketplaceReader } from './marketplace.ts'
import { mcpGetReader } from './mcp-get.ts'
import { mcpmReader } from './mcpm.ts'
import { pluginManifestReader } from './plugin-manifest.ts'
import { readmeReader } from './readme.ts'
import { registryReader } from './registry.ts'
import { skillReader } from './skill.ts'
import { tensorblockReader } from './tensorblock.ts'
import { toolhiveReader } from './toolhive.ts'
import { toolsdkReader } from './toolsdk.ts'

/**
 * Every format, in order of recognition: the first that recognises a file reads it, so the most
 * particular come first.
 */
export const readers: readonly Reader[] = [
  atriumReader,
  marketplaceReader,
  toolsdkReader,
  tensorblockReader,
  toolhiveReader,
  dockerReader,
  mcpmReader,
  registryReader,
  mcpGetReader,
  pluginManifestReader,
  skillReader,
  readmeReader,
]
