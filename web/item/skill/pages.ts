import { SkillPageDocument, type SkillSource } from '#generated/operations.ts'
import { externalLink, shortAddress } from '../../frame/link.ts'
import { dataOf, foundIn, page } from '../../frame/page.ts'
import { itemPage } from '../item-page.ts'

export const skillPages = [
  page({
    on: '/skills/{slug}',
    operations: [SkillPageDocument],
    async answer({ path: { slug }, run, site }) {
      const answer = await run(SkillPageDocument, { slug })
      const skill = foundIn(dataOf(answer).skill, answer)
      if (skill === null) return null
      return itemPage(
        skill,
        {
          key: skill.slug,
          trust: skill.trust,
          // There is no one command: agents differ in where they keep skills, and all of them can
          // read its address.
          install: { heading: 'Give this address to your agent', text: skill.docsUrl },
          facts: [
            { name: 'Distribution', value: SOURCES[skill.source] },
            { name: 'SKILL.md', value: externalLink(skill.docsUrl, shortAddress(skill.docsUrl)) },
            { name: 'Source', value: externalLink(skill.repoUrl, shortAddress(skill.repoUrl)) },
          ],
          sourceUrl: skill.repoUrl,
          docsUrl: skill.docsUrl,
        },
        site,
      )
    },
  }),
]

const SOURCES: Readonly<Record<SkillSource, string>> = {
  BUILT_IN: 'ships with Atrium',
  OPTIONAL: 'official, not enabled by default',
  COMMUNITY: "from a third party's repository",
  PLUGIN: 'part of a plugin',
  MCP: 'served by an MCP server',
}
