import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { FileRow } from '../frame/file.ts'
import type { Site } from '../frame/site.ts'

const FOLDER = '/.well-known/agent-skills'

const FrontMatter = z.object({ name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/), description: z.string().max(1_024) })

/** A skill about this service for agents: the folder of its SKILL.md, and its frontmatter. */
type OwnSkill = { readonly name: string; readonly description: string; readonly text: string }

const skills: readonly OwnSkill[] = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const text = readFileSync(join(import.meta.dirname, name, 'SKILL.md'), 'utf8')
    return { ...FrontMatter.parse(parse(text.split(/^---$/m, 2)[1] ?? '')), text }
  })
  .sort((one, other) => (one.name < other.name ? -1 : 1))

/**
 * Agent Skills Discovery 0.2.0: an index at a well-known address, and one file per skill, known by
 * its digest.
 */
export const agentSkillFiles: readonly FileRow[] = [
  {
    path: `${FOLDER}/index.json`,
    contentType: 'application/json; charset=utf-8',
    operations: [],
    text: ({ site }) =>
      JSON.stringify(
        {
          $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
          skills: skills.map((skill) => ({
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
  ...skills.map(
    (skill): FileRow => ({
      path: `${FOLDER}/${skill.name}/SKILL.md`,
      contentType: 'text/markdown; charset=utf-8',
      operations: [],
      text: ({ site }) => textFor(skill, site),
    }),
  ),
]

const textFor = ({ text }: OwnSkill, { publicUrl }: Site): string => text.replaceAll('{publicUrl}', () => publicUrl)
