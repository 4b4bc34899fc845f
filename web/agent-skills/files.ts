import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { loadOnce } from '../../platform/process/load-once.ts'
import type { FileRow } from '../frame/file.ts'
import type { Site } from '../frame/site.ts'

const FOLDER = '/.well-known/agent-skills'

const FrontMatter = z.object({ name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), description: z.string().max(1_024) })

/** A skill about this service for agents: the folder of its SKILL.md, and its frontmatter. */
type OwnSkill = { readonly name: string; readonly description: string; readonly text: string }

/** Names of the skills, which are those of their folders (the specification of agent skills). */
const names: readonly string[] = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** Read by the first request: the YAML parser is 70 modules, which a start does without. */
const skills = loadOnce(async (): Promise<readonly OwnSkill[]> => {
  const { parse } = await import('yaml')
  return names.map((folder) => {
    const text = readFileSync(join(import.meta.dirname, folder, 'SKILL.md'), 'utf8')
    const { name, description } = FrontMatter.parse(parse(text.split(/^---$/m, 2)[1] ?? ''))
    if (name !== folder) throw new Error(`Expected the skill in ${folder} to have the name of its folder, got "${name}".`)
    return { name, description, text }
  })
})

/**
 * Agent Skills Discovery 0.2.0: an index at a well-known address, and one file per skill, known by
 * its digest.
 */
export const agentSkillFiles: readonly FileRow[] = [
  {
    path: `${FOLDER}/index.json`,
    contentType: 'application/json; charset=utf-8',
    operations: [],
    text: async ({ site }) =>
      JSON.stringify(
        {
          $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
          skills: (await skills.get()).map((skill) => ({
            name: skill.name,
            type: 'skill-md',
            description: skill.description,
            url: `${site.publicUrl}${FOLDER}/${skill.name}/SKILL.md`,
            digest: `sha256:${createHash('sha256').update(textFor(skill, site)).digest('hex')}`,
          })),
        },
        null,
        2,
      ),
  },
  ...names.map(
    (name): FileRow => ({
      path: `${FOLDER}/${name}/SKILL.md`,
      contentType: 'text/markdown; charset=utf-8',
      operations: [],
      text: async ({ site }) => {
        const skill = (await skills.get()).find((one) => one.name === name)
        return skill ? textFor(skill, site) : null
      },
    }),
  ),
]

const textFor = ({ text }: OwnSkill, { publicUrl }: Site): string => text.replaceAll('{publicUrl}', () => publicUrl)
