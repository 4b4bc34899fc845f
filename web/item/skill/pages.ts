import { SkillPageDocument, type SkillPageQuery, type SkillSource } from '#generated/operations.ts'
import { externalLink, shortAddress } from '../../frame/link.ts'
import { dataOf, foundIn, page } from '../../frame/page.ts'
import { itemPage } from '../item-page.ts'

export const skillPages = [
  page({
    on: '/skills/{slug}',
    operations: [SkillPageDocument],
    async answer({ path: { slug }, run, site, reader }) {
      const answer = await run(SkillPageDocument, { slug })
      const skill = foundIn(dataOf(answer).skill, answer)
      if (skill === null) return null
      return itemPage(
        skill,
        {
          key: skill.slug,
          owner: skill.slug,
          trust: skill.trust,
          install: installOf(skill),
          facts: [
            { name: 'Distribution', value: SOURCES[skill.source] },
            { name: 'SKILL.md', value: externalLink(skill.docsUrl, shortAddress(skill.docsUrl)) },
            { name: 'Source', value: externalLink(skill.repoUrl, shortAddress(skill.repoUrl)) },
          ],
          sourceUrl: skill.repoUrl,
          docsUrl: skill.docsUrl,
        },
        { site, reader },
      )
    },
  }),
]

/** Where no command is known, its address: all agents can read that. */
function installOf({ installConfigs: [config], docsUrl }: NonNullable<SkillPageQuery['skill']>) {
  return config ? { heading: 'Install', text: config.content } : { heading: 'Give this address to your agent', text: docsUrl }
}

const SOURCES: Readonly<Record<SkillSource, string>> = {
  BUILT_IN: 'ships with Atrium',
  OPTIONAL: 'official, not enabled by default',
  COMMUNITY: "from a third party's repository",
  PLUGIN: 'part of a plugin',
  MCP: 'served by an MCP server',
}
